/* A plan on a <budge-board>, to watch step by step: moves as a tree to go back and forth in. <budge-game> of plan.js is no
more than that; game.js adds rules, distances and hints.

Property, or the JSON within the element in a <script type="application/json">:
  plan      {scene, frames}: frames are the rows that each step changes: views/player.py
  number    how many moves there are to where it is; it can be set
Methods: follow(frames, play) adds a plan as a line of the tree and stands at its start; auto() plays on; pause()
Attribute keys="page": keys work wherever the focus is in the page
Event (it bubbles): game, detail {cost, solved, notation, number}: another state is shown */

import {Stage, kindOf} from "./pieces.js";

/** @typedef {[number, number]} Cell */
/** @typedef {import("./pieces.js").At} At */
/** @typedef {{row?: Int32Array, at: At, cost?: number[], solved?: boolean, moved?: string[], via?: {[id: string]: Cell[]},
     lines?: string[], last?: string, pieces?: unknown[]}} Shown what is seen of a state; `row`: where rules go on from */
/** @typedef {import("./pieces.js").Change & {notation: string}} Frame a step */
/** @typedef {{piece?: string | null, to?: Cell | null, way?: string, tap?: Cell, notation: string, slide?: [Cell, string],
     then: () => any}} Move `slide`: from which cell on which way, as letters UDLR */
/** @typedef {string | [Cell, string]} Step a move for Python: its notation, or how it slides */
/** @typedef {{number: number, text: string, step: Step, state: Shown | null, parent: Node | null, children: Node[],
     far?: number[] | null}} Node a state in the tree of moves; `number`: of the move that leads there, -1 if the rules here
   have none; `far`: its distance to the goal, null where there is no way */

const SHEET = 60; // boards that are printed of a plan; of longer ones the first and the last
const LISTED = 400; // moves that are listed
const BEAT = 800; // milliseconds of a step at speed 1
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
/** @type {{[key: string]: string}} */
const WATCHED = {arrowright: "redo", arrowleft: "undo", n: "redo", p: "undo", home: "again", end: "last", " ": "auto"};
/** @type {{[does: string]: [name: string, path: string, word?: string]}} `word`: what a player calls it */
const BUTTONS = {
  again: ["To the start (R)", "M6 5v14M19 5l-9 7 9 7z", "Restart"], undo: ["One move back (Z)", "M16 5l-9 7 9 7z", "Undo"],
  auto: ["Play", "M7 4l13 8-13 8z"], redo: ["One move on (Y)", "M8 5l9 7-9 7z", "Redo"], last: ["To the end", "M18 5v14M5 5l9 7-9 7z"]};
const PAUSE = "M8 5v14M16 5v14";

/** @param {string} tag @param {{[name: string]: string | number}} attributes @param {(string | globalThis.Node)[]} inside */
export function made(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...inside);
  return element;
}

/** @param {string} path */
function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), line = document.createElementNS(svg.namespaceURI || "", "path");
  svg.setAttribute("viewBox", "0 0 24 24"); svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** What is seen of a state, whichever of the pieces that are alike is where. @param {Shown} state */
const seen = ({at, lines}) => JSON.stringify([lines, Object.entries(at).map(([id, place]) => [kindOf(id), place]).sort()]);

/** A tree of moves that has none yet. @returns {Node} */
const beginning = () => ({number: -1, text: "", step: "", state: null, parent: null, children: []});

export class Player extends HTMLElement {
  /** @type {any} */ scene = null;
  /** @type {any} */ stage = null;
  /** @type {any} */ board = null;
  /** @type {Move[]} */ moves = [];
  /** @type {Node} */ root = beginning();
  /** @type {Node} */ now = this.root;
  /** @type {Node} */ line = this.root; // the end of the line that is shown
  /** @type {Map<Element | null, Node>} */ #named = new Map();
  #timer = 0;
  #keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
  #print = () => this.#sheet();

