/* Where pieces are on a board that is rows of text, and which piece of one board is which of the next. views/scene.py says
what a scene is; `Stage` makes of it what <budge-board> takes. */

/** @typedef {[number, number]} Cell row and column */
/** @typedef {{[id: string]: [number, number, number]}} At place and face of each piece */
/** @typedef {{name: string, label: string, cells: Cell[], faces: any[]}} Kind */
/** @typedef {Kind & {id: string}} Piece */
/** @typedef {{style: string, rows: string[], kinds: {[kind: string]: Kind}, signs: {[char: string]: [kind: string, face: number]},
     still: string[], walker: string | null, marked?: Cell[], other?: any[], empty?: string[], upright?: boolean,
     turned?: boolean, size?: number, [other: string]: any}} SceneData */
/** @typedef {{at: At, moved: string[], lines?: string[], pieces?: Piece[]}} Seen what is seen of a state: `moved` is
     elsewhere than before, `pieces` were not there at the start */
/** @typedef {{rows: {[number: string]: string | null}, slide?: [Cell, string], where?: Cell}} Change the rows that a move
     changes; from which cell on which way it slides something, or the cell that it names */

/** @type {{[way: string]: Cell}} */
const STEPS = {U: [-1, 0], D: [1, 0], L: [0, -1], R: [0, 1], "-": [0, 0]};
const FIRST = 1e6; // more than any two cells are apart

/** @param {number[]} cell */
export const key = ([row, column]) => `${row},${column}`;
/** The cells of a way; `-` is a step in which nothing moves. @param {number[]} cell @param {string} path @returns {Cell[]} */
export const along = ([row, column], path) => [...path].map(way => [row += STEPS[way][0], column += STEPS[way][1]]);
/** @param {string} id */
export const kindOf = id => id.replace(/ \d+$/, "");

/** The rows of a board after a move. @param {string[]} rows @param {Change} change */
export function changed(rows, change) {
  /** @type {(string | null)[]} */
  const after = [...rows];
  for (const [number, row] of Object.entries(change.rows)) after[+number] = row;
  return /** @type {string[]} */ (after.filter(row => row !== null));
}

/** Which piece of a kind is on which cell: those that stay, then what stood on `first`, then the nearest pairs, then pieces
    that were not there; those that do not move stay or vanish. @param {[string, number[]][]} old
    @param {Map<string, number[]>} places @param {(number: number) => string} named @param {Cell | null} first
    @param {boolean} moving @returns {[id: string, cell: string][]} */
export function matched(old, places, named, first, moving) {
  const left = new Map(old), free = new Set(places.keys());
  /** @type {[string, string][]} */
  const found = [];
  const join = (/** @type {string} */ id, /** @type {string} */ cell) => {
    if (left.has(id) && free.has(cell)) { found.push([id, cell]); left.delete(id); free.delete(cell); }
  };
  for (const [id, place] of old) join(id, key(place));
  const pairs = moving ? [...left].flatMap(([id, from]) => [...free].map(cell => {
    const [row, column] = /** @type {number[]} */ (places.get(cell)), far = Math.abs(row - from[0]) + Math.abs(column - from[1]);
    return {id, cell, far: first && key(first) === key(from) ? far - FIRST : far};
  })) : [];
  for (const {id, cell} of pairs.sort((a, b) => a.far - b.far)) join(id, cell);
  let number = 1;
  for (const cell of free) {
    while (old.some(([id]) => id === named(number))) number += 1;
    found.push([named(number++), cell]);
  }
  return found;
}

/** A face of a word with another word. @param {any} shapes @param {string} word @returns {any} */
const written = (shapes, word) => Array.isArray(shapes) ? shapes.map((part, i) => typeof part === "string" && i === 2 ? word : written(part, word)) : shapes;

export class Stage {
  /** @param {SceneData} data */
  constructor(data) {
    this.data = data;
    this.marked = new Set((data.marked || []).map(key));
    this.walker = data.walker && this.#id(data.walker, 1);
    const places = this.#places(data.rows);
    this.once = new Set([...places].filter(([, cells]) => cells.size === 1).map(([kind]) => kind));
    /** @type {Set<string>} */
    this.known = new Set();
    const {pieces, ...start} = this.look(data.rows, {});
    this.known = new Set(Object.keys(start.at));
    this.start = start;
    this.scene = {...data, walker: this.walker, pieces: pieces || [], start};
  }

