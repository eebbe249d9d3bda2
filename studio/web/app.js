/* What all parts of the page share (state, the service, events), and its frame: header, tabs, address, keys, theme.
The game never asks the server; everything else goes by `api`. */

/** @typedef {{line: number, column: number, width: number, message: string, hint: string, source: string, mended?: string}} Problem */
/** @typedef {{key: string, rows: string[], width: number, origins: [number, number][], empty: string, border: string,
     palette: [string, string][], looks: {[char: string]: string}}} PuzzleMap a map of characters in the text */
/** @typedef {{ok: boolean, problems: Problem[], dropped: number, maps: PuzzleMap[], text: string, about?: string, title?: string,
     family?: string, metric?: string, metrics?: string[], units?: any, digest?: string, engines?: string[], author?: string,
     credit?: string, notes?: string, advice?: string[], expect?: string, goal?: string[], goal_svg?: string, file_name?: string,
     board_svg?: string, no_maps?: string}} Read what was found out of a text */
/** @typedef {{version: string, folder: string, folder_id: string, key?: string, first: string,
     families: {name: string, title: string}[], completions: {[family: string]: {[key: string]: {help: string, words: string[]}}},
     limits: {text: number}, defaults: {run: Limits, comparison: Limits}}} Boot */
/** @typedef {{time_limit: string, memory_limit: string}} Limits */
/** @typedef {{key: string, name: string, text: string, stored: string | null, base: string, revision: string,
     aside?: string | null}} Text a text as the service gives it; `stored`: as it is in the file */
/** @typedef {{key: string, name: string, text: string, stored: string | null, base: string, revision: string,
     read: Read | null, metric: string, boot: Boot, runs: Map<number, import("./runs.js").Run>}} State `runs`: all that
     events have told of, by number */
/** @typedef {Element | string | number | null | undefined | false} Child */

const LIMITS = {time_limit: "", memory_limit: ""};
const EMPTY = /** @type {Boot} */ ({version: "", folder: "", folder_id: "", first: "", families: [], completions: {},
  limits: {text: 262144}, defaults: {run: LIMITS, comparison: LIMITS}});
const TOAST = 6000, WAIT = 2000; // milliseconds

/** @type {State} */
export const state = {key: "", name: "", text: "", stored: null, base: "", revision: "", read: null, metric: "", boot: EMPTY, runs: new Map()};

// Events

/** @type {Map<string, Set<(detail: any) => void>>} */
const listeners = new Map();
/** @param {string} name @param {(detail: any) => void} fn */
export function on(name, fn) {
  if (!listeners.has(name)) listeners.set(name, new Set());
  listeners.get(name)?.add(fn);
}
/** @param {string} name @param {any} [detail] */
export const emit = (name, detail) => listeners.get(name)?.forEach(fn => fn(detail));

// The service

