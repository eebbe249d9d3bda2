/* How far it is to the goal from each state of a puzzle: all states are visited forward from the start, then distances
are told backward from the goals (uniform-cost search). It runs in a worker beside the page, a slice at a time.

Messages to the worker: {game, most} begins; {ask: number, rows: Row[]} asks for distances. From it:
{states, done, more?, optimum?} while it goes on; {answer: number, distances: (number[] | null)[]}, where null is no way. */
import {rulesOf} from "./rules.js";

/** @typedef {import("./rules.js").Row} Row */

const SLICE = 40; // milliseconds between two looks at messages
const LARGEST = 40e6; // moves that are kept

/** A list of numbers that grows. @template {Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>} T */
class Growing {
  /** @param {T} values */
  constructor(values) { this.values = values; this.length = 0; }
  /** @param {number} value */
  push(value) {
    if (this.length === this.values.length) this.room(1);
    this.values[this.length++] = value;
  }
  /** @param {number} more */
  room(more) {
    if (this.length + more <= this.values.length) return;
    const old = this.values;
    this.values = /** @type {T} */ (new /** @type {any} */ (old.constructor)(2 * (old.length + more)));
    this.values.set(old);
  }
}

export class Exploration {
  /** `most`: the most states that are visited. @param {import("./rules.js").Data} data @param {number} most */
  constructor(data, most) {
    this.rules = rulesOf(data);
    this.most = most;
    this.parts = data.units.length;
    this.base = 2 ** Math.min(26, Math.floor(52 / this.parts)); // costs, the first the most important, as one number
    this.width = this.rules.start.length;
    this.rows = new Growing(new Int32Array(1 << 12));
    this.table = new Int32Array(1 << 12).fill(-1); // numbers of states by their hash
    this.states = 0;
    this.next = 0; // the state that is expanded next
    this.first = new Growing(new Int32Array(1 << 10)); // the first move of each state
    this.targets = new Growing(new Int32Array(1 << 12));
    this.prices = new Growing(new Uint8Array(1 << 12)); // of each move: which of `price`
    /** @type {number[]} */
    this.price = [];
    /** @type {Map<number, number>} */
    this.priced = new Map();
    /** @type {Float64Array | null} */
    this.distances = null;
    this.more = false; // there are more states than may be visited
    this.number(this.rules.canonical(this.rules.start));
  }

  get done() { return this.more || this.distances !== null; }

