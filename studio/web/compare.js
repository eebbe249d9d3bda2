/* The panel Compare: puzzles times engines, the tables filling as runs end, with their plots, saved as the report. */
import {api, made, on, state, told} from "./app.js";
import {Choice, Form, cardsOf, field, fill, input, offer, paced, start} from "./runs.js";

/** @typedef {import("./runs.js").Card} Card */
/** @typedef {{key: string, title: string, family: string}} Entry */

const NOTHING = "Each engine works on each puzzle in a process of its own, one after the other, under the same limits. What they "
  + "prove is held against each other.";
const MOST = 60; // puzzles of one comparison
const LISTED = 40; // puzzles that are offered at a time
const AT_WORK = "the puzzle at work";

/** @param {HTMLElement} element */
export function panel(element) {
  const puzzles = new Choice("Puzzles", "this one"), engines = new Choice("Engines", "all");
  const sought = input({type: "search", placeholder: "title, name or family", "aria-label": "Find puzzles"});
  puzzles.box.before(sought);
  /** @type {{[key: string]: string}} */
  let names = {};
  /** @type {Form} */
  const form = new Form("Compare", begin, state.boot.defaults.comparison, puzzles.element, engines.element);
  form.asked.hidden = true;
  const empty = made("p", {class: "empty"}, NOTHING), place = made("div", {class: "runs"});
  const cactus = made("div", {class: "chart"}), bounds = made("div", {class: "chart"});
  const which = made("select");
  const solved = made("section", {}, made("h3", {}, "Puzzles solved within a time"), cactus);
  const followed = made("section", {}, field("Bounds over time", which), bounds);
  const plots = made("div", {class: "plots", hidden: true}, solved, followed);
  const tables = made("div", {class: "tables"});
  element.append(form.element, empty, place, plots, tables);

  function begin() {
    const keys = puzzles.chosen.size ? [...puzzles.chosen] : [state.key];
    if (keys.length > MOST) throw new Error(`${MOST} puzzles at once are enough; use \`budge compare\` for more`);
    return start("compare", {...form.values, metric: null, puzzles: keys, engines: [...engines.chosen]});
  }
  const seek = () => {
    const words = sought.value.toLowerCase().split(/\s+/);
    const fits = Object.entries(names).filter(([key, name]) =>
      puzzles.chosen.has(key) || words.every(word => `${key} ${name}`.toLowerCase().includes(word)));
    puzzles.offer(Object.fromEntries(fits.slice(0, Math.max(LISTED, puzzles.chosen.size))));
  };
  sought.addEventListener("input", seek);
  puzzles.element.addEventListener("toggle", () => told(async () => {
    if (Object.keys(names).length > 1) return;
    const {entries} = await api("/api/library");
    names = {[state.key]: "this one", ...Object.fromEntries(entries.map((/** @type {Entry} */ {key, title}) => [key, title]))};
    seek();
  }));
  const draw = paced(async () => {
    const [card] = cards.values();
    plots.hidden = !card;
    if (!card) return fill(tables, "");
    const of = which.value && which.value !== AT_WORK ? `?of=${encodeURIComponent(which.value)}` : "";
    const answer = await api(`/api/runs/${card.run.run}/answer${of}`);
    offer(which, [AT_WORK, ...answer.titles], which.value);
    fill(cactus, answer.solved_svg);
    fill(bounds, answer.plot_svg);
    solved.hidden = cactus.hidden;
    plots.hidden = cactus.hidden && bounds.hidden;
    fill(tables, answer.html);
    if (answer.report && !card.more.children.length) card.more.append(
      made("a", {href: `/api/runs/${card.run.run}/report`, download: "budge-compare.html", class: "strong button save-report"},
        "Save the report"), clear);
  });
  which.addEventListener("change", draw);
  const {cards, clear} = cardsOf(() => `compare ${state.key}`, place, false, () => {}, () => { empty.hidden = cards.size > 0; draw(); });
  const puzzle = () => {
    form.offer();
    form.asked.hidden = true;
    engines.offer(Object.fromEntries((state.read?.engines || []).map(name => [name, name])));
  };
  on("puzzle", puzzle);
  puzzle();
}