/** The answer of the service. Throws an `Error` with its sentence, `status` and `answer`.
    @param {string} path @param {object} [body] @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function api(path, body, signal) {
  /** @type {Response} */
  let answer;
  if (apart && body !== undefined) throw Object.assign(new Error("This page is of a studio on another folder."), {status: 0, answer: {}});
  try {
    answer = await fetch(path, body === undefined ? {} : {signal, method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
  } catch (error) {
    if (signal?.aborted) throw error;
    lost();
    throw Object.assign(new Error("The studio does not answer."), {status: 0, answer: {}});
  }
  const said = await answer.json().catch(() => ({}));
  if (answer.ok) return said;
  if (answer.status === 403) lost();
  throw Object.assign(new Error(said.error || `The studio has answered ${answer.status} ${answer.statusText}.`), {status: answer.status, answer: said});
}

let apart = false, knocking = 0; // whether another folder's studio answers; until this page's own answers again

/** Whether this page's studio answers; if not, the page says so. */
async function same() {
  const answer = await fetch("/api/folder").catch(() => null), here = answer?.ok ? await answer.json() : null;
  apart = here !== null && here.folder_id !== state.boot.folder_id;
  const why = apart ? "The studio was started again on another folder. Open this page anew; your text is kept in this browser."
    : here ? "" : answer ? "The studio was started again. Open it by the address that it has printed: this page is of the one before. Your text is kept in this browser."
    : "The studio does not answer. You can go on: your text is kept in this browser until it does.";
  if (why !== (at("[data-strip=lost] p")?.textContent ?? "")) strip("lost", why);
  return here !== null && !apart;
}

/** Something was not answered: ask again and again, until the studio is there. */
function lost() {
  if (knocking) return;
  const knock = async () => {
    if (!await same()) return;
    clearInterval(knocking);
    knocking = 0;
    listen();
    emit("back");
  };
  knocking = setInterval(knock, WAIT);
  knock();
}

/** @type {EventSource | null} */ let events = null;

/** Listen to runs, and to changes of the text elsewhere; not while nobody looks: browsers have few connections. */
async function listen() {
  events?.close();
  events = null;
  if (document.hidden || knocking) return;
  if (!await same()) return lost();
  const source = events = new EventSource(`/api/events?key=${encodeURIComponent(state.key)}`);
  source.onmessage = ({data}) => {
    const said = JSON.parse(data), known = state.runs.get(said.run), run = {...known, ...said};
    if (known && known.revision > run.revision) return;
    state.runs.set(run.run, run);
    emit("run", run);
  };
  source.addEventListener("text", () => emit("elsewhere"));
  source.onerror = () => { if (source === events) { source.close(); events = null; lost(); } };
}

// Making elements

/** An element: an attribute `on...` that is a function listens, and true, false are set and not set.
    @param {string} tag @param {{[name: string]: any}} [attributes] @param {Child[]} children @returns {any} */
export function made(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter(child => child !== null && child !== undefined && child !== false).map(child => child instanceof Element ? child : String(child)));
  return element;
}

/** @param {string} name */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), use = document.createElementNS(svg.namespaceURI, "use");
  svg.setAttribute("class", "icon"); svg.setAttribute("aria-hidden", "true"); use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** @param {number} n @param {string} one @param {string} [many] */
export const counted = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

/** Red notes are gone with the next thing that the user does, and that succeeds. */
export const calm = () => document.querySelectorAll(".toast.bad").forEach(note => note.remove());

/** A short message at the edge; `kind`: "good", "bad" (stays, see `calm`) or nothing. @param {string} text @param {string} [kind] */
export function toast(text, kind = "") {
  const close = made("button", {type: "button", class: "round", "aria-label": "Close", onclick: () => element.remove()}, icon("close"));
  const element = made("div", {class: `toast ${kind}`}, made("p", {}, text), close);
  document.querySelector("#toasts")?.append(element);
  if (kind !== "bad") setTimeout(() => element.remove(), TOAST);
}

/** Do something; what goes wrong is told. @template T @param {() => Promise<T> | T} does @returns {Promise<T | undefined>} */
export async function told(does) {
  try { return await does(); }
  catch (error) { toast(/** @type {Error} */ (error).message, "bad"); }
}

/** A line over the page, until it gets another text; none takes it away. `buttons`: [text, what it does].
    @param {string} name @param {string} text @param {[string, () => void][]} buttons */
export function strip(name, text, ...buttons) {
  document.querySelector(`[data-strip="${CSS.escape(name)}"]`)?.remove();
  if (!text) return;
  const element = made("div", {class: "strip", role: "status", "data-strip": name}, made("p", {}, text),
    ...buttons.map(([said, does]) => made("button", {type: "button", onclick: () => { element.remove(); does(); }}, said)));
  document.querySelector("#strips")?.append(element);
}

/** A dialog; it is gone once it is closed. @param {string} title @param {Child[]} inside @returns {HTMLDialogElement} */
export function dialog(title, ...inside) {
  const close = made("button", {type: "button", class: "round", "aria-label": "Close", onclick: () => element.close()}, icon("close"));
  const element = made("dialog", {"aria-label": title, onclose: () => element.remove(), onclick: (/** @type {Event} */ event) => {
    if (event.target === element) element.close(); // beside it
  }}, made("div", {class: "inside"}, made("header", {}, made("h2", {}, title), close), ...inside));
  document.body.append(element);
  element.showModal();
  return element;
}