  /** @param {Row} row */
  #place(row) {
    let hash = 0;
    for (let i = 0; i < this.width; i++) hash = Math.imul(hash ^ row[i] ^ (hash >>> 15), 0x9e3779b1) + i;
    hash ^= hash >>> 16;
    const {values} = this.rows, mask = this.table.length - 1;
    for (let place = hash & mask; ; place = place + 1 & mask) {
      const state = this.table[place];
      if (state < 0) return place;
      let i = 0;
      while (i < this.width && values[state * this.width + i] === row[i]) i++;
      if (i === this.width) return place;
    }
  }

  /** The number of a state, which is a new one if it was not seen before. @param {Row} row */
  number(row) {
    const place = this.#place(row);
    if (this.table[place] >= 0) return this.table[place];
    this.rows.room(this.width);
    this.rows.values.set(row, this.rows.length);
    this.rows.length += this.width;
    this.table[place] = this.states++;
    if (this.states * 2 > this.table.length) {
      this.table = new Int32Array(2 * this.table.length).fill(-1);
      for (let state = 0; state < this.states; state++) this.table[this.#place(this.row(state))] = state;
    }
    return this.states - 1;
  }

  /** @param {number} state */
  row(state) { return this.rows.values.subarray(state * this.width, (state + 1) * this.width); }

  /** @param {number[]} cost */
  one(cost) { return cost.reduce((sum, part) => sum * this.base + part, 0); }

  /** @param {number} sum @returns {number[]} */
  cost(sum) {
    const parts = [];
    for (let i = 0; i < this.parts; i++) { parts.unshift(sum % this.base); sum = Math.floor(sum / this.base); }
    return parts;
  }

  /** Go on for some milliseconds; whether it is done. @param {number} milliseconds */
  run(milliseconds) {
    const end = performance.now() + milliseconds;
    while (!this.done) {
      if (this.next === this.states) this.#backward();
      else if (this.states > this.most || this.targets.length > LARGEST) this.more = true;
      else this.#expand();
      if (this.next % 16 === 0 && performance.now() > end) break;
    }
    return this.done;
  }

  #expand() {
    const here = this.row(this.next).slice();
    this.first.push(this.targets.length);
    this.next += 1;
    this.rules.each(here, (row, cost) => {
      const sum = this.one(cost);
      let price = this.priced.get(sum);
      if (price === undefined) this.priced.set(sum, price = this.price.push(sum) - 1);
      if (price > 255) throw new RangeError("more than 256 costs of a move");
      this.targets.push(this.number(this.rules.canonical(row)));
      this.prices.push(price);
    });
  }

  /** Distances from all states to the nearest goal: Dijkstra's algorithm on the moves turned around. */
  #backward() {
    const {states, targets, prices, first} = this, from = new Int32Array(targets.length);
    first.push(targets.length);
    const ends = new Int32Array(states + 1);
    for (let move = 0; move < targets.length; move++) ends[targets.values[move] + 1]++;
    for (let state = 0; state < states; state++) ends[state + 1] += ends[state];
    const place = ends.slice(), by = new Uint8Array(targets.length);
    for (let state = 0; state < states; state++)
      for (let move = first.values[state]; move < first.values[state + 1]; move++) {
        const slot = place[targets.values[move]]++;
        from[slot] = state; by[slot] = prices.values[move];
      }
    const far = new Float64Array(states).fill(Infinity);
    /** @type {Map<number, number[]>} */
    const waiting = new Map(), open = new Heap();
    const reach = (/** @type {number} */ state, /** @type {number} */ distance) => {
      if (distance >= far[state]) return;
      far[state] = distance;
      const same = waiting.get(distance);
      if (same) same.push(state);
      else { waiting.set(distance, [state]); open.push(distance); }
    };
    for (let state = 0; state < states; state++) if (this.rules.solved(this.row(state))) reach(state, 0);
    for (let distance = open.pop(); distance !== undefined; distance = open.pop()) {
      for (const state of waiting.get(distance) || []) // grows while it is read: a move may cost nothing
        if (far[state] === distance)
          for (let slot = ends[state]; slot < ends[state + 1]; slot++) reach(from[slot], distance + this.price[by[slot]]);
      waiting.delete(distance);
    }
    this.distances = far;
  }

  /** The cost of a shortest way to the goal; Infinity without one. @param {Row} row @returns {number} */
  distance(row) {
    if (!this.distances) throw new Error("not done");
    if (this.rules.solved(row)) return 0;
    const state = this.table[this.#place(this.rules.canonical(row))];
    if (state >= 0) return this.distances[state];
    let least = Infinity; // the walker is on its way
    this.rules.each(row, (after, cost) => { least = Math.min(least, this.one(cost) + this.distance(after)); });
    return least;
  }

  /** The least cost of the puzzle; Infinity if there is no plan. */
  get optimum() { return this.distance(this.rules.start); }
}

/** Numbers, the least first. */
class Heap {
  /** @type {number[]} */
  #of = [];
  /** @param {number} value */
  push(value) {
    const of = this.#of;
    let at = of.push(value) - 1;
    for (let up; at && of[up = at - 1 >> 1] > of[at]; at = up) [of[up], of[at]] = [of[at], of[up]];
  }
  pop() {
    const of = this.#of, least = of[0], last = /** @type {number} */ (of.pop());
    if (!of.length) return least;
    of[0] = last;
    for (let at = 0, down; (down = 2 * at + 1) < of.length; at = down) {
      if (down + 1 < of.length && of[down + 1] < of[down]) down++;
      if (of[down] >= of[at]) break;
      [of[down], of[at]] = [of[at], of[down]];
    }
    return least;
  }
}

/** What the worker does; `post` sends a message to the page. @param {(message: object) => void} post */
export function worker(post) {
  /** @type {Exploration | null} */
  let all = null;
  /** @type {{ask: number, rows: Row[]}[]} */
  const asked = [];
  const told = (/** @type {number} */ sum) => sum === Infinity || !all ? null : all.cost(sum);

  function go() {
    if (!all) return;
    const done = all.run(SLICE), {states, more} = all;
    post({states, done, more, ...(done && !more ? {optimum: told(all.optimum)} : {})});
    if (!done) setTimeout(go);
    else while (asked.length && !more) answer(/** @type {any} */ (asked.shift()));
  }

  /** @param {{ask: number, rows: Row[]}} question */
  function answer({ask, rows}) {
    post({answer: ask, distances: rows.map(row => told(/** @type {Exploration} */ (all).distance(row)))});
  }

  return (/** @type {any} */ message) => {
    if (message.game) { all = new Exploration(message.game, message.most); go(); }
    else if (all?.distances) answer(message);
    else asked.push(message);
  };
}
