/* The panel Results: the runs that a store of `budge batch` holds: sorted, filtered, held against each other, plotted,
exported; each opens its puzzle and its plan. */
import {api, game, made, on, open, state, toast, told} from "./app.js";
import {button, field, fill, follow, input, offer} from "./runs.js";

const LOOK = 2000; // milliseconds between two looks for new runs
const CHOICES = ["label", "engine", "metric", "family", "status"];
const NO_STORE = `No store is in this folder yet. In a terminal, type <code>budge batch . --engines auto --store results.sqlite</code>:
it runs engines on all puzzles of the folder, and each run is shown here as it ends.`;

/** @param {HTMLElement} element */
export function panel(element) {
  /** @returns {HTMLSelectElement} */
  const list = () => made("select", {onchange: () => again({})});
  const store = list(), one = list(), other = list();
  const lists = Object.fromEntries(CHOICES.map(name => [name, list()]));
  const puzzle = input({type: "search", autocomplete: "off"});
  let typed = 0;
  puzzle.addEventListener("input", () => { clearTimeout(typed); typed = window.setTimeout(() => again({}), 300); });
  const filter = made("div", {class: "form filter"}, field("Store", store),
    ...CHOICES.map(name => field(name[0].toUpperCase() + name.slice(1), lists[name])), field("Puzzle", puzzle));
  const about = made("h3", {role: "status"}), csv = made("a", {class: "flat button save-csv", download: "budge-results.csv"}, "CSV");
  const report = made("a", {class: "flat button save-report", download: "budge-results.html"}, "Report");
  const against = made("div", {class: "form against"}, field("Hold this", one), field("against", other),
    made("span", {class: "quiet"}, "labels, versions, or numbers of sessions"));
  const changes = made("div", {class: "changes"}), engines = made("div", {}), plot = made("div", {class: "chart"});
  const runs = made("div", {class: "runs-table"}), place = made("span", {class: "quiet"});
  const before = button("‹", "flat", () => again({page: page - 1})), after = button("›", "flat", () => again({page: page + 1}));
  before.setAttribute("aria-label", "The runs before these");
  after.setAttribute("aria-label", "More runs");
  const body = made("div", {class: "results"}, made("div", {class: "buttons"}, about, csv, report), against, changes,
    made("div", {class: "split"}, engines, plot), runs, made("div", {class: "buttons pages"}, before, place, after));
  const empty = made("p", {class: "empty"});
  empty.innerHTML = NO_STORE;
  filter.hidden = body.hidden = empty.hidden = true;
  element.append(empty, filter, body);

  let page = 0, column = "", descending = true, stamp = "", asked = 0, refused = "";

  const wanted = () => ({...Object.fromEntries(CHOICES.map(name => [name, lists[name].value])), puzzle: puzzle.value});

  /** Ask the store again. @param {{page?: number, column?: string}} change */
  async function again(change) {
    page = change.page ?? 0;
    if (change.column !== undefined) {
      descending = column === change.column && !descending;
      column = change.column;
    }
    const mine = ++asked, question = {store: store.value, wanted: wanted(), column, descending, label: one.value, other: other.value, page};
    try {
      const answer = await api("/api/stores", question);
      if (mine === asked) shown(answer);
    } catch (error) {
      if (mine !== asked) return;
      refused = /** @type {Error} */ (error).message;
      about.textContent = refused;
      for (const part of [changes, engines, plot, runs]) fill(part, "");
    }
  }

  /** @param {any} answer */
  function shown(answer) {
    ({page, stamp} = answer);
    refused = "";
    for (const name of CHOICES) offer(lists[name], ["", ...answer.words[name]], lists[name].value);
    for (const side of [one, other]) offer(side, ["", ...answer.labels], side.value, "nothing");
    about.textContent = answer.about;
    const query = new URLSearchParams({store: store.value, ...wanted()});
    csv.setAttribute("href", `/api/stores/csv?${query}`);
    report.setAttribute("href", `/api/stores/report?${query}`);
    fill(engines, answer.html_engines);
    fill(plot, answer.plot_svg);
    fill(changes, answer.html_changes);
    fill(runs, answer.html_runs);
    place.textContent = `${page + 1} of ${answer.pages} page${answer.pages === 1 ? "" : "s"}`;
    before.disabled = page <= 0;
    after.disabled = page >= answer.pages - 1;
  }

  /** A click on a head sorts, one on the first cell of a run opens it. */
  body.addEventListener("click", (/** @type {Event} */ event) => {
    const {column: by, number} = /** @type {HTMLElement} */ (event.target).dataset;
    if (by) again({column: by});
    if (number) told(() => opened(number));
  });

  /** Open the puzzle of a run; its plan becomes a line of the game when the puzzle has been read. @param {string} number */
  async function opened(number) {
    const {key, plan, label} = await api(`/api/stores/run?store=${encodeURIComponent(store.value)}&number=${number}`);
    const put = () => plan ? follow(plan, label) : toast(label);
    if (key === state.key) return put();
    const ready = () => {
      if (state.key !== key || !game()?.game) return;
      document.removeEventListener("game", ready);
      setTimeout(put);
    };
    document.addEventListener("game", ready);
    open(key, {view: "play"});
  }

  async function listed() {
    const {stores} = await api("/api/stores"), old = store.value;
    empty.hidden = stores.length > 0;
    filter.hidden = body.hidden = !stores.length;
    offer(store, stores, old);
    if (stores.length && (store.value !== old || !stamp)) await again({});
  }

  setInterval(() => {
    if (!element.checkVisibility() || !store.value || refused) return;
    told(async () => {
      const {stamp: now} = await api(`/api/stores/stamp?store=${encodeURIComponent(store.value)}`);
      if (stamp && String(now) !== String(stamp)) await again({page});
    });
  }, LOOK);
  on("panel", () => { if (element.checkVisibility()) told(listed); });
  told(listed);
}