/** A button that opens a list of things to do: [text, what it does, what it is for].
    @param {HTMLElement} button @param {() => [string, () => void, string?][]} items */
export function menu(button, items) {
  button.setAttribute("aria-haspopup", "menu");
  button.addEventListener("click", () => {
    const list = made("div", {popover: "auto", role: "menu", class: "menu", "aria-label": button.getAttribute("aria-label") || button.textContent, ontoggle: (/** @type {any} */ event) => {
      button.setAttribute("aria-expanded", String(event.newState === "open"));
      if (event.newState === "closed") list.remove();
    }}, ...items().map(([text, does, about]) => made("button", {type: "button", role: "menuitem", onclick: () => { list.hidePopover(); does(); }},
      made("span", {}, text), about && made("small", {}, about))));
    list.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const step = {ArrowDown: 1, ArrowUp: -1}[event.key], all = [...list.children];
      if (!step) return;
      event.preventDefault();
      all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
    });
    button.after(list);
    const box = button.getBoundingClientRect();
    list.showPopover();
    list.style.top = `${Math.min(box.bottom + 6, innerHeight - Math.min(list.offsetHeight, innerHeight - 16) - 8)}px`;
    list.style.left = `${Math.max(8, Math.min(box.left, innerWidth - list.offsetWidth - 8))}px`;
    list.firstElementChild?.focus();
  });
}

/** The `<budge-game>`. @returns {any} */
export const game = () => document.querySelector("budge-game");
/** @param {string} selector @returns {any} */
const at = selector => document.querySelector(selector);

// Texts and what they say (texts.js keeps them)

/** Open the puzzle of a key; Back goes to the one before. @param {string} key @param {{push?: boolean, view?: string}} [how] */
export const open = (key, {push = true, view = document.body.dataset.panel} = {}) => opened(`text?key=${encodeURIComponent(key)}`, push, view);
/** A new draft of a family. @param {string} family its name; `&map=1` of `custom`: with a map */
export const begin = family => opened(`new?family=${family}`, true, "write");

/** @param {string} what @param {boolean} push @param {string} [view] */
const opened = (what, push, view) => told(async () => {
  const texts = await import("./texts.js");
  await texts.open(() => api(`/api/${what}`), () => {
    addressed(push, view);
    if (view) show(view, false);
    if (push) calm();
    scrollTo(0, 0);
  });
});

let reading = new AbortController(); // what is read of a text is not asked for any more when it has changed

/** Read the text; then "read" is told and, if it is a puzzle, "puzzle". */
export async function read() {
  reading.abort();
  const {signal} = reading = new AbortController(), {key, text} = state, slow = setTimeout(() => emit("reading", true), 1000);
  try {
    const found = await api("/api/read", {key, text}, signal);
    if (signal.aborted) return;
    took({...found, text});
    if (found.ok || !found.problems.length) return;
    const mended = await api("/api/read", {key, text, repairs: true}, signal);
    if (!signal.aborted) took({...mended, text});
  } catch (error) {
    if (!signal.aborted && /** @type {any} */ (error).status) toast(/** @type {Error} */ (error).message, "bad");
  } finally {
    clearTimeout(slow);
    if (!signal.aborted) emit("reading", false);
  }
}

/** @type {{[map: string]: {[char: string]: string}}} */
let looks = {}; // of the maps of the last puzzle: while the text is none, its colours stay

/** @param {Read} found */
function took(found) {
  const metrics = found.metrics || [];
  for (const map of found.maps || []) map.looks = found.ok ? looks[map.key] = map.looks : {...looks[map.key], ...map.looks};
  state.read = found;
  if (found.ok && !metrics.includes(state.metric)) state.metric = found.metric || metrics[0] || "";
  emit("read", found);
  if (found.ok) emit("puzzle", found);
  else if (!game().game) unplayable(found);
}

/** @param {string} metric */
export function setMetric(metric) {
  state.metric = metric;
  if (state.read?.ok) emit("puzzle", state.read);
}

// The board

