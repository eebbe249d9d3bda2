/* The library: cards of all puzzles and of texts that are not saved; and the order in which Next and Previous go. */
import {api, begin as beginDraft, counted, icon, made, menu, on, open, state, told} from "./app.js";

/** @typedef {{key: string, title: string, family: string, known: string, size: string, problem: string, metric: string,
     cost: number | null, digest: string, stamp: string}} Entry */
/** @typedef {{key: string, title: string, changed: number, origin: string}} Draft */

const FIRST = 12; // cards of a family that are shown before all of them are asked for
const LEVELS = ["easy", "medium", "hard"];
const KEPT = "budge-studio-library";
const UNITS = /** @type {[string, number][]} */ ([["day", 86400], ["hour", 3600], ["minute", 60]]);

/** @type {Entry[]} */ let entries = [];
/** @type {Draft[]} */ let drafts = [];
/** @type {Map<string, number>} */ let ranks = new Map(); // by key: the place among its family by length, 0 to 1
let filter = {words: "", family: "", level: "", solved: "", order: "family"};
try { filter = {...filter, ...JSON.parse(sessionStorage.getItem(KEPT) || "{}")}; } catch { /* private */ }

/** @param {string} name */
const titleOf = name => state.boot.families.find(family => family.name === name)?.title || name;
/** @param {Entry} entry */
const own = ({key}) => !key.startsWith("shipped:");
/** The least cost at which it was solved here, as its game keeps it (game.js). @param {Entry} entry @returns {number | null} */
const least = ({digest, metric}) => {
  try { return JSON.parse(localStorage.getItem(`budge ${digest} ${metric}`) || "{}").best?.[0] ?? null; } catch { return null; }
};

async function load() {
  ({entries, drafts} = await api("/api/library"));
  ranks = new Map();
  for (const family of new Set(entries.map(({family}) => family))) {
    const known = entries.filter(entry => entry.family === family && entry.cost !== null).sort((a, b) => Number(a.cost) - Number(b.cost));
    known.forEach(({key}, i) => ranks.set(key, i / known.length));
  }
  near();
}

/** @param {Entry} entry */
function fits(entry) {
  const text = `${entry.key} ${entry.title} ${entry.family} ${titleOf(entry.family)} ${entry.known}`.toLowerCase().replaceAll("_", "-"), rank = ranks.get(entry.key);
  return filter.words.toLowerCase().replaceAll("_", "-").split(/\s+/).every(word => text.includes(word))
    && (!filter.family || filter.family === entry.family)
    && (!filter.level || (rank !== undefined && LEVELS[Math.floor(rank * 3)] === filter.level))
    && (!filter.solved || (filter.solved === "yes") === (least(entry) !== null));
}

/** The puzzles that are shown, in their order: that of the cards, and of Next and Previous. */
function listed() {
  const found = entries.filter(fits), by = {
    name: (/** @type {Entry} */ a, /** @type {Entry} */ b) => a.title.localeCompare(b.title, "en", {numeric: true}),
    length: (/** @type {Entry} */ a, /** @type {Entry} */ b) => (a.cost ?? Infinity) - (b.cost ?? Infinity) || 0,
    difficulty: (/** @type {Entry} */ a, /** @type {Entry} */ b) => (ranks.get(a.key) ?? 2) - (ranks.get(b.key) ?? 2),
  }[filter.order];
  return by ? [...found].sort(by) : found;
}

/** Set the links to the puzzles before and behind. */
function near() {
  const all = listed().filter(({problem}) => !problem), here = all.findIndex(({key}) => key === state.key);
  for (const [rel, number] of /** @type {[string, number][]} */ ([["prev", here - 1], ["next", here + 1]])) {
    const link = /** @type {HTMLAnchorElement} */ (document.querySelector(`header a[rel=${rel}]`)), entry = all[number];
    if (entry) link.href = `/?open=${encodeURIComponent(entry.key)}`; else link.removeAttribute("href");
    link.title = entry ? `${entry.title} ( ${rel === "next" ? "]" : "["} )` : "";
    link.toggleAttribute("aria-disabled", !entry);
  }
}

function anyOne() {
  const all = listed().filter(({key, problem}) => key !== state.key && !problem), fresh = all.filter(entry => least(entry) === null);
  const from = fresh.length ? fresh : all;
  if (from.length) open(from[Math.floor(Math.random() * from.length)].key);
}

// Cards

/** @param {number} seconds since 1970 */
function ago(seconds) {
  const past = Date.now() / 1000 - seconds, unit = UNITS.find(([, length]) => past >= length);
  return unit ? `${counted(Math.floor(past / unit[1]), unit[0])} ago` : "now";
}

/** @param {Entry} entry */
function card(entry) {
  const {key, title, problem, size, family, known, metric, cost, stamp} = entry, best = least(entry);
  const name = key.slice(key.indexOf(":") + 1), optimum = known && known !== "unsolvable" ? `optimum ${known}` : known;
  return made("li", {class: "card"},
    problem ? made("div", {class: "none"}, "?") : made("img", {src: `/picture?key=${encodeURIComponent(key)}&stamp=${stamp}`, alt: "", loading: "lazy", width: 240, height: 240}),
    made("a", {href: `/?open=${encodeURIComponent(key)}`, "aria-current": key === state.key && "page"}, title),
    made("small", {class: problem ? "wrong" : ""}, problem.replace(/^.*?:(\d+):\d+: error: /, "line $1: ") || size || titleOf(family)),
    optimum && made("small", {}, optimum),
    made("small", {class: "place"}, name),
    best !== null && made("span", {class: "done"}, best === cost ? "✓ shortest" : `✓ in ${best.toLocaleString("en")} ${metric.split(",")[0]}`));
}

