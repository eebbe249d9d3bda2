/* The moves of a puzzle whose rules are programs (programs.js). Where the pieces are is found in the rows of the board, as
views/scene.py does; which piece a move takes, and how else it can be made, by the boards before it and after. */
import {ProgramRules} from "./programs.js";

/** @typedef {import("./rules.js").Cell} Cell */
/** @typedef {import("./rules.js").Row} Row */
/** @typedef {import("./programs.js").Programs} Programs */
/** @typedef {import("./rules.js").Option} Option */
/** @typedef {{[id: string]: [number, number, number]}} At */
/** @typedef {{id: string, name: string, label: string, cells: Cell[], faces: any[]}} Piece */
/** @typedef {{row: Row, at: At, cost: number[], solved: boolean, moved?: string[], lines?: string[], pieces?: Piece[],
     via?: {[id: string]: Cell[]}, last?: string}} State */
/** @typedef {{piece?: string, to?: Cell, way?: string, tap?: Cell, weight: number}} Gesture
     another way to make a move on the board: take any piece that it moves, or tap a place that it changes; where several
     moves are made alike, the one of the least weight is meant */
/** @typedef {Option & {also: Gesture[], zone?: [number, number], weight: number, then: () => State}} Move
     `zone`: from which column of words to which something goes */
/** @typedef {{name: string, label: string, faces: any[]}} Kind */
/** @typedef {{style: string, signs: {[char: string]: [kind: string, face: number, stays: number]}, marked: Cell[],
     kinds: {[kind: string]: Kind}, other?: any[], once: string[], still: string[], empty: string[],
     upright?: boolean, turned?: boolean, size?: number}} Look */

const MOST_DRAGGED = 8; // pieces that a move moves which can be made by dragging any of them: no turn of a cube

/** @param {string} id */
const kindOf = id => id.slice(0, id.lastIndexOf(" "));

/** Which piece is on which cell, as `matched` in views/scene.py finds it. @param {[string, [number, number, number]][]} old
    @param {Map<string, Cell>} places @param {string} kind @param {Cell | null} first @param {boolean} moving
    @returns {[string, string][]} */
function matched(old, places, kind, first, moving) {
  const left = new Map(old), cells = new Map(places), before = new Set(left.keys());
  /** @type {[string, string][]} */
  const found = [];
  const join = (/** @type {string} */ id, /** @type {string} */ cell) => { found.push([id, cell]); left.delete(id); cells.delete(cell); };
  for (const [id, [row, column]] of old) if (cells.has(`${row},${column}`)) join(id, `${row},${column}`);
  if (moving) {
    const pairs = [...left].flatMap(([id, [row, column]]) => [...cells].map(([key, [r, c]]) => ({id, key, r, c,
      other: first && row === first[0] && column === first[1] ? 0 : 1, far: Math.abs(row - r) + Math.abs(column - c)})));
    pairs.sort((x, y) => x.other - y.other || x.far - y.far || (x.id < y.id ? -1 : x.id > y.id ? 1 : 0) || x.r - y.r || x.c - y.c);
    for (const {id, key} of pairs) if (left.has(id) && cells.has(key)) join(id, key);
  }
  let number = 1;
  for (const cell of cells.keys()) {
    while (before.has(`${kind} ${number}`)) number += 1;
    found.push([`${kind} ${number++}`, cell]);
  }
  return found;
}

/** A face of a word with another word. @param {any} shapes @param {string} word @returns {any} */
const written = (shapes, word) => Array.isArray(shapes) ? shapes.map((part, i) => typeof part === "string" && i === 2 ? word : written(part, word)) : shapes;

/** The moves of a state as the board offers them. */
export class ProgramMoves {
  /** @param {{programs: Programs, scene: any, units: [string, string][], look: Look}} data */
  constructor(data) {
    this.rules = new ProgramRules(data);
    this.scene = data.scene; this.look = data.look; this.units = data.units;
    this.known = new Set(data.scene.pieces.map((/** @type {Piece} */ {id}) => id));
    this.marked = new Set(data.look.marked.map(String));
  }

  /** @returns {State} */
  get start() {
    const row = this.rules.start, {at, lines} = this.scene.start;
    return {row, at, lines, cost: this.units.map(() => 0), solved: this.rules.solved(row)};
  }