let shown = ""; // which game
let advising = new AbortController(); // the server looks for one hint at a time

/** Give the board the game of the text, if it is another one; until it is there, its picture. @param {Read} found */
async function play(found) {
  const {key, text, metric} = state, id = `${key} ${found.digest} ${metric}`;
  if (id === shown) return;
  shown = id;
  const still = at(".still"), slow = setTimeout(() => pictured(found, ""), 150);
  try {
    const data = await api("/api/game", {key, text, metric});
    if (id !== shown) return;
    const element = game();
    element.advisor = (/** @type {any[]} */ played) => {
      advising.abort();
      return api("/api/hint", {key, text, metric, played}, (advising = new AbortController()).signal);
    };
    element.game = {goal_text: found.goal_svg ? "" : sentence(found.goal || []), ...data};
    const beside = element.querySelector(".side");
    if (beside) { beside.id = "panel-play"; beside.setAttribute("role", "tabpanel"); beside.setAttribute("aria-labelledby", "tab-play"); }
    clearTimeout(slow);
    still.hidden = true;
  } catch (error) {
    if (id !== shown) return;
    clearTimeout(slow);
    game().game = null;
    pictured(found, /** @type {Error} */ (error).message);
  } finally { clearTimeout(slow); }
}

/** @param {Read} found @param {string} why */
function pictured(found, why) {
  const still = at(".still");
  still.hidden = false;
  still.querySelector("div").replaceChildren(drawing(found.board_svg || ""));
  still.querySelector("p").textContent = why;
}

/** The text has never been a puzzle. @param {Read} found */
function unplayable({problems, dropped}) {
  const still = at(".still");
  still.hidden = false;
  still.querySelector("div").replaceChildren(made("p", {}, `The text has ${counted(problems.length + dropped, "problem")}: there is no board yet.`),
    made("button", {type: "button", class: "strong", onclick: () => show("write")}, "Show the text"));
}

/** Another text was opened: its picture stands on the board until it has been read. */
function cleared() {
  const still = at(".still"), text = state.text;
  shown = "";
  looks = {};
  state.read = null;
  game().game = null;
  at("#about").replaceChildren();
  still.hidden = true;
  still.querySelector("p").textContent = "";
  setTimeout(() => {
    if (state.text !== text || game().game || !still.hidden) return;
    still.hidden = false;
    still.querySelector("div").replaceChildren(made("img", {src: `/picture?key=${encodeURIComponent(state.key)}`, alt: ""}));
  }, 150);
  still.querySelector("div").replaceChildren();
  titled();
}

/** A picture of the service. @param {string} svg */
const drawing = svg => svg ? document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true) : "";
/** @param {string[]} goal */
const sentence = goal => goal.length ? `Goal: ${goal.join("; ")}.` : "";

// What is told of the puzzle

