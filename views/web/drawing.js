/* What <budge-board> shows: a scene and a position of it. Pages of plans have this alone; `board.js` adds what the user does.

Properties (each may be set at any time, in any order; pieces.js makes them of boards):
  scene   what there is: {title, goal, cell, view, ground, pieces, over, walker, direct, start, far?}
  state   a position: {at: {id: [row, column, face?]}, lines?, moved?: [id], via?: {id: [[row, column], ...]}, pieces?}
          pieces that `at` does not name are gone; `moved` are marked; `via` are the cells that a piece goes over;
          `pieces` are those that the scene does not have yet. Default: scene.start
  pace    milliseconds of one movement (180)

Methods: say(text) has a screen reader say it; leave() lets the piece at the scene's exit drive out; place(id) gives
[row, column, face] or null. */

/** @typedef {import("./pieces.js").Cell} Cell */
/** @typedef {import("./pieces.js").Piece} Piece */
/** @typedef {[tag: string, attributes: {[name: string]: unknown}, inside?: string | any[]]} Shape text or shapes within */
/** @typedef {import("./pieces.js").SceneData & {pieces: Piece[], start: State, far?: boolean}} Scene */
/** @typedef {Omit<import("./pieces.js").Seen, "moved"> & {moved?: string[], via?: {[id: string]: Cell[]}}} State */
/** @typedef {{stage: HTMLElement, svg: SVGSVGElement, targets: Element, tokens: Element, words: Element, live: HTMLElement}} Parts */

const SVG = "http://www.w3.org/2000/svg";
/** @type {{[way: string]: Cell}} */
export const WAYS = {U: [-1, 0], D: [1, 0], L: [0, -1], R: [0, 1]};
/** @param {number[]} a @param {number[]} b */
export const same = (a, b) => a[0] === b[0] && a[1] === b[1];
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches || document.documentElement.dataset.budgeMotion === "off";

/** A shape of the scene as an SVG element. @param {Shape} shape @returns {SVGElement} */
export function drawn([tag, attributes, inside]) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (typeof inside === "string") element.textContent = inside;
  else element.append(...(inside || []).map(drawn));
  return element;
}

/** A line of text as lines of at most some characters, parted behind commas: small letters cannot be read.
    @param {string} line @param {number} most */
function folded(line, most) {
  const lines = [""];
  for (const word of line.split(/(?<=, )/))
    if (!lines[lines.length - 1] || lines[lines.length - 1].length + word.trimEnd().length <= most) lines.push(lines.pop() + word);
    else lines.push("  " + word);
  return lines;
}

export class Board extends HTMLElement {
  /** @type {Map<string, SVGElement>} */ tokens = new Map();
  /** @type {Map<string, Piece>} */ pieces = new Map();
  /** @type {import("./pieces.js").At} */ at = {};
  /** @type {Parts} the elements it is made of */ parts = /** @type {any} */ (null);
  /** @type {Scene} */ #scene = /** @type {any} */ (null);
  /** @type {State | null} */ #state = null;
  /** @type {ResizeObserver | null} */ #width = null;
  /** @type {Animation | null} */ #out = null;
  #pace = 180;