  /** @param {State} here @returns {Move[]} */
  of(here) {
    /** @type {Move[]} */
    const found = [];
    if (this.rules.walks.length) this.#walks(here, found);
    this.rules.each(here.row, (row, cost, step) => {
      if (row.some((word, i) => word !== here.row[i])) found.push(this.#move(here, row, cost, this.rules.act(step, step.row)));
    });
    return found;
  }

  /** The walker alone, to every cell that it reaches for nothing. @param {State} here @param {Move[]} found */
  #walks(here, found) {
    const {places, before, last} = this.rules.reached(here.row), said = [""], rows = [here.row];
    for (let number = 1; number < places.length; number++) {
      const from = before[number], {after, act} = this.rules.done(rows[from], last[number]);
      rows[number] = after;
      said[number] = `${said[from]} ${act.notation}`.trim();
      found.push(this.#move(here, after, here.cost.map(() => 0), {notation: said[number], args: [], where: null, edge: null}));
    }
  }

  /** @param {State} here @param {Row} row @param {number[]} cost @param {import("./programs.js").Made} made @returns {Move} */
  #move(here, row, cost, made) {
    const {notation, args, where} = made, after = this.seen(row, here.at, where), option = this.#option(here.at, after, args, where);
    return {...option, ...this.#gestures(here.at, after, made, option), notation, then: () =>
      ({...after, row, cost: here.cost.map((sum, i) => sum + cost[i]), solved: this.rules.solved(row)})};
  }

  /** What is to be seen of a state. @param {Row} row @param {At} before @param {Cell | null} first where a piece moves from
      @returns {{at: At, moved: string[], lines?: string[], pieces: Piece[]}} */
  seen(row, before, first) {
    const lines = this.rules.board(row), {style, still} = this.look;
    if (style === "lines") return {at: {}, moved: [], lines, pieces: []};
    /** @type {At} */
    const at = {}, places = style === "map" ? this.#ofMap(lines) : this.#ofWords(lines);
    for (const [kind, {cells, faces, stays}] of places) {
      const old = Object.entries(before).filter(([id]) => kindOf(id) === kind);
      for (const [id, key] of matched(old, cells, kind, first, !stays))
        at[id] = [.../** @type {Cell} */ (cells.get(key)), faces.get(key) || 0];
    }
    const fresh = Object.keys(at).filter(id => !(id in before) && !still.includes(kindOf(id)));
    const moved = [...Object.keys(at).filter(id => id in before && (before[id][0] !== at[id][0] || before[id][1] !== at[id][1])), ...fresh];
    const {walker} = this.scene;
    if (moved.length > 1 && moved.includes(walker)) moved.splice(moved.indexOf(walker), 1); // it only follows what it pushes
    return {at, moved, pieces: Object.keys(at).filter(id => !this.known.has(id)).map(id => this.#piece(id))};
  }

  /** @param {string[]} lines */
  #ofMap(lines) {
    const {signs} = this.look, found = new Map();
    lines.forEach((line, r) => [...line].forEach((char, c) => {
      const sign = Object.hasOwn(signs, char) ? signs[char] : null;
      if (!sign ? char.trim() : sign[0] && (sign[1] >= 0 || !this.marked.has(`${r},${c}`)))
        this.#put(found, sign ? sign[0] : char, [r, c], Math.max(0, sign ? sign[1] : 0), Boolean(sign?.[2]));
    }));
    return found;
  }

  /** @param {string[]} lines */
  #ofWords(lines) {
    const {upright, turned, size = 1, still, empty} = this.look, found = new Map();
    lines.forEach((line, n) => {
      const words = line.split(/\s+/).filter(Boolean);
      if (turned) words.reverse();
      words.forEach((word, k) => {
        if (!empty.includes(word)) this.#put(found, word, upright ? [size - 1 - k, n] : [n, k], 0, still.includes(word));
      });
    });
    return found;
  }