/** @param {Draft} draft @param {() => void} gone */
function shelved({key, title, changed, origin}, gone) {
  return made("li", {class: "card draft"},
    made("img", {src: `/picture?key=${encodeURIComponent(key)}&stamp=${changed}`, alt: "", loading: "lazy", width: 240, height: 240}),
    made("a", {href: `/?open=${encodeURIComponent(key)}`}, title || "no name"),
    made("small", {}, `${origin ? `from ${origin}` : key.startsWith("draft:") ? "draft" : "changed"}, ${ago(changed)}`),
    made("button", {type: "button", class: "discard", onclick: (/** @type {Event} */ event) => {
      const button = /** @type {HTMLElement} */ (event.currentTarget);
      if (!button.classList.contains("danger")) { button.classList.add("danger"); button.textContent = "Really discard it?"; return; }
      told(async () => { await api("/api/drop", {key}); drafts = drafts.filter(one => one.key !== key); gone(); });
    }}, "Discard"));
}

/** The button that begins a puzzle of a family. */
export function newButton() {
  const button = made("button", {type: "button", class: "new"}, "New", icon("down"));
  menu(button, () => state.boot.families.flatMap(({name, title}) => [[title, name], ...(name === "custom" ? [[`${title}, on a map`, `${name}&map=1`]] : [])])
    .map(([title, what]) => [title, () => { button.closest("dialog")?.close(); beginDraft(what); }]));
  return button;
}

/** @param {string} label @param {[string, string][]} options @param {"family" | "level" | "solved" | "order"} name @param {() => void} then */
function choice(label, options, name, then) {
  const select = made("select", {"aria-label": label, onchange: () => { filter[name] = select.value; then(); }},
    ...options.map(([value, text]) => made("option", {value, selected: value === filter[name]}, text)));
  return select;
}

function show() {
  if (document.querySelector("dialog.library")) return;
  const shelf = made("div", {class: "shelf"}), count = made("span", {class: "quiet", role: "status"});
  const all = new Set(); // sections that show all their cards
  const words = made("input", {type: "search", placeholder: "Find by name, family, optimum", "aria-label": "Find", value: filter.words, autofocus: true,
    oninput: () => { filter.words = words.value; cards(); }});
  const families = state.boot.families.map(({name, title}) => /** @type {[string, string]} */ ([name, title]));
  const bar = made("div", {class: "finder", role: "search"}, words,
    choice("Family", [["", "All families"], ...families], "family", () => cards()),
    choice("Difficulty", [["", "Easy to hard"], ...LEVELS.map(level => /** @type {[string, string]} */ ([level, level[0].toUpperCase() + level.slice(1)]))], "level", () => cards()),
    choice("Solved", [["", "Solved or not"], ["yes", "Solved"], ["no", "Not solved"]], "solved", () => cards()),
    choice("Order", [["family", "By family"], ["name", "By name"], ["length", "By length"], ["difficulty", "By difficulty"]], "order", () => cards()),
    count);
  const close = made("button", {type: "button", class: "round", "aria-label": "Close", onclick: () => box.close()}, icon("close"));
  const box = made("dialog", {class: "library", "aria-label": "Library", onclose: () => { near(); box.remove(); }},
    made("header", {}, made("h2", {}, "Library"), newButton(), close), bar, shelf);

  /** @param {string} title @param {Entry[]} found */
  function section(title, found) {
    const shown = all.has(title) ? found : found.slice(0, FIRST), done = found.filter(entry => least(entry) !== null).length;
    return made("section", {"aria-label": title}, made("h3", {}, title, made("small", {}, done ? `${done} of ${found.length} solved` : String(found.length))),
      made("ul", {class: "cards"}, ...shown.map(card)),
      shown.length < found.length && made("button", {type: "button", class: "more", onclick: () => { all.add(title); cards(); }}, `Show all ${found.length}`));
  }

  function cards() {
    try { sessionStorage.setItem(KEPT, JSON.stringify(filter)); } catch { /* private */ }
    const found = listed(), kept = drafts.filter(({title, origin}) => `${title} ${origin}`.toLowerCase().includes(filter.words.toLowerCase()));
    /** @type {Map<string, Entry[]>} */
    const sections = new Map();
    const folder = state.boot.folder.split(/[/\\]/).filter(Boolean).pop() || state.boot.folder;
    for (const entry of found) {
      const title = filter.order !== "family" ? "Puzzles" : own(entry) ? `In ${folder}` : titleOf(entry.family);
      sections.set(title, [...(sections.get(title) || []), entry]);
    }
    count.textContent = counted(found.length, "puzzle");
    shelf.replaceChildren(
      ...(kept.length && !filter.family && !filter.level && !filter.solved ? [made("section", {"aria-label": "Not saved"}, made("h3", {}, "Not saved", made("small", {}, kept.length)), made("ul", {class: "cards"}, ...kept.map(draft => shelved(draft, cards))))] : []),
      ...[...sections].map(([title, part]) => section(title, part)),
      ...(found.length ? [] : [made("p", {class: "empty"}, entries.length ? "No puzzle fits. Take a word or a filter away, or begin a new one." : "Reading the puzzles ...")]));
  }

  document.body.append(box);
  box.showModal();
  cards();
  told(async () => { await load(); if (box.open) cards(); });
}

/** Read what there is, once the board stands. */
export function begin() {
  const idle = globalThis.requestIdleCallback || setTimeout;
  idle(() => load().catch(() => {}));
}

/** @param {string} id */
const button = id => /** @type {HTMLElement} */ (document.querySelector(id));
button("#library").addEventListener("click", show);
button("#random").addEventListener("click", anyOne);
on("opened", near);
on("saved", () => load().catch(() => {}));