  /** What is to be seen of a board. @param {string[]} rows @param {At} before where pieces were
      @param {Cell | null} [first] the cell of a piece that moves @returns {Seen} */
  look(rows, before, first = null) {
    const {style, still} = this.data, {walker} = this;
    if (style === "lines") return {at: {}, moved: [], lines: rows};
    /** @type {At} */
    const at = {};
    for (const [kind, places] of this.#places(rows)) {
      const old = Object.entries(before).filter(([id]) => kindOf(id) === kind);
      for (const [id, key] of matched(old, places, number => this.#id(kind, number), first, !still.includes(kind)))
        at[id] = /** @type {[number, number, number]} */ (places.get(key));
    }
    const ids = Object.keys(at), fresh = ids.filter(id => !(id in before) && !(style === "words" && still.includes(kindOf(id))));
    const moved = [...ids.filter(id => id in before && key(before[id]) !== key(at[id])), ...fresh];
    if (moved.length > 1 && walker && moved.includes(walker)) moved.splice(moved.indexOf(walker), 1); // it only follows what it pushes
    return {at, moved, pieces: ids.filter(id => !this.known.has(id)).map(id => this.#piece(id))};
  }

  /** What is to be seen behind a move, and the rows there. @param {string[]} rows @param {At} before @param {Change & {notation?: string}} change */
  after(rows, before, change) {
    const next = changed(rows, change), {slide, where = slide?.[0]} = change;
    return {rows: next, ...this.look(next, before, where || null), via: this.via(before, slide, change.notation)};
  }

  /** The cells that pieces go over in a move, where these are more than one. The letters of a player's notation are all
      steps, capitals push: a box waits until the player is there, so it has as many cells.
      @param {At} at @param {[Cell, string]} [slide] @param {string} [notation] @returns {{[id: string]: Cell[]}} */
  via(at, slide, notation = "") {
    const {walker} = this, id = slide && Object.keys(at).find(id => key(at[id]) === key(slide[0]));
    const walked = walker && notation.length > 1 && /^[udlr]+$/i.test(notation);
    return {...(walked ? {[walker]: along(at[walker], notation.toUpperCase())} : {}),
      ...(slide && id && id !== walker && (walked || slide[1].length > 1) ? {[id]: along(slide[0], walked ? notation.replace(/[a-z]/g, "-") : slide[1])} : {})};
  }

  /** @param {string} kind @param {number} number */
  #id(kind, number) { return this.data.style === "pieces" ? kind : `${kind} ${number}`; }

  /** What a piece looks like. @param {string} id @returns {Kind} */
  kind(id) {
    const {kinds, other = []} = this.data, kind = kindOf(id);
    return Object.hasOwn(kinds, kind) ? kinds[kind]
      : {name: kind, label: kind, cells: [[0, 0]], faces: written(other[Math.min(other.length, [...kind].length) - 1] || [], kind)};
  }

  /** @param {string} id @returns {Piece} */
  #piece(id) {
    const kind = kindOf(id), {name, ...drawn} = this.kind(id);
    return {id, ...drawn, name: id === kind || this.once.has(kind) ? name : `${name} ${id.slice(kind.length + 1)}`};
  }

  /** The places of each kind of pieces, with the face that is shown. @param {string[]} rows */
  #places(rows) {
    const {style, signs, empty = [], upright, turned, size = 1} = this.data;
    /** @type {Map<string, Map<string, [number, number, number]>>} */
    const found = new Map();
    const put = (/** @type {string} */ kind, /** @type {number} */ row, /** @type {number} */ column, face = 0) => {
      const own = found.get(kind) || new Map();
      if (style !== "pieces" || !own.size) own.set(key([row, column]), [row, column, face]);
      found.set(kind, own);
    };
    rows.forEach((line, n) => {
      if (style === "words") {
        const words = line.split(/\s+/).filter(Boolean);
        if (turned) words.reverse();
        words.forEach((word, k) => empty.includes(word) || (upright ? put(word, size - 1 - k, n) : put(word, n, k)));
      } else [...line].forEach((char, column) => {
        const [kind, face] = Object.hasOwn(signs, char) ? signs[char] : [style === "map" ? char.trim() : "", 0];
        if (kind && (face >= 0 || !this.marked.has(key([n, column])))) put(kind, n, column, Math.max(0, face));
      });
    });
    return found;
  }
}
