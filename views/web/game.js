/* <budge-game>: a puzzle to play, and what one wants to know of it: moves so far against the optimum, the distance to the
goal, hints by degrees. Rules are data (rules.js); a worker visits all states and knows every distance (search.js). The tree
of moves, and how plans are watched, are those of player.js.

Properties besides:
  game      {scene, units, digest, goal_text?, best?, known?, expected?, least?, frames?, positions | operators ...}:
            views/player.py. `best`: the proven optimum; `known`: the cost of the best plan known, `frames` that plan;
            `least`: a lower bound; `unplayable`: a sentence on why there are no rules, so that only plans are shown
  advisor   for a game with too many states for the worker: gives {text, pieces, moves, settled} behind the moves of
            `played` */
import {Moves, compared, sum} from "./moves.js";
import {Player, made} from "./player.js";
import {Sliding} from "./rules.js";

/** @typedef {import("./moves.js").State} State */
/** @typedef {import("./player.js").Shown} Shown */
/** @typedef {import("./player.js").Node} Node */
/** @typedef {import("./player.js").Move} Move */
/** @typedef {import("./player.js").Frame} Frame */
/** @typedef {import("./rules.js").Data} Data */
/** @typedef {import("./rules.js").Row} Row */
/** @typedef {Data & {digest: string, unplayable?: string, goal_text?: string, best?: number[], known?: number[], least?: number[],
     expected?: number[], frames?: Frame[] | null}} Game */
/** @typedef {import("./player.js").Cell} Cell */
/** @typedef {{text: string, pieces: string[], moves: string[], slides?: ([Cell, Cell] | null)[], settled?: boolean}} Advice */

const WORKER = "worker.js"; // its script is put here
const MOST = 1_000_000; // states that the worker visits
/** @type {{[key: string]: string}} */
const KEYS = {z: "undo", u: "undo", y: "redo", r: "again", h: "hint"};

/** The worker, and what it has found out. */
class Distances {
  /** @param {Data} data @param {() => void} learnt */
  constructor(data, learnt) {
    this.states = 0; this.done = false; this.more = false;
    /** @type {number[] | null | undefined} */
    this.optimum = undefined;
    /** @type {Map<number, (distances: (number[] | null)[]) => void>} */
    const waiting = new Map();
    let asked = 0;
    const url = URL.createObjectURL(new Blob([WORKER], {type: "text/javascript"})), worker = new Worker(url);
    worker.onmessage = ({data: said}) => {
      if (said.answer !== undefined) { waiting.get(said.answer)?.(said.distances); waiting.delete(said.answer); }
      else { Object.assign(this, said); learnt(); }
    };
    worker.onerror = () => { this.more = this.done = true; learnt(); };
    const {scene, ...rules} = data;
    worker.postMessage({game: rules, most: MOST});
    /** @param {Row[]} rows @returns {Promise<(number[] | null)[]>} */
    this.ask = rows => new Promise(answer => { waiting.set(++asked, answer); worker.postMessage({ask: asked, rows}); });
    this.end = () => { worker.terminate(); URL.revokeObjectURL(url); };
  }
}