  connectedCallback() {
    const source = this.querySelector("script[type='application/json']");
    if (source) this.given(JSON.parse(source.textContent || "{}"));
    document.addEventListener("keydown", this.#keys);
    addEventListener("beforeprint", this.#print);
  }

  disconnectedCallback() {
    this.pause();
    document.removeEventListener("keydown", this.#keys);
    removeEventListener("beforeprint", this.#print);
  }

  /** The JSON within the element. @param {any} plan */
  given(plan) { this.plan = plan; }

  /** @param {{scene: any, frames: Frame[]} | null} plan */
  set plan(plan) {
    this.reset();
    if (!plan) return;
    this.build(plan.scene);
    this.classList.add("watched");
    this.follow(plan.frames);
  }

  get watched() { return this.classList.contains("watched"); }
  /** The notation of the moves to where the game is. */
  get notation() { return this.path(this.now).map(({text}) => text); }
  /** These moves as Python takes them: each its notation, or how it slides. */
  get played() { return this.path(this.now).map(({step}) => step); }
  get number() { return this.path(this.now).length; }
  set number(number) { this.pause(); this.go([this.root, ...this.path(this.line)][number] || this.line); }

  /** The moves of a state, where there are rules. @param {Shown} _state @returns {Move[]} */
  options(_state) { return []; }

  /** Add a plan as a line of the tree, and stand at its start. @param {Frame[]} frames */
  follow(frames, play = false) {
    let node = this.root, {rows} = this.stage.data;
    node.state ??= this.stage.start;
    for (const frame of frames) {
      const here = this.state(node), state = this.stage.after(rows, here.at, frame);
      const look = seen(state), moves = here.row ? this.options(here) : [], {notation} = frame;
      const found = moves.findIndex(move => seen(move.then()) === look);
      rows = state.rows;
      const next = node.children.find(child => found < 0 ? seen(this.state(child)) === look : child.number === found);
      node = next || this.grown(node, found, moves[found] || {notation, then: () => state});
    }
    this.line = node;
    this.go(this.root);
    if (play) this.auto();
  }

  /** A move as a child of a node. @param {Node} parent @param {number} number @param {Move} move @returns {Node} */
  grown(parent, number, {notation, slide, then}) {
    const node = {number, text: notation, step: slide || notation, state: then(), parent, children: []};
    parent.children.push(node);
    return node;
  }

  /** @param {string} name @returns {HTMLElement} */
  find(name) { return /** @type {HTMLElement} */ (this.querySelector(name)); }

  reset() {
    this.pause();
    this.root = this.now = this.line = beginning();
    this.classList.remove("watched", "solved");
    this.replaceChildren();
  }

  /** @param {any} data @param {HTMLElement[]} buttons more of them @param {HTMLElement[]} beside what stands above the moves */
  build(data, buttons = [], beside = []) {
    this.stage = new Stage(data);
    const scene = this.scene = this.stage.scene;
    const own = Object.entries(BUTTONS).map(([does, [name, path, word = ""]]) =>
      made("button", {type: "button", "data-do": does, "aria-label": name, title: name}, icon(path), made("span", {}, word)));
    const speed = made("select", {"aria-label": "Speed"}, ...SPEEDS.map(by => made("option", {value: by}, `${by}×`)));
    const slider = made("input", {type: "range", min: 0, value: 0, "aria-label": "Move"});
    const list = made("div", {class: "history", tabindex: 0, role: "group", "aria-label": "Moves so far", hidden: ""});
    this.replaceChildren(
      made("div", {class: "stage"}, made("budge-board"), made("div", {class: "tools", role: "group", "aria-label": "Moves"},
        ...own, slider, made("output", {class: "counter"}), speed, ...buttons)),
      made("div", {class: "side"}, ...beside, list), made("div", {class: "sheet", "aria-hidden": "true"}));
    /** @type {HTMLSelectElement} */ (speed).value = "1";
    speed.addEventListener("change", () => { if (this.#timer) this.auto(); });
    slider.addEventListener("input", () => { this.number = Number(/** @type {HTMLInputElement} */ (slider).value); });
    for (const button of [...own, ...buttons]) button.addEventListener("click", () => this.do(button.dataset.do || ""));
    list.addEventListener("click", event => {
      const node = this.#named.get(/** @type {Element} */ (event.target).closest("button"));
      if (node) { this.pause(); this.go(node); }
    });
    this.board = this.find("budge-board");
    this.board.scene = scene;
    const [, , wide, high] = scene.view;
    this.style.setProperty("--ratio", String(wide / high)); this.style.setProperty("--budge-units", `${wide}px`);
  }

  // Going through the tree

  /** The states from the start to one. @param {Node} node @returns {Node[]} */
  path(node) {
    const path = [];
    for (let at = node; at.parent; at = at.parent) path.unshift(at);
    return path;
  }

  /** @param {Node} node @returns {Shown} */
  state(node) {
    const known = node.state;
    if (known) return known;
    return node.state = /** @type {Shown} */ (this.options(this.state(/** @type {Node} */ (node.parent)))[node.number].then());
  }

  /** @param {Node} node */
  go(node) {
    const on = node.parent === this.now;
    this.now = node;
    this.show(on);
  }

  /** @param {string} what */
  do(what) {
    const {parent} = this.now, on = this.on;
    if (what === "auto") return this.#timer ? this.pause() : this.auto();
    this.pause();
    if (what === "undo" && parent) this.go(parent);
    if (what === "redo" && on) this.go(on);
    if (what === "again") this.go(this.root);
    if (what === "last") this.go(this.line);
  }

  /** The next state of the line that is shown. */
  get on() {
    const line = this.path(this.line);
    return this.now.children.find(child => line.includes(child)) || this.now.children[0];
  }

  /** Play the line from here on, or from its start. */
  auto() {
    clearInterval(this.#timer);
    if (!this.on) this.go(this.root);
    const step = () => { const {on} = this; on ? this.go(on) : this.pause(); if (!this.on) this.pause(); };
    this.#timer = setInterval(step, BEAT / this.#speed);
    this.#running("Pause", PAUSE);
  }

  pause() {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#running(BUTTONS.auto[0], BUTTONS.auto[1]);
  }

  get #speed() { return Number(/** @type {HTMLSelectElement} */ (this.find(".tools select")).value); }

  /** @param {string} name @param {string} path */
  #running(name, path) {
    const button = this.find("[data-do=auto]");
    button.setAttribute("aria-label", name); button.title = name;
    button.replaceChildren(icon(path));
  }

  // Showing

  show(via = false) {
    const state = this.state(this.now);
    if (this.now !== this.root && !this.path(this.line).includes(this.now)) this.line = this.now;
    this.moves = state.row ? this.options(state) : [];
    this.board.pace = this.#timer ? Math.round(Math.min(220, BEAT / this.#speed * 0.6)) : 180;
    this.board.state = {...state, moved: this.now.parent ? state.moved || [] : [], via: via ? state.via || {} : {}};
    this.board.moves = this.moves.map(({then, slide, ...move}) => move);
    if (state.solved && this.now.parent) this.board.leave?.();
    this.classList.toggle("solved", Boolean(state.solved));
    this.#bar();
    this.list();
    const detail = {cost: state.cost, solved: state.solved, notation: this.notation, number: this.number};
    this.dispatchEvent(new CustomEvent("game", {bubbles: true, detail}));
  }

  #bar() {
    const {on, watched} = this, {parent, text} = this.now, length = this.path(this.line).length, where = `${this.number} of ${length}`;
    for (const [name, able] of Object.entries({undo: parent, redo: on, again: parent, last: on, auto: length}))
      /** @type {HTMLButtonElement} */ (this.find(`[data-do=${name}]`)).disabled = !able;
    const slider = /** @type {HTMLInputElement} */ (this.find("input[type=range]"));
    slider.hidden = !watched; slider.max = String(length); slider.value = String(this.number);
    slider.setAttribute("aria-valuetext", `${where}, ${text}`);
    if (watched) this.find(".counter").replaceChildren(where, made("span", {class: "budge-live"}, text && `, ${text}`));
  }

  /** What is said of a move in the list, as {dead, said}. @param {Node} _node @returns {{said: string} | null} */
  fault(_node) { return null; }

  /** The tree as a line of moves, with branches in brackets behind the move that they replace. */
  list() {
    const list = this.find(".history"), line = this.path(this.line); // moves to where one was last
    this.#named = new Map();
    const named = (/** @type {Node} */ node, /** @type {number} */ depth) => {
      const button = made("button", {type: "button"}, made("small", {}, `${depth}`), ` ${node.text}`), fault = this.fault(node);
      if (node === this.now) button.setAttribute("aria-current", "step");
      if (fault) { button.className = "lost"; button.title = fault.said; }
      this.#named.set(button, node);
      return button;
    };
    /** @param {Node} node @param {number} depth @returns {HTMLElement[]} */
    const moves = (node, depth) => {
      const shown = [];
      for (let at = node; at.children.length && this.#named.size < LISTED; depth++) {
        const [main, ...others] = at.children;
        shown.push(named(main, depth));
        for (const other of others) shown.push(made("span", {class: "branch"}, named(other, depth), ...moves(other, depth + 1)));
        at = main;
      }
      return shown;
    };
    const skipped = Math.max(0, line.indexOf(this.now) - LISTED / 2);
    list.replaceChildren(...moves(skipped ? line[skipped - 1] : this.root, skipped + 1));
    list.hidden = !list.children.length;
    const current = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
    list.scrollTop = current ? current.offsetTop - list.offsetTop - list.clientHeight / 2 : 0;
  }

  /** Whether a key belongs to what has the focus, or to another part of the page. @param {KeyboardEvent} event */
  foreign(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    return event.defaultPrevented || !this.scene || !this.checkVisibility()
      || Boolean(target.closest?.("input, select, textarea, summary, [contenteditable], dialog"));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target), name = WATCHED[event.key.toLowerCase()];
    if (!name || this.foreign(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.getAttribute("keys") !== "page" && !this.contains(target)) return;
    if (event.key === " " && target.closest?.("button")) return;
    event.preventDefault();
    this.do(name);
  }

  /** What is printed of a plan: every position, or the first and the last of many. */
  #sheet() {
    const sheet = this.find(".sheet"), nodes = [this.root, ...this.path(this.line)], last = nodes.length - 1;
    if (!this.watched || sheet.children.length) return;
    nodes.forEach((node, number) => {
      if (last > SHEET && number && number < last) return;
      const board = /** @type {any} */ (made("budge-board"));
      sheet.append(made("figure", {}, board, made("figcaption", {}, number ? `${number}. ${node.text}` : "Start")));
      board.scene = this.scene;
      board.state = {...this.state(node), via: {}};
    });
  }
}
