/* What the page of the studio does by itself: completion in the editor, keeping unsaved text, links, themes. It knows
   no rule and asks no other host. Python calls `budgeStudio.*`; the page tells Python with `emitEvent`. */
import * as CM from "nicegui-codemirror";
import {painter} from "./paint.js";

const KEPT = "budge-studio:"; // unsaved texts in this browser, by key
const MOST_KEPT = 30;

/** Waits until `found()` gives something. */
const when = (found, then, tries = 200) => {
  const value = found();
  if (value) then(value);
  else if (tries) setTimeout(() => when(found, then, tries - 1), 25);
};

function keep(key, text) {
  const keys = Object.keys(localStorage).filter((name) => name.startsWith(KEPT));
  if (keys.length >= MOST_KEPT) localStorage.removeItem(keys[0]);
  try { localStorage.setItem(KEPT + key, text); } catch { /* full, or not allowed: the studio keeps it too */ }
}

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

let edited = ""; // the key of the text in the editor

/** Attach to the editor of an element: complete, and keep what is typed. */
function edit(id, key, words) {
  edited = key;
  when(() => getElement(id)?.editor, (view) => {
    let timer = 0;
    const data = [{autocomplete: completer(words)}]; // one source: CodeMirror knows it by identity
    const language = CM.EditorState.languageData.of(() => data);
    const typed = CM.EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      clearTimeout(timer);
      timer = setTimeout(() => keep(edited, update.state.doc.toString()), 300);
    });
    const label = CM.EditorView.contentAttributes.of({"aria-label": "Puzzle file (YAML)", tabindex: "0"});
    view.dispatch({effects: CM.StateEffect.appendConfig.of([language, typed, label])});
    const kept = localStorage.getItem(KEPT + key);
    if (kept !== null && kept !== view.state.doc.toString()) emitEvent("studio-kept", kept);
  });
}

/** The text has another key from now on; a reload opens that. */
function rename(key, address) {
  edited = key;
  history.replaceState(null, "", address);
}

const forget = (key) => localStorage.removeItem(KEPT + key);

const dark = () => document.body.classList.contains("body--dark");
const THEME = "budge-studio-theme";

function turnTheme() {
  const value = !dark();
  localStorage.setItem(THEME, value ? "dark" : "light");
  emitEvent("studio-theme", value);
}

/** Boards, charts and the editor go by what is shown, whether the user or the system has chosen it. */
function tellTheme() {
  const theme = dark() ? "dark" : "light";
  if (document.documentElement.dataset.budgeTheme === theme) return;
  document.documentElement.dataset.budgeTheme = theme;
  emitEvent("studio-dark", dark());
}

/** A link was opened: the puzzle is behind `#`. */
function opened() {
  if (!location.hash.startsWith("#z=")) return;
  emitEvent("studio-link", location.hash);
  history.replaceState(null, "", location.pathname + location.search);
}

const told = new WeakMap(); // by board: the notation of what was played

/** Give a board its scene (if it is another), its position and its moves, and show beside it what was played. Elements
    that Vue has made are filled here: anything that it knows of would have it draw the whole page anew. */
const play = (id, beside, news) => inOrder(id, () => {
  const element = getHtmlElement(id), [state, counters, history] = beside.map(getHtmlElement);
  const before = told.get(element) || [];
  if (news.scene) element.scene = news.scene;
  element.state = news.state;
  element.moves = news.moves;
  const {kept, more, shown} = news.played, all = [...before.slice(0, kept), ...more];
  told.set(element, all);
  if (kept === before.length) history.append(...more.map(played));
  else history.replaceChildren(...all.slice(-shown).map(played));
  while (history.childElementCount > shown) history.firstChild.remove();
  counters.replaceChildren(...news.counters.flatMap(([unit, number]) => [text(unit, ""), text(number, "number")]));
  state.textContent = news.solved ? "Solved!" : "";
  state.classList.toggle("solved", news.solved);
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

globalThis.budgeStudio = {edit, forget, painter: paint, play, rename, replay, turnTheme};
when(() => window.did_handshake, () => {
  opened();
  const theme = localStorage.getItem(THEME);
  if (theme) emitEvent("studio-theme", theme === "dark");
  tellTheme();
  new MutationObserver(tellTheme).observe(document.body, {attributeFilter: ["class"]});
});
addEventListener("hashchange", opened);