  get scene() { return this.#scene; }
  set scene(scene) { this.#scene = scene; this.#state = null; this.#build(); }
  get state() { return this.#state || this.#scene?.start; }
  set state(state) { this.#state = state; this.#show(); }
  get pace() { return this.#pace; }
  set pace(pace) { this.#pace = pace; this.style.setProperty("--budge-pace", `${pace}ms`); }

  connectedCallback() {
    const own = /** @type {any} */ (this);
    for (const name of ["scene", "state", "moves", "pace"]) // set before the element was defined
      if (Object.hasOwn(own, name)) { const value = own[name]; delete own[name]; own[name] = value; }
  }

  /** @param {string} id */
  place(id) { return this.at[id] || null; }

  /** @param {string} text */
  say(text) { if (this.parts) this.parts.live.textContent = text; }

  /** Say what can be done with the board: nothing, it is a picture. */
  offer() { this.label("img", this.scene.title); }

  /** What the board is to a screen reader. @param {string} role @param {string} text */
  label(role, text) {
    const {stage} = this.parts;
    stage.setAttribute("role", role); stage.setAttribute("aria-label", text);
    stage.tabIndex = role === "img" ? -1 : 0;
  }

  #build() {
    this.tokens.clear(); this.pieces.clear(); this.at = {}; this.parts = /** @type {any} */ (null);
    if (!this.scene) return this.replaceChildren();
    const scene = this.scene, stage = document.createElement("div"), live = document.createElement("div");
    stage.className = "budge-stage";
    live.className = "budge-live"; live.setAttribute("aria-live", "polite"); live.setAttribute("role", "status");
    const svg = /** @type {SVGSVGElement} */ (drawn(["svg", {class: "budge-board", "aria-hidden": "true", "font-family": "system-ui,sans-serif", preserveAspectRatio: "xMinYMin"}, [
      ["g", {class: "under"}, scene.ground], ["g", {class: "targets"}], ["g", {class: "tokens"}],
      ["g", {class: "over"}, scene.over], ["g", {class: "words"}]]]));
    const [, targets, tokens, , words] = svg.children;
    stage.append(svg);
    this.parts = {stage, svg, targets, tokens, words, live};
    scene.pieces.forEach(piece => this.#add(piece));
    this.replaceChildren(stage, live);
    this.#fit(scene.view);
    this.#show(true);
    this.offer();
    this.#width?.disconnect();
    if (!scene.start.lines) return;
    this.#width = new ResizeObserver(() => this.#write(this.state.lines || [])); // also when it comes into view
    this.#width.observe(this);
  }

  /** @param {Piece} piece */
  #add(piece) {
    if (this.tokens.has(piece.id)) return;
    const token = drawn(["g", {class: "token gone"}, piece.faces.map(face => ["g", {class: "face"}, face])]);
    token.dataset.id = piece.id;
    this.tokens.set(piece.id, token); this.pieces.set(piece.id, piece);
    this.parts.tokens.append(token);
  }

  /** @param {number[]} view */
  #fit([left, top, wide, high]) {
    const {svg} = this.parts;
    svg.setAttribute("viewBox", `${left} ${top} ${wide} ${high}`);
    svg.style.setProperty("--budge-units", `${wide}px`); svg.style.setProperty("--budge-ratio", String(wide / high));
    svg.style.aspectRatio = `${wide} / ${high}`;
  }

  /** Put a piece to a place. @param {SVGElement} token @param {number[]} place */
  shift(token, [row, column]) {
    const [wide, high] = this.scene.cell;
    token.style.transform = `translate(${column * wide}px, ${row * high}px)`;
  }

  #show(first = false) {
    if (!this.parts) return;
    const {at, moved = [], via = {}, lines, pieces = []} = this.state, before = this.at, told = /** @type {string[]} */ ([]);
    this.#out?.cancel();
    pieces.forEach(piece => this.#add(piece));
    // What moves is drawn last, over its neighbours; the flush keeps its way there a smooth one.
    for (const token of moved.map(id => this.tokens.get(id))) if (token) this.parts.tokens.append(token);
    if (moved.length && !first) this.parts.svg.getBoundingClientRect();
    for (const [id, token] of this.tokens) {
      const old = before[id], now = at[id] || null, {name} = /** @type {Piece} */ (this.pieces.get(id));
      token.classList.toggle("moved", moved.includes(id));
      if (!first && old && now && same(old, now) && old[2] === now[2]) {
        this.shift(token, now); // where it was dropped for a move that was not made
        continue;
      }
      token.classList.toggle("gone", !now);
      if (now && !old) token.classList.add("dragged"); // it appears where it is, and does not fly there
      else token.classList.remove("dragged");
      if (!now) { if (old) told.push(`${name} is gone`); continue; }
      [.../** @type {NodeListOf<SVGElement>} */ (token.childNodes)].forEach((face, number) => { face.style.display = number === (now[2] || 0) ? "" : "none"; });
      if (old && via[id] && !still() && this.#pace) this.#walk(token, [old, ...via[id]]);
      this.shift(token, now);
      if (!first && !(old && same(old, now))) told.push(`${name} to ${this.called(now)}`);
    }
    this.at = at;
    if (lines) this.#write(lines);
    const {stage} = this.parts, said = told.length < 5 ? told.join("; ") : "";
    /** @type {any} */ (globalThis).budgeZoom?.(this, first);
    if (stage.classList.contains("playable")) this.say(said);
    else if (!first) stage.setAttribute("aria-label", [this.scene.title, said].filter(Boolean).join(". "));
  }

  /** Let the piece at the exit go out by it: the puzzle is solved. */
  leave() {
    const {exit, cell: [wide, high]} = this.scene, id = exit && this.hit(exit[0].map((/** @type {number} */ n) => n + 0.5));
    if (!id || still()) return;
    const [row, column] = this.at[id], [down, right] = WAYS[exit[1]], far = 3;
    const moved = (/** @type {number} */ r, /** @type {number} */ c) => `translate(${c * wide}px, ${r * high}px)`;
    this.#out = /** @type {SVGElement} */ (this.tokens.get(id)).animate(
      [{transform: moved(row, column)}, {transform: moved(row + far * down, column + far * right), opacity: 0}],
      {delay: this.#pace, duration: 700, easing: "ease-in", fill: "forwards"});
  }

  /** Let a piece go along cells instead of straight to where it belongs. @param {SVGElement} token @param {number[][]} cells */
  #walk(token, cells) {
    const [wide, high] = this.scene.cell;
    token.animate(
      cells.map(([row, column]) => ({transform: `translate(${column * wide}px, ${row * high}px)`})),
      {duration: this.#pace * Math.min(3, Math.sqrt(cells.length)), easing: "linear"});
  }

  /** @param {string[]} lines */
  #write(lines) {
    const {words} = this.parts, high = 30, most = Math.max(30, Math.floor(Math.min(this.clientWidth || 640, 640) / 8.5));
    const shown = lines.flatMap(line => folded(line, most)), wide = Math.max(8, ...shown.map(line => [...line].length));
    words.replaceChildren(...shown.map((line, row) => drawn(
      ["text", {x: 12, y: 28 + row * high, class: "ink line", "font-size": 18}, line])));
    const [, , least, lowest] = this.scene.view;
    this.#fit([0, 0, Math.max(Math.min(least, most * 11 + 24), wide * 11 + 24), Math.max(lowest, shown.length * high + 16)]);
  }

  /** What a cell is called. @param {number[]} cell */
  called([row, column]) {
    return `row ${row + 1}, column ${column + 1}`;
  }

  /** The piece on a point. @param {number[]} point */
  hit([row, column]) {
    const cell = [Math.floor(row), Math.floor(column)];
    let found = null;
    for (const [id, piece] of this.pieces) {
      const at = this.at[id];
      if (at && piece.cells.some(([r, c]) => same(cell, [at[0] + r, at[1] + c]))) found = id;
    }
    return found;
  }
}