class GameElement extends Player {
  /** @type {Game | null} */ #game = null;
  /** @type {Moves | null} */ #rules = null;
  /** @type {Distances | null} */ #distances = null;
  #told = -1; // degrees of the hint that are told, less one
  /** @type {WeakMap<Node, Promise<Advice>>} */ #advised = new WeakMap(); // by the advisor
  /** @type {((played: import("./player.js").Step[]) => Promise<Advice>) | null} */ advisor = null;

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#distances?.end();
    this.#distances = null;
  }

  /** @param {any} data */
  given(data) {
    if (data.digest === undefined) this.plan = data;
    else this.game = data;
  }

  reset() {
    super.reset();
    this.#distances?.end();
    this.#distances = this.#rules = this.#game = null;
    this.#told = -1;
  }

  get game() { return this.#game; }
  set game(game) {
    this.reset();
    if (!game) return;
    this.#game = game;
    this.#build(game);
    const rules = this.#rules = game.unplayable ? null : new Moves(game, this.stage);
    this.root.state = rules ? rules.start : this.stage.start;
    if (rules) {
      if (rules.far) this.board.scene = {...this.scene, far: true};
      this.#restore();
      this.#distances = new Distances(game, () => this.#learnt());
    }
    this.show();
  }

  /** @param {Game} game */
  #build(game) {
    const said = (/** @type {string} */ name) => made("button", {type: "button", "data-do": name.toLowerCase()}, name);
    const buttons = [said("Hint"), ...(game.frames ? [said("Solution")] : [])];
    this.build(game.scene, buttons, [made("p", {class: "goal"}), made("p", {class: "how"}), made("p", {class: "told", role: "status"}),
      made("div", {class: "gauge", role: "status"}, made("div", {class: "bar", "aria-hidden": "true"}, made("i")), made("span")),
      made("div", {class: "hint", role: "status", hidden: ""}),
      made("div", {class: "choices", role: "group", "aria-label": "Moves to make"})]);
    this.board.addEventListener("move", (/** @type {CustomEvent} */ event) => this.#play(event.detail.index));
    this.board.addEventListener("walk", (/** @type {CustomEvent} */ event) => this.#walk(event.detail.to));
  }

  /** @param {number[]} cost */
  #counted(cost) {
    const {units = []} = this.#game || {};
    return cost.map((n, i) => { // `weight 24` of what has no plural
      const [one, many] = units[i] || ["", ""], number = n.toLocaleString("en");
      return many.endsWith("s") ? `${number} ${n === 1 ? one : many}` : `${many} ${number}`.trim();
    }).join(", ");
  }

  /** @param {Shown} state @returns {Move[]} */
  options(state) { return this.#rules?.of(/** @type {State} */ (state)) || []; }

  /** @param {number} number */
  #play(number) {
    const move = this.moves[number], {now} = this;
    if (!move) return void (this.board.moves = this.board.moves);
    const node = now.children.find(child => child.number === number) || this.grown(now, number, move);
    this.pause();
    this.go(node);
  }

  /** Have the walker go to a cell. @param {Cell} to */
  #walk(to) {
    const {now} = this, move = this.#rules?.walk(/** @type {State} */ (this.state(now)), to);
    this.go(move ? this.grown(now, -1, move) : now);
  }

  /** @param {string} what */
  do(what) {
    super.do(what);
    if (what === "solution" && this.#game?.frames) this.follow(this.#game.frames, true);
    if (what === "hint") { this.#told += 1; this.#advise(); }
  }

  show(via = false) {
    this.#told = -1;
    super.show(via);
    if (!this.#game) return;
    const state = this.state(this.now);
    this.find(".counter").textContent = this.#counted(state.cost || []);
    this.find("[data-do=hint]").hidden = Boolean(state.solved) || !this.moves.length;
    this.find(".hint").hidden = true;
    this.board.choices(this.find(".choices"));
    this.#tell(state);
    this.#measure(this.now);
    this.#keep(state);
  }

  /** @param {Shown} state */
  #tell(state) {
    const {known, least, expected} = /** @type {Game} */ (this.#game), best = this.#best, told = this.find(".told"), {cost} = state;
    this.find(".goal").textContent = [/** @type {Game} */ (this.#game).goal_text, this.#parts(state)].filter(Boolean).join(" ");
    this.find(".how").textContent = state.solved ? "" : this.board.how;
    if (!cost) return told.replaceChildren(this.#game?.unplayable || "");
    const claim = expected && known && compared(expected, known) < 0;
    const found = known && `The best plan found here has ${this.#counted(known)}${claim ? `; the file expects ${this.#counted(expected)}` : ""}`;
    if (!state.solved) {
      const asks = this.root.far === null ? "There is no solution." : best ? `Can you do it in ${this.#counted(best)}?` : known ? `${found}. Can you do better?`
        : expected ? `Can you do it in ${this.#counted(expected)}? The file says so.` : "";
      return told.replaceChildren((this.now.parent && this.root.far !== null && this.#lost()) || asks);
    }
    const shortest = best && compared(cost, best) <= 0, several = best && best.length > 1;
    const mark = made("strong", {}, !shortest ? `Solved in ${this.#counted(cost)}`
      : `${several ? this.#counted(best) : `${cost} of ${best}`}: a shortest solution`);
    const next = document.querySelector("a[rel=next]")?.cloneNode(true);
    const more = best && !shortest ? `. The shortest has ${several ? this.#counted(best) : best}. ${this.#lost()}`
      : best || !known ? "." : `. ${found}${least ? `; at least ${this.#counted(least)} must be made.` : "."}`;
    told.replaceChildren(mark, more.trimEnd(), ...(next ? [" ", next] : []));
  }

  /** How much of a goal of several parts is reached. @param {Shown} state */
  #parts({row}) {
    const [reached, all] = row && this.#rules?.rules instanceof Sliding ? this.#rules.rules.reachedParts(row) : [0, 1];
    const ticks = all < 9 ? `${"✓".repeat(reached)}${"·".repeat(all - reached)} ` : "";
    return all > 1 ? `${ticks}${reached} of ${all} parts of the goal` : "";
  }

  /** The optimum: of a proof, or of the worker, which has visited all states. */
  get #best() { return this.#game?.best || this.#distances?.optimum || undefined; }

  /** The costs that moves have lost, and where most of it. */
  #lost() {
    let worst = null;
    for (const [i, node] of this.path(this.now).entries()) {
      const loss = this.#loss(node);
      if (loss?.dead) return `From move ${i + 1} on there is no way to the goal.`;
      if (loss && (!worst || compared(loss.lost, worst.lost) > 0)) worst = {...loss, at: i + 1};
    }
    return worst ? `You lost ${this.#counted(worst.lost)} at move ${worst.at}.` : "";
  }

  /** What a move has lost against the best one; null if nothing, or not known. @param {Node} node */
  #loss({parent, far, state}) {
    if (!parent?.state?.cost || !state?.cost || far === undefined || !parent.far) return null;
    if (far === null) return {lost: parent.far, dead: true};
    const before = sum(parent.state.cost, parent.far), lost = sum(state.cost, far).map((n, i) => n - before[i]);
    return compared(lost, lost.map(() => 0)) > 0 ? {lost, dead: false} : null;
  }

  /** @param {Node} node */
  fault(node) {
    const loss = this.#loss(node);
    return loss && {said: loss.dead ? "no way to the goal from here" : `${this.#counted(loss.lost)} lost`};
  }

  // Distances and hints

  #learnt() {
    const {done, more} = this.#distances || {};
    this.#gauge();
    if (!done) return;
    if (!more) for (const node of [this.root, ...this.path(this.now)]) this.#measure(node);
    if (this.#told >= 0) this.#advise();
    this.#tell(this.state(this.now));
  }

  /** Find out how far the goal is from a state, if the worker knows. @param {Node} node */
  async #measure(node) {
    const all = this.#distances, {row} = this.state(node);
    this.#gauge();
    if (node.far !== undefined || !row || !all?.done || all.more) return;
    const [far] = await all.ask([row]);
    if (all !== this.#distances) return;
    node.far = far;
    this.#gauge();
    if (node === this.root ? !far : this.path(this.now).includes(node) && this.#loss(node)) { this.list(); this.#tell(this.state(this.now)); }
  }

  #gauge() {
    const {far} = this.now, all = this.#distances, line = this.path(this.now), {solved} = this.state(this.now);
    this.find(".gauge").hidden = !all || all.more;
    const text = solved ? "at the goal" : far ? `${this.#counted(far)} to the goal` : far === null ? this.root.far ? "no way to the goal from here" : ""
      : all && !all.done ? `${all.states.toLocaleString("en")} states visited` : "";
    const most = Math.max(1, ...[this.#best, this.root.far, ...line.map(node => node.far)].map(cost => cost?.[0] || 0));
    this.find(".gauge span").textContent = text;
    this.find(".gauge i").style.width = `${solved ? 100 : far ? 100 * (1 - far[0] / most) : 0}%`;
  }

  /** A hint, by degrees: how far, which piece, the best moves. */
  async #advise() {
    const box = this.find(".hint"), node = this.now, all = this.#distances, moves = this.moves, told = this.#told;
    box.hidden = false;
    if (all && !all.done) return box.replaceChildren("Visiting all states ...");
    /** @type {Advice} */
    let advice = {text: "There are too many states here to know the distance to the goal.", pieces: [], moves: []};
    if (all && !all.more) advice = await this.#advice(all, /** @type {State} */ (this.state(node)), moves);
    else if (this.advisor) {
      box.replaceChildren("Thinking ...");
      const asked = this.#advised.get(node) || this.advisor(this.played);
      this.#advised.set(node, asked);
      advice = await asked.catch(error => ({text: String(error.message), pieces: [], moves: []}));
      if (!advice.settled) this.#advised.delete(node); // a limit is no answer: asked again, there may be more time
    }
    if (node !== this.now) return;
    const most = advice.moves.length ? advice.pieces.length ? 2 : 1 : 0;
    box.replaceChildren(advice.text, ...(told >= 1 && advice.pieces.length ? [` Move ${advice.pieces.join(" or ")}.`] : []),
      ...(told < most ? [" Press Hint again to be told more."] : advice.moves.map((text, i) => {
        const ends = String(advice.slides?.[i]), number = moves.findIndex(({notation, slide, to}) => notation === text || (slide && String([slide[0], to]) === ends));
        const button = made("button", {type: "button"}, moves[number]?.notation || text);
        button.addEventListener("click", () => this.#play(number));
        return button;
      })));
  }

  /** @param {Distances} all @param {State} state @param {Move[]} moves */
  async #advice(all, state, moves) {
    const after = moves.map(move => move.then()), [far, ...fars] = await all.ask([state.row, ...after.map(({row}) => row)]);
    if (!far) return {text: this.root.far ? "There is no way to the goal from here. Undo a move." : "There is no solution.", pieces: [], moves: []};
    const whole = sum(state.cost, far), best = moves.filter((_, i) => {
      const rest = fars[i];
      return rest && compared(rest, far) < 0 && compared(sum(after[i].cost, rest), whole) <= 0;
    });
    const names = Object.fromEntries(this.scene.pieces.map((/** @type {any} */ {id, name}) => [id, name]));
    const pieces = [...new Set(best.map(({piece}) => piece && names[piece]).filter(Boolean))];
    return {text: `${this.#counted(far)} to the goal.`, pieces, moves: best.map(({notation}) => notation)};
  }

  // Keeping, and keys

  get #memory() { return `budge ${this.#game?.digest}`; }

  /** @returns {any} */
  #kept() { try { return JSON.parse(localStorage.getItem(this.#memory) || "{}") || {}; } catch { return {}; } }

  /** @param {Shown} state */
  #keep({solved, cost}) {
    const line = this.path(this.line).map(({number, text}) => number < 0 ? text : number);
    if (!this.#rules) return;
    const old = this.#kept(), best = solved && cost && (!old.best || compared(cost, old.best) < 0) ? cost : old.best;
    try { localStorage.setItem(this.#memory, JSON.stringify({played: line, now: this.number, best})); }
    catch { /* private, or full */ }
  }

  /** The game as it was left: undo works across a reload. */
  #restore() {
    const {played = [], now = 0} = this.#kept();
    let node = this.root;
    for (const number of played) {
      const here = /** @type {State} */ (this.state(node)), [at, move] = typeof number === "number"
        ? [number, this.options(here)[number]] : [-1, this.#rules?.walked(here, number)];
      if (!move) break;
      node = this.grown(node, at, move);
    }
    this.line = node;
    this.now = [this.root, ...this.path(node)][Math.max(0, Math.min(now | 0, this.path(node).length))];
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (this.watched) return super.key(event);
    if (this.foreign(event)) return;
    const target = /** @type {HTMLElement} */ (event.target), letter = event.key.toLowerCase(), name = KEYS[letter];
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (plain && event.isTrusted && !this.board.contains(target) && (event.key.startsWith("Arrow") || event.key.length === 1)) {
      const stage = this.board.firstElementChild;
      if (!target.closest?.("button, a")) stage.focus({preventScroll: true});
      const passed = new KeyboardEvent("keydown", {key: event.key, bubbles: true, cancelable: true});
      if (event.key !== " " && !stage.dispatchEvent(passed)) return event.preventDefault();
    }
    if (name && (plain || (letter === "z" && !event.altKey && !event.shiftKey))) { event.preventDefault(); this.do(name); }
  }
}

if (!customElements.get("budge-game")) customElements.define("budge-game", GameElement);