function titled() {
  const {read: found, key, name, text, stored, boot} = state, draft = key.startsWith("draft:");
  const title = found?.ok && found.title || /^name: *(["']?)(.+?)\1 *(#.*)?$/m.exec(text)?.[2] || name || "Budge";
  at("#title").textContent = title;
  document.title = `${title} · Budge`;
  const family = boot.families.find(({name: one}) => one === found?.family)?.title;
  const place = draft ? "a draft, not saved yet" : name + (key.startsWith("shipped:") ? " (shipped)" : "");
  at("#where").replaceChildren(...[family, place].filter(Boolean).join(" · "), ...(!draft && text !== stored ? [made("b", {}, " · changed")] : []));
  document.body.classList.toggle("stale", Boolean(found && !found.ok));
}

/** @param {Read} found */
function described(found) {
  const box = at("#about"), metrics = found.metrics || [];
  const choice = made("select", {"aria-label": "What is counted", onchange: () => setMetric(choice.value)}, ...metrics.map(metric =>
    made("option", {value: metric, selected: metric === state.metric}, metric.replaceAll(",", ", then "))));
  const facts = [["Size", found.about], ["Known", found.expect], ["By", found.author], ["From", found.credit]].filter(([, text]) => text);
  box.replaceChildren(made("h2", {}, "About this puzzle"), found.goal_svg ? made("figure", {}, made("figcaption", {class: "quiet"}, "The goal"), drawing(found.goal_svg)) : "",
    made("dl", {}, ...(metrics.length > 1 ? [made("dt", {}, "Counted in"), made("dd", {}, choice)] : []),
      ...facts.flatMap(([name, text]) => [made("dt", {}, name), made("dd", {}, text)])),
    ...[found.notes, ...(found.advice || [])].filter(Boolean).map(note => made("p", {class: "quiet"}, note)));
}

// Panels

/** Panels by name: the title, the module, which fills it when it is shown first; the last two take the whole width.
    @type {{[name: string]: [string, (() => Promise<any>)?]}} */
const PANELS = {
  play: ["Play"], write: ["Write", () => import("./write.js")], solve: ["Solve", () => import("./runs.js")],
  explore: ["Explore", () => import("./runs.js")], check: ["Check", () => import("./runs.js")],
  compare: ["Compare", () => import("./compare.js")], results: ["Results", () => import("./results.js")],
};

/** Show a panel; done when it is filled. @param {string} name @param {boolean} [push] */
export function show(name, push = true) {
  if (!PANELS[name]) name = "play";
  const before = document.body.dataset.panel;
  document.body.dataset.panel = name;
  for (const tab of at(".tabs").children) {
    const chosen = tab.dataset.panel === name;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    if (chosen) tab.scrollIntoView?.({block: "nearest", inline: "nearest"});
  }
  for (const panel of document.querySelectorAll("main > [role=tabpanel]")) /** @type {HTMLElement} */ (panel).hidden = panel.id !== `panel-${name}`;
  const element = at(`#panel-${name}`), load = PANELS[name][1];
  if (push && name !== before) { calm(); addressed(true, name); }
  if (load) filled[name] ??= booted.then(load).then(module => module.panel(element)).catch(error => toast(error.message, "bad"));
  return Promise.resolve(filled[name]).then(() => emit("panel", name));
}

/** @type {{[name: string]: Promise<unknown>}} */
const filled = {}; // panels that were shown
/** @type {Promise<any>} */
let booted = Promise.resolve(); // panels ask what the studio is

function tabs() {
  const row = at(".tabs"), names = Object.keys(PANELS);
  row.append(...names.map(name => made("button", {type: "button", role: "tab", id: `tab-${name}`, "aria-controls": name === "play" ? null : `panel-${name}`, /* that of play is there with a game only */ "data-panel": name, onclick: (/** @type {MouseEvent} */ event) => {
    show(name);
    if (name === "play" && event.detail) at(".budge-stage")?.focus({preventScroll: true}); // pressed with a mouse: arrows are for the board
  }}, PANELS[name][0])));
  at("main").append(...names.filter(name => name !== "play").map(name =>
    made("section", {id: `panel-${name}`, role: "tabpanel", "aria-labelledby": `tab-${name}`, "data-panel": name, class: "panel", hidden: true})));
  row.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key], here = names.indexOf(document.body.dataset.panel || "");
    const next = step ? (here + step + names.length) % names.length : {Home: 0, End: names.length - 1}[event.key];
    if (next === undefined) return;
    event.preventDefault();
    show(names[next]);
    row.children[next].focus();
  });
}

// The address: which text, and which panel

/** @param {boolean} push @param {string} [view] */
export function addressed(push, view = document.body.dataset.panel) {
  const url = `/?open=${encodeURIComponent(state.key).replaceAll("%3A", ":").replaceAll("%2F", "/")}${view && view !== "play" ? `&view=${view}` : ""}`;
  emit("key");
  if (url === location.pathname + location.search) return;
  history[push ? "pushState" : "replaceState"](null, "", url);
}

function gone() {
  const {searchParams} = new URL(location.href), key = searchParams.get("open"), view = searchParams.get("view") || "play";
  if (key && key !== state.key) open(key, {push: false, view});
  else show(view, false);
}

// Keys, links, themes

