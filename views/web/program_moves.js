/* The moves of a puzzle whose rules are programs (programs.js). Where the pieces are is found in the rows of the board;
which piece a move takes, and how else it can be made, by the boards before it and after. */
import {key, kindOf} from "./pieces.js";
import {ProgramRules} from "./programs.js";

/** @typedef {import("./rules.js").Cell} Cell */
/** @typedef {import("./rules.js").Row} Row */
/** @typedef {import("./programs.js").Programs} Programs */
/** @typedef {import("./rules.js").Option} Option */
/** @typedef {import("./pieces.js").At} At */
/** @typedef {import("./pieces.js").Seen} Seen */
/** @typedef {import("./pieces.js").Stage} Stage */
/** @typedef {{row: Row, at: At, cost: number[], solved: boolean, moved?: string[], lines?: string[], pieces?: unknown[],
     via?: {[id: string]: Cell[]}, last?: string}} State */
/** @typedef {{piece?: string, to?: Cell, way?: string, tap?: Cell, weight: number}} Gesture
     another way to make a move on the board: take any piece that it moves, or tap a place that it changes; where several
     moves are made alike, the one of the least weight is meant */
/** @typedef {Option & {also: Gesture[], zone?: [number, number], weight: number, then: () => State}} Move
     `zone`: from which column of words to which something goes */

const MOST_DRAGGED = 8; // pieces that a move moves which can be made by dragging any of them: no turn of a cube

/** The moves of a state as the board offers them. */
export class ProgramMoves {
  /** @param {{programs: Programs, units: [string, string][]}} data @param {Stage} stage */
  constructor(data, stage) {
    this.rules = new ProgramRules(data);
    this.stage = stage; this.units = data.units;
  }

  /** @returns {State} */
  get start() {
    const row = this.rules.start;
    return {row, ...this.stage.start, cost: this.units.map(() => 0), solved: this.rules.solved(row)};
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
    const after = this.stage.look(this.rules.board(row), here.at, made.where);
    return {...offered(this.stage, here.at, after, made), notation: made.notation, then: () =>
      ({...after, row, cost: here.cost.map((sum, i) => sum + cost[i]), solved: this.rules.solved(row)})};
  }
}

/** How a move is made on the board, by the boards before it and after: which piece it takes, and where to; and other ways.
    @param {Stage} stage @param {At} before @param {Seen} after @param {{args: string[], where?: Cell | null, edge?: Cell | null}} made
    @returns {Omit<Move, "notation" | "then">} */
export function offered(stage, before, after, {args, where = null, edge = null}) {
  const option = optionOf(stage, before, after, args, where);
  return {...option, ...gestures(stage, before, after, {args, where, edge}, option)};
}

/** @param {Stage} stage @param {At} before @param {Seen} after @param {string[]} args @param {Cell | null} where
    @returns {Omit<Option, "notation">} */
function optionOf(stage, before, {at, moved}, args, where) {
  const went = moved.filter(id => id in before), named = (/** @type {string} */ id) => !/^[0-9]+$/.test(stage.kind(id).label) && args.includes(stage.kind(id).label);
  const mover = went.length === 1 ? went[0] : went.find(named) ?? (where ? went.find(id => key(before[id]) === key(where)) : undefined);
  if (mover === undefined) return {piece: null, to: null, ...(where ? {tap: where} : {})};
  return {piece: mover, to: [at[mover][0], at[mover][1]], ...wayOf(before[mover], at[mover])};
}

/** @param {Stage} stage @param {At} before @param {Seen} after
    @param {{args: string[], where: Cell | null, edge: Cell | null}} made @param {Omit<Option, "notation">} option
    @returns {{also: Gesture[], weight: number, zone?: [number, number]}} */
function gestures(stage, before, {at, moved}, {args, where, edge}, {piece, tap}) {
  const then = kindsAt(at), now = kindsAt(before), went = moved.filter(id => id in before), {style, upright} = stage.data;
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
    also.push(...changed.filter(cell => upright || !went.some(id => key(before[id]) === key(cell))).map(cell => ({tap: cell, weight})));
  if (style !== "words" || !upright || went.length) return {also, weight};
  const counted = (/** @type {Map<string, string>} */ kinds) => [...kinds.keys()].map(cell => cellOf(cell)[1]).reduce((all, zone) => all.set(zone, (all.get(zone) || 0) + 1), new Map());
  const some = counted(now), more = counted(then), zones = [...new Set([...some.keys(), ...more.keys()])];
  const from = zones.find(zone => (more.get(zone) || 0) < (some.get(zone) || 0)), to = zones.find(zone => (more.get(zone) || 0) > (some.get(zone) || 0));
  return {also, weight, ...(from === undefined && to === undefined ? {} : {zone: [from ?? to, to ?? from]})};
}

/** @param {string} key @returns {Cell} */
const cellOf = key => /** @type {Cell} */ (key.split(",").map(Number));
/** What is on each cell. @param {At} at */
const kindsAt = at => new Map(Object.entries(at).map(([id, place]) => [key(place), kindOf(id)]));

/** The direction in which one cell lies straight from another. @param {number[]} here @param {number[]} there */
export function wayOf([row, column], [toRow, toColumn]) {
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
