/* What the page of the studio does by itself: completion in the editor, keeping text that has not reached the studio,
   the address, keys, links, themes. It knows no rule and asks no other host. Python calls `budgeStudio.*`; the page
   tells Python with `emitEvent`. */
import {painter} from "./paint.js";

const KEPT = "budge-studio:"; // texts that have not reached a studio, by folder and key; before, by key only
const LARGEST = 950_000; // characters of a message that NiceGUI sends

const PATIENCE = 120_000; // milliseconds: on a busy machine elements come late, and those that are gone never come

/** Waits until `found()` gives something. */
const when = (found, then, end = Date.now() + PATIENCE) => {
  const value = found();
  if (value) then(value);
  else if (Date.now() < end) setTimeout(() => when(found, then, end), 25);
};

/** Completions of a YAML line from the schema: a key at its start, a word behind `key:`. */
const completer = (words) => (context) => {
  const line = context.state.doc.lineAt(context.pos), before = line.text.slice(0, context.pos - line.from);
  const family = /^family:\s*([\w.-]+)/m.exec(context.state.doc.toString())?.[1];
  const known = words[family] || words[""], value = /^\s*([\w-]+):\s*([\w.-]*)$/.exec(before);
  if (value) {
    const options = (known[value[1]]?.words || []).map((word) => ({label: word, type: "enum"}));
    return options.length ? {from: context.pos - value[2].length, options} : null;
  }
  const key = /^([\w-]*)$/.exec(before);
  if (!key || (!key[1] && !context.explicit)) return null;
  const options = Object.entries(known).map(([label, {help}]) =>
    ({label, type: "property", detail: help, apply: `${label}: `}));
  return {from: line.from, options};
};

let CM = null; // the editor's library, loaded when the editor is
const desk = {view: null, folder: "", key: "", base: "", arrived: null}; // the text in the editor, and what arrived of it
const place = () => `${KEPT}${desk.folder}:${desk.key}`;
const written = () => desk.view.state.doc.toString();

/** Keep the text in this browser, if the studio has not said that it has it. */
function keep() {
  if (!desk.view || written() === desk.arrived) return;
  try {
    localStorage.setItem(place(), JSON.stringify({text: written(), base: desk.base}));
  } catch { /* full, or not allowed */ }
}

const forget = (where) => localStorage.removeItem(where);

async function digestOf(text) {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The digest of the text in the editor; null before the editor is there. */
const digest = async () => desk.view && digestOf(written());

/** The studio has the text with this digest, made from the one with the digest `base`. */
async function arrived(known, base) {
  desk.base = base;
  if (!desk.view) return;
  const text = written();
  if (await digestOf(text) !== known) return;
  desk.arrived = text;
  if (written() === text) forget(place());
}

/** What this browser has kept of a text, and all drafts of studios that kept them by number. */
function kept() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(KEPT + "draft:"));
  const found = [...names, KEPT + desk.key].filter((name) => localStorage.getItem(name) !== null)
    .map((name) => ({place: name, key: name.slice(KEPT.length), text: localStorage.getItem(name), base: null}));
  try {
    const own = JSON.parse(localStorage.getItem(place()));
    if (own) found.push({place: place(), key: desk.key, ...own});
  } catch { /* of another program */ }
  return found;
}

/** What a change of the text must not be: more than the studio takes, or than fits into a message. */
const bounded = (most) => CM.EditorState.transactionFilter.of((change) => {
  const size = change.docChanged ? change.newDoc.length : 0;
  if (size <= change.startState.doc.length) return change;
  const heavy = size > LARGEST / 8 && JSON.stringify(JSON.stringify(change.newDoc.toJSON())).length > LARGEST;
  if (size <= most && !heavy) return change;
  emitEvent("studio-refused", size > most ? size : null);
  return [];
});

/** The page has the text with this key, of this folder, made from the one with the digest `base`. */
function begin(about) {
  Object.assign(desk, about);
  const found = kept();
  if (found.length) emitEvent("studio-kept", found);
}