const KEYS = [["?", "all keys"], ["Ctrl S", "save"], ["Ctrl Enter", "solve"], ["[  ]", "the puzzle before, behind"], ["/", "the library"],
  ["Arrows", "select a piece, or move it"], ["Enter", "take a piece, or let it go"], ["A ... Z", "take the piece of this name, before what else the letter does"],
  ["Z", "undo"], ["Y", "redo"], ["R", "start again"], ["H", "hint"], ["+  −  0", "zoom"], ["Ctrl Space", "complete, in the text"]];

const keys = () => dialog("Keys", made("dl", {class: "keylist"}, ...KEYS.flatMap(([key, does]) => [made("dt", {}, made("kbd", {}, key)), made("dd", {}, does)])));

/** @param {KeyboardEvent} event */
function pressed(event) {
  const {key, ctrlKey, metaKey, altKey} = event, target = /** @type {Element} */ (event.target), control = ctrlKey || metaKey;
  if (control && key.toLowerCase() === "s") { event.preventDefault(); if (!document.querySelector("dialog")) told(async () => (await import("./texts.js")).save()); }
  else if (control && key === "Enter") { event.preventDefault(); show("solve").then(() => emit("solve")); }
  else if (control || altKey || target.closest?.("input, textarea, select, dialog, [popover]")) return;
  else if (key === "?") keys();
  else if (key === "/") { event.preventDefault(); at("#library").click(); }
  else if (key === "[") at("a[rel=prev]").click();
  else if (key === "]") at("a[rel=next]").click();
}

/** Links to puzzles do not load the page anew. @param {MouseEvent} event */
function clicked(event) {
  const link = /** @type {Element} */ (event.target).closest?.("a[href^='/?open=']");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  link.closest("dialog")?.close();
  open(/** @type {string} */ (new URL(/** @type {HTMLAnchorElement} */ (link).href).searchParams.get("open")));
}

const THEME = "budge-studio-theme";

/** @param {string | null} theme light, dark, or as the system has it */
function themed(theme) {
  const root = document.documentElement;
  for (const name of ["theme", "budgeTheme"]) if (theme) root.dataset[name] = theme; else delete root.dataset[name];
  emit("theme", theme);
}

function turned() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const now = document.documentElement.dataset.theme || system, next = now === "dark" ? "light" : "dark";
  try { if (next === system) localStorage.removeItem(THEME); else localStorage.setItem(THEME, next); } catch { /* private */ }
  themed(next === system ? null : next);
}

// The beginning

async function main() {
  try { themed(localStorage.getItem(THEME)); } catch { /* private */ }
  tabs();
  at("#theme").addEventListener("click", turned);
  at("#keys").addEventListener("click", keys);
  at(".skip").addEventListener("click", (/** @type {Event} */ event) => { event.preventDefault(); (at(".budge-stage") || game()).focus(); });
  const strips = at("#strips"); // the board has what they leave of the window
  new ResizeObserver(() => document.documentElement.style.setProperty("--strips", `${strips.offsetHeight}px`)).observe(strips);
  addEventListener("keydown", pressed);
  addEventListener("click", clicked);
  addEventListener("popstate", gone);
  game().addEventListener("game", (/** @type {CustomEvent} */ {detail}) => document.body.classList.toggle("solved", Boolean(detail.solved)));
  on("read", titled); on("kept", titled);
  on("puzzle", play); on("puzzle", described);
  on("opened", cleared);
  const {searchParams} = new URL(location.href), wanted = searchParams.get("open"), family = searchParams.get("new");
  booted = api(`/api/boot${wanted ? `?open=${encodeURIComponent(wanted)}` : ""}`).then(boot => { state.boot = boot; });
  show(searchParams.get("view") || "play", false);
  await booted;
  const [share, library] = await Promise.all([import("./share.js"), import("./library.js")]);
  if (!await share.linked()) {
    if (family) await begin(family);
    else await open(state.boot.key || state.boot.first, {push: false});
  }
  if (!state.key) await open(state.boot.first, {push: false});
  listen();
  on("key", listen);
  document.addEventListener("visibilitychange", listen);
  library.begin();
}

if (typeof document !== "undefined") main().catch(error => toast(error.message, "bad"));