  /** @param {Map<string, {cells: Map<string, Cell>, faces: Map<string, number>, stays: boolean}>} found
      @param {string} kind @param {Cell} cell @param {number} face @param {boolean} stays */
  #put(found, kind, cell, face, stays) {
    const of = found.get(kind) || {cells: new Map(), faces: new Map(), stays};
    of.cells.set(String(cell), cell); of.faces.set(String(cell), face);
    found.set(kind, of);
  }

  /** @param {string} id @returns {Piece} */
  #piece(id) {
    const kind = kindOf(id), {kinds, other = [], once} = this.look;
    const {name, label, faces} = Object.hasOwn(kinds, kind) ? kinds[kind]
      : {name: kind, label: kind, faces: [written(other[Math.min(other.length, [...kind].length) - 1] || [], kind)]};
    return {id, name: once.includes(kind) ? name : `${name} ${id.slice(kind.length + 1)}`, label, cells: [[0, 0]], faces};
  }

  /** Which piece a move takes, and where to. @param {At} before @param {{at: At, moved: string[]}} after
      @param {string[]} args @param {Cell | null} where @returns {Omit<Option, "notation">} */
  #option(before, {at, moved}, args, where) {
    const went = moved.filter(id => id in before);
    let mover = went.length === 1 ? went[0] : undefined;
    mover ??= went.find(id => !/^[0-9]+$/.test(this.#label(id)) && args.includes(this.#label(id)));
    if (mover === undefined && where) mover = went.find(id => same(before[id], where));
    if (mover === undefined) return {piece: null, to: null, ...(where ? {tap: where} : {})};
    return {piece: mover, to: [at[mover][0], at[mover][1]], ...wayOf(before[mover], at[mover])};
  }

  /** Other ways to make a move on the board. @param {At} before @param {{at: At, moved: string[]}} after
      @param {import("./programs.js").Made} made @param {Omit<Option, "notation">} option
      @returns {{also: Gesture[], weight: number, zone?: [number, number]}} */
  #gestures(before, {at, moved}, {args, where, edge}, {piece, tap}) {
    const then = kindsAt(at), now = kindsAt(before), went = moved.filter(id => id in before), {style, upright} = this.look;
    const changed = [...new Set([...now.keys(), ...then.keys()])].filter(cell => now.get(cell) !== then.get(cell)).map(cellOf);
    const weight = changed.length, taken = (/** @type {string} */ id, /** @type {Cell} */ to) => ({piece: id, to, ...wayOf(before[id], to), weight});
    /** @type {Gesture[]} */
    const also = (went.length < MOST_DRAGGED ? went : []).filter(id => id !== piece).map(id => taken(id, [at[id][0], at[id][1]]));
    const line = went.length === 1 ? null : shifted(now, then, changed); // one piece over its like is no shift
    if (line) for (const id of Object.keys(before).filter(id => before[id][line.by] === line.at))
      also.push(taken(id, [before[id][0] + line.step[0], before[id][1] + line.step[1]]));
    const named = args.filter(arg => !/^[0-9]+$/.test(arg));
    if (edge) also.push({tap: edge, weight: 0});
    else if (piece == null && !tap) for (const [cell, kind] of now) if (named.includes(kind.slice(kind.lastIndexOf("=") + 1))) also.push({tap: cellOf(cell), weight: 0});
    if ((went.length !== 1 || weight > 2) && !where && !line)
      also.push(...changed.filter(cell => upright || !went.some(id => same(before[id], cell))).map(cell => ({tap: cell, weight})));
    if (style !== "words" || !upright || went.length) return {also, weight};
    const counted = (/** @type {Map<string, string>} */ kinds) => [...kinds.keys()].map(cell => cellOf(cell)[1]).reduce((all, zone) => all.set(zone, (all.get(zone) || 0) + 1), new Map());
    const some = counted(now), more = counted(then), zones = [...new Set([...some.keys(), ...more.keys()])];
    const from = zones.find(zone => (more.get(zone) || 0) < (some.get(zone) || 0)), to = zones.find(zone => (more.get(zone) || 0) > (some.get(zone) || 0));
    return {also, weight, ...(from === undefined && to === undefined ? {} : {zone: [from ?? to, to ?? from]})};
  }

  /** @param {string} id */
  #label(id) {
    const {kinds} = this.look, kind = kindOf(id);
    return Object.hasOwn(kinds, kind) ? kinds[kind].label : kind;
  }
}

/** @param {number[]} a @param {number[]} b */
const same = (a, b) => a[0] === b[0] && a[1] === b[1];
/** @param {string} key @returns {Cell} */
const cellOf = key => /** @type {Cell} */ (key.split(",").map(Number));
/** What is on each cell. @param {At} at */
const kindsAt = at => new Map(Object.entries(at).map(([id, [row, column]]) => [`${row},${column}`, kindOf(id)]));

/** The direction in which one cell lies straight from another. @param {number[]} here @param {number[]} there */
function wayOf([row, column], [toRow, toColumn]) {
  const down = toRow - row, right = toColumn - column;
  return (down === 0) === (right === 0) ? {} : {way: down ? down > 0 ? "D" : "U" : right > 0 ? "R" : "L"};
}

/** Whether a row or a column has been shifted by a place, whatever has come in: which, and how.
    @param {Map<string, string>} now @param {Map<string, string>} then @param {Cell[]} changed
    @returns {{by: 0 | 1, at: number, step: Cell} | null} */
function shifted(now, then, changed) {
  for (const by of /** @type {(0 | 1)[]} */ ([0, 1])) {
    const at = changed[0]?.[by];
    if (changed.length < 2 || changed.some(cell => cell[by] !== at)) continue;
    const line = [...now.keys()].map(cellOf).filter(cell => cell[by] === at);
    for (const one of [1, -1]) {
      /** @type {Cell} */
      const step = by ? [one, 0] : [0, one], moved = line.filter(([row, column]) => then.get(`${row + step[0]},${column + step[1]}`) === now.get(`${row},${column}`));
      if (line.length > 2 && moved.length >= line.length - 1) return {by, at, step};
    }
  }
  return null;
}