/** Attach to the editor of an element: complete, keep what is typed, leave Tab to the page. */
async function edit(id, most, words) {
  CM = await import("nicegui-codemirror");
  when(() => getElement(id)?.editor, (view) => {
    Object.assign(desk, {view, arrived: view.state.doc.toString()});
    let timer = 0;
    const data = [{autocomplete: completer(words)}]; // one source: CodeMirror knows it by identity
    const language = CM.EditorState.languageData.of(() => data);
    const typed = CM.EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      clearTimeout(timer);
      timer = setTimeout(keep, 500);
    });
    const label = CM.EditorView.contentAttributes.of({"aria-label": "Puzzle file (YAML)", tabindex: "0"});
    view.dispatch({effects: CM.StateEffect.appendConfig.of([language, typed, label, bounded(most)])});
    view.dom.parentElement.addEventListener("keydown", (event) => {
      if (event.key === "Tab") event.stopPropagation(); // else it would indent, and keep those in who have no mouse
    }, true);
  });
}
addEventListener("pagehide", keep);

/** A studio that was started again does not know this page's token: the page says so, for it would knock for ever. */
const knocking = setInterval(async () => {
  if (!window.socket || window.socket.connected) return;
  const answer = await fetch("/static/board.css", {cache: "no-store"}).catch(() => null);
  if (answer?.status !== 403) return;
  clearInterval(knocking);
  const [lost, what] = document.querySelectorAll("#popup span");
  lost.textContent = "The studio was started again.";
  what.textContent = "Open it by the address that it has printed: this page is of the one before.";
}, 2000);

/** Underline the problems of a text, with a message at each of their lines. `known` is the text's digest: if the editor
    has another text by now, nothing is done, for that one will be read and marked, too. */
function mark(id, known, places, notes) {
  when(() => desk.view, async () => {
    if (await digest() !== known) return;
    getElement(id).setDecorations(places);
    getElement(id).setLineTooltips(notes);
  });
}

const colour = (id, theme) => when(() => desk.view, () => getElement(id).setTheme(theme));

// The address: which text, and which view

let opened = new URL(location).searchParams.get("open");

/** The text has another key from now on; a reload opens that. */
function rename(key) {
  forget(place());
  desk.key = opened = key;
  desk.base = "";
  const url = new URL(location);
  url.search = "";
  url.searchParams.set("open", key);
  const shown = new URL(location).searchParams.get("view");
  if (shown) url.searchParams.set("view", shown);
  history.replaceState(null, "", url);
}

function view(name) {
  const url = new URL(location);
  url.searchParams.set("view", name);
  history.pushState(null, "", url);
}

/** Show a view before the studio knows: a page whose connection is lost is loaded again, from its address. */
function turn(name) {
  document.querySelector(".studio").className = `studio view-${name}`;
  for (const tab of document.querySelectorAll(".tab"))
    if (tab.classList.contains(`tab-${name}`)) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  emitEvent("studio-view", name);
}

/** A tab is pressed. */
function choose(name) {
  if (!document.querySelector(`.view-${name}`)) view(name);
  turn(name);
}

addEventListener("popstate", () => {
  const {searchParams} = new URL(location);
  if (searchParams.get("open") !== opened) location.reload();
  else turn(searchParams.get("view") || "play");
});

// Keys of the view Play, beside those of the board

const KEYS = {Backspace: "undo", u: "undo", z: "undo", y: "redo", r: "start"};

addEventListener("keydown", (event) => {
  const {target, key} = event, letter = key.toLowerCase(), control = event.ctrlKey || event.metaKey;
  const elsewhere = target.closest?.("input, textarea, .pane-write, .q-menu, .q-dialog");
  if (elsewhere || event.altKey || !(document.querySelector(".view-play") || target.closest?.(".pane-play"))) return;
  const does = control ? {z: event.shiftKey ? "redo" : "undo", y: "redo"}[letter]
    : letter === "z" && event.shiftKey ? "redo" : KEYS[key.length > 1 ? key : letter];
  if (!does) return;
  event.preventDefault();
  document.querySelector(`.play-${does}`)?.click();
});

addEventListener("click", (event) => {
  if (!event.target.closest?.(".skip")) return;
  event.preventDefault();
  const stage = document.querySelector(".play-board .budge-stage");
  (stage?.offsetParent ? stage : [...document.querySelectorAll(".pane:not(.pane-write)")].find((pane) => pane.offsetParent))
    .focus();
});

const dark = () => document.body.classList.contains("body--dark");
const THEME = "budge-studio-theme";

function turnTheme() {
  const value = !dark();
  localStorage.setItem(THEME, value ? "dark" : "light");
  emitEvent("studio-theme", value);
}

const MOTION = "budge-studio-motion";

/** Let things move on the page, or not. */
function motion(on) {
  localStorage.setItem(MOTION, on ? "on" : "off");
  document.documentElement.dataset.budgeMotion = on ? "on" : "off";
}

/** Boards, charts and the editor go by what is shown, whether the user or the system has chosen it. */
function tellTheme() {
  const theme = dark() ? "dark" : "light";
  if (document.documentElement.dataset.budgeTheme === theme) return;
  document.documentElement.dataset.budgeTheme = theme;
  emitEvent("studio-dark", dark());
}

/** A link was opened: the puzzle is behind `#`. */
function linked() {
  if (!location.hash.startsWith("#z=")) return;
  emitEvent("studio-link", location.hash);
  history.replaceState(null, "", location.pathname + location.search);
}

const told = new WeakMap(); // by board: the notation of what was played

/** Give a board its scene (if it is another), its position and its moves, and show beside it what was played. Elements
    that Vue has made are filled here: anything that it knows of would have it draw the whole page anew. */
const play = (id, beside, news) => inOrder(id, () => {
  const element = getHtmlElement(id), [state, counters, history, choices] = beside.map(getHtmlElement);
  const before = told.get(element) || [];
  if (news.scene) element.scene = news.scene;
  element.state = news.state;
  element.moves = news.moves;
  element.choices(choices);
  const {kept, more, shown} = news.played, all = [...before.slice(0, kept), ...more];
  told.set(element, all);
  if (kept === before.length) history.append(...more.map(played));
  else history.replaceChildren(...all.slice(-shown).map(played));
  while (history.childElementCount > shown) history.firstChild.remove();
  counters.replaceChildren(...news.counters.flatMap(([unit, number]) => [text(unit, ""), text(number, "number")]));
  state.textContent = news.solved;
  state.classList.toggle("solved", Boolean(news.solved));
});

function text(said, kind) {
  const element = document.createElement("div");
  element.className = kind;
  element.textContent = said;
  return element;
}

const played = (notation) => text(notation, "played");

const waiting = new Map(); // by board: what is told before the element is there

/** Do things with a board one after the other, as soon as it is there. */
function inOrder(id, then) {
  if (waiting.has(id)) return waiting.get(id).push(then);
  if (getHtmlElement(id)?.say) return then();
  waiting.set(id, [then]);
  when(() => getHtmlElement(id)?.say, () => {
    const all = waiting.get(id);
    waiting.delete(id);
    all.forEach((one) => one());
  });
}

const replay = (id, plan) => when(() => getHtmlElement(id), (element) => { element.plan = plan; });

const paint = (id, ...map) => when(() => getHtmlElement(id), (element) => painter(element, ...map));

globalThis.budgeStudio = {
  arrived, begin, choose, colour, digest, edit, forget, keep, mark, motion, painter: paint, play, rename, replay, turnTheme, view,
};
when(() => window.did_handshake, () => {
  linked();
  const theme = localStorage.getItem(THEME);
  if (theme) emitEvent("studio-theme", theme === "dark");
  if (localStorage.getItem(MOTION) === "off") { motion(false); emitEvent("studio-motion", false); }
  tellTheme();
  new MutationObserver(tellTheme).observe(document.body, {attributeFilter: ["class"]});
});
addEventListener("hashchange", linked);
