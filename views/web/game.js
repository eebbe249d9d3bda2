/* <budge-game>: a puzzle to play, and what one wants to know of it: moves so far against the optimum, a tree of moves to go
back and forth in, the distance to the goal, hints by degrees. Rules are data (rules.js); a worker visits all states and
knows every distance (search.js). A plan is a line of the tree, and is played on the same board.

Properties, or the JSON within the element in a <script type="application/json">:
  game      {scene, units, digest, goal_text?, best?, known?, expected?, least?, frames?, positions | operators ...}:
            views/player.py. `best`: the proven optimum; `known`: the cost of the best plan known; `least`: a lower bound
  plan      {scene, frames, units?}: a plan alone, to watch
  ask       for a game that says `remote`: gives the position behind the moves with these numbers, and its moves
  advisor   for a game with too many states for the worker: gives {text, pieces, moves} behind the moves of these names
Methods: follow(frames, label) adds a line to the tree and stands at its start; its frames are those of a plan
Attribute keys="page": keys work wherever the focus is in the page
Event (it bubbles): game, detail {cost, solved, notation, number}: another state is shown */
import {Moves, compared, planned, seen, sum} from "./moves.js";

/** @typedef {import("./moves.js").State} State */
/** @typedef {import("./moves.js").Shown} Shown */
/** @typedef {import("./moves.js").Move} Move */
/** @typedef {import("./moves.js").Frame} Frame */
/** @typedef {import("./rules.js").Data} Data */
/** @typedef {import("./rules.js").Row} Row */
/** @typedef {{number: number, text: string, state: Shown | null, parent: Node | null, children: Node[],
     far?: number[] | null}} Node a state in the tree of moves; `number`: of the move that leads there, -1 if the rules here
   have none; `far`: its distance to the goal, null where there is no way */
/** @typedef {Data & {digest: string, remote?: boolean, goal_text?: string, best?: number[], known?: number[], least?: number[],
     expected?: number[], frames?: Frame[] | null}} Game `frames`: of a plan, which a button shows */
/** @typedef {{state: any, moves: any[]}} Answer of a server */

const WORKER = "worker.js"; // its script is put here
const MOST = 1_000_000; // states that the worker visits
const LISTED = 400; // moves that are listed
const SHEET = 60; // boards that are printed of a plan; of longer ones the first and the last
const BEAT = 800; // milliseconds of a step at speed 1
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
/** @type {{[key: string]: string}} */
const KEYS = {z: "undo", u: "undo", y: "redo", r: "again", h: "hint", n: "redo", p: "undo", home: "again", end: "last"};
/** @type {{[does: string]: [string, string]}} */
const BUTTONS = {
  again: ["To the start (R)", "M6 5v14M19 5l-9 7 9 7z"], undo: ["One move back (Z)", "M16 5l-9 7 9 7z"],
  auto: ["Play", "M7 4l13 8-13 8z"], redo: ["One move on (Y)", "M8 5l9 7-9 7z"], last: ["To the end", "M18 5v14M5 5l9 7-9 7z"]};
const PAUSE = "M8 5v14M16 5v14";

/** @param {string} tag @param {{[name: string]: string | number}} attributes @param {(string | globalThis.Node)[]} inside */
function made(tag, attributes = {}, ...inside) {
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

/** Moves that a server says: the state is known by the numbers of the moves that lead there. */
class Remote {
  /** @param {(played: number[]) => Promise<Answer>} ask */
  constructor(ask) { this.ask = ask; }
  /** @param {number[]} played @returns {Promise<Shown & {played: number[], moves: Move[]}>} */
  async after(played) {
    const {state, moves} = await this.ask(played);
    return {...state, played, moves: moves.map((move, number) => ({...move, then: () => this.after([...played, number])}))};
  }
}

class GameElement extends HTMLElement {
  /** @type {Game | null} */ #game = null;
  /** @type {Moves | Remote | null} */ #rules = null;
  /** @type {Distances | null} */ #distances = null;
  /** @type {Move[]} */ #moves = [];
  /** @type {Node} */ #root = {number: -1, text: "", state: null, parent: null, children: []};
  /** @type {Node} */ #now = this.#root;
  /** @type {Node} */ #line = this.#root; // the end of the line that is shown
  /** @type {Map<Element | null, Node>} */ #named = new Map();
  #told = -1; // degrees of the hint that are told, less one
  #timer = 0;
  /** @type {any} */ #board = null;
  /** @type {((played: number[]) => Promise<Answer>) | null} */ ask = null;
  /** @type {((notation: string[]) => Promise<{text: string, pieces: string[], moves: string[]}>) | null} */ advisor = null;
  #keys = (/** @type {KeyboardEvent} */ event) => this.#key(event);
  #print = () => this.#sheet();

  connectedCallback() {
    const source = this.querySelector("script[type='application/json']"), given = source && JSON.parse(source.textContent || "{}");
    if (given) given.digest === undefined ? this.plan = given : this.game = given;
    document.addEventListener("keydown", this.#keys);
    addEventListener("beforeprint", this.#print);
  }

  disconnectedCallback() {
    this.pause();
    this.#distances?.end();
    this.#distances = null;
    document.removeEventListener("keydown", this.#keys);
    removeEventListener("beforeprint", this.#print);
  }

  get game() { return this.#game; }
  set game(game) {
    this.#reset(game);
    if (!game) return;
    const rules = this.#rules = game.remote && this.ask ? new Remote(this.ask) : new Moves(game);
    this.#build(game);
    if (rules instanceof Remote) { this.#root.state = game.scene.start; rules.after([]).then(state => { this.#root.state = state; this.#show(); }); return; }
    this.#root.state = rules.start;
    this.#restore(rules);
    this.#distances = new Distances(game, () => this.#learnt());
    this.#show();
  }

  /** @param {{scene: any, frames: Frame[], units?: [string, string][]} | null} plan */
  set plan(plan) {
    this.#reset(null);
    if (!plan) return;
    this.#game = {digest: "", units: [], ...plan};
    this.#build(this.#game);
    this.classList.add("watched");
    this.follow(plan.frames);
  }

  /** The notation of the moves to where the game is. */
  get notation() { return this.#path(this.#now).map(({text}) => text); }
  /** The numbers of these moves. */
  get played() { return this.#path(this.#now).map(({number}) => number); }
  /** How many moves there are to where the game is. */
  get number() { return this.#path(this.#now).length; }
  set number(number) { this.pause(); this.#go([this.#root, ...this.#path(this.#line)][number] || this.#line); }

  /** Add a plan as a line of the tree, and stand at its start. @param {Frame[]} frames */
  follow(frames, play = false) {
    const states = planned(frames);
    let node = this.#root;
    node.state ??= states[0];
    for (const [number, state] of states.entries()) {
      if (!number) continue;
      const here = this.#state(node), look = seen(state);
      const moves = this.#rules instanceof Moves && here.row ? this.#rules.of(/** @type {State} */ (here)) : [];
      const found = moves.findIndex(move => seen(move.then()) === look), text = moves[found]?.notation ?? frames[number].notation;
      let next = node.children.find(child => found < 0 ? seen(this.#state(child)) === look : child.number === found);
      if (!next) node.children.push(next = {number: found, text, state: found < 0 ? state : moves[found].then(), parent: node, children: []});
      node = next;
    }
    this.#line = node;
    this.#go(this.#root);
    if (play) this.auto();
  }

  /** @param {string} name @returns {HTMLElement} */
  #part(name) { return /** @type {HTMLElement} */ (this.querySelector(name)); }

  /** @param {Game | null} game */
  #reset(game) {
    this.pause();
    this.#distances?.end();
    this.#distances = this.#rules = null;
    this.#game = game;
    this.#root = this.#now = this.#line = {number: -1, text: "", state: null, parent: null, children: []};
    this.#told = -1;
    this.classList.remove("watched", "solved");
    if (!game) this.replaceChildren();
  }

  /** @param {Game} game */
  #build(game) {
    const buttons = Object.entries(BUTTONS).map(([does, [name, path]]) =>
      made("button", {type: "button", "data-do": does, "aria-label": name, title: name}, icon(path)));
    const speed = /** @type {HTMLSelectElement} */ (made("select", {"aria-label": "Speed"}, ...SPEEDS.map(by => made("option", {value: by}, `${by}×`))));
    speed.value = "1";
    speed.addEventListener("change", () => { if (this.#timer) this.auto(); });
    const hint = made("button", {type: "button", "data-do": "hint"}, "Hint");
    const solution = made("button", {type: "button", "data-do": "solution"}, "Solution");
    const slider = made("input", {type: "range", min: 0, value: 0, "aria-label": "Move"});
    slider.addEventListener("input", () => { this.number = Number(/** @type {HTMLInputElement} */ (slider).value); });
    this.replaceChildren(
      made("div", {class: "stage"}, made("budge-board"), made("div", {class: "tools", role: "group", "aria-label": "Moves"},
        ...buttons, slider, made("output", {class: "counter"}), speed, hint, ...(game.frames && game.digest ? [solution] : []))),
      made("div", {class: "side"}, made("p", {class: "goal"}, game.goal_text || ""), made("p", {class: "told", role: "status"}),
        made("div", {class: "gauge", role: "status"}, made("div", {class: "bar", "aria-hidden": "true"}, made("i")), made("span")),
        made("div", {class: "hint", role: "status", hidden: ""}), made("div", {class: "choices", role: "group", "aria-label": "Moves to make"}),
        made("div", {class: "history", tabindex: 0, role: "group", "aria-label": "Moves so far", hidden: ""})),
      made("div", {class: "sheet", "aria-hidden": "true"}));
    for (const button of [...buttons, hint, solution]) button.addEventListener("click", () => this.#do(button.dataset.do || ""));
    this.#board = this.#part("budge-board");
    this.#board.scene = game.scene;
    const [, , wide, high] = game.scene.view;
    this.style.setProperty("--ratio", String(wide / high)); this.style.setProperty("--budge-units", `${wide}px`);
    this.#board.addEventListener("move", (/** @type {CustomEvent} */ event) => this.#play(event.detail.index));
    this.#part(".history").addEventListener("click", event => {
      const node = this.#named.get(/** @type {Element} */ (event.target).closest("button"));
      if (node) { this.pause(); this.#go(node); }
    });
  }

  /** @param {number[]} cost */
  #counted(cost) {
    const {units = []} = this.#game || {};
    return cost.map((n, i) => `${n.toLocaleString("en")} ${units[i]?.[n === 1 ? 0 : 1] || ""}`).join(", ");
  }

  // Going through the tree

  /** @param {Node} node @returns {Node[]} */
  #path(node) {
    const path = [];
    for (let at = node; at.parent; at = at.parent) path.unshift(at);
    return path;
  }

  /** @param {Node} node @returns {Shown} */
  #state(node) {
    const known = node.state;
    if (known) return known;
    const before = /** @type {State} */ (this.#state(/** @type {Node} */ (node.parent)));
    return node.state = /** @type {Shown} */ (/** @type {Moves} */ (this.#rules).of(before)[node.number].then());
  }

  /** @param {number} number */
  async #play(number) {
    const move = this.#moves[number], now = this.#now;
    if (!move) return void (this.#board.moves = this.#board.moves);
    let node = now.children.find(child => child.number === number);
    if (!node) {
      const state = this.#rules instanceof Remote ? await move.then() : move.then();
      now.children.push(node = {number, text: move.notation, state, parent: now, children: []});
    }
    this.pause();
    this.#go(node);
  }

  /** @param {Node} node */
  #go(node) {
    const on = node.parent === this.#now;
    this.#now = node;
    this.#told = -1;
    this.#show(on);
  }

  /** @param {string} what */
  #do(what) {
    const {parent} = this.#now, on = this.#on();
    if (what === "auto") return this.#timer ? this.pause() : this.auto();
    this.pause();
    if (what === "undo" && parent) this.#go(parent);
    if (what === "redo" && on) this.#go(on);
    if (what === "again") this.#go(this.#root);
    if (what === "last") this.#go(this.#line);
    if (what === "solution" && this.#game?.frames) this.follow(this.#game.frames, true);
    if (what === "hint") { this.#told += 1; this.#advise(); }
  }

  /** The next state of the line that is shown. */
  #on() {
    const line = this.#path(this.#line);
    return this.#now.children.find(child => line.includes(child)) || this.#now.children[0];
  }

  /** Play the line from here on, or from its start. */
  auto() {
    clearInterval(this.#timer);
    if (!this.#on()) this.#go(this.#root);
    const step = () => { const on = this.#on(); on ? this.#go(on) : this.pause(); };
    this.#timer = setInterval(step, BEAT / Number(/** @type {HTMLSelectElement} */ (this.#part("select")).value));
    this.#running("Pause", PAUSE);
  }

  pause() {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#running(...BUTTONS.auto);
  }

  /** @param {string} name @param {string} path */
  #running(name, path) {
    const button = this.#part("[data-do=auto]");
    button.setAttribute("aria-label", name); button.title = name;
    button.replaceChildren(icon(path));
  }

  // Showing

  #show(via = false) {
    const state = this.#state(this.#now), {rules, line} = {rules: this.#rules, line: this.#path(this.#line)};
    if (this.#now !== this.#root && !line.includes(this.#now)) this.#line = this.#now;
    this.#moves = rules instanceof Remote ? /** @type {any} */ (state).moves || [] : rules && state.row ? rules.of(/** @type {State} */ (state)) : [];
    const beat = BEAT / Number(/** @type {HTMLSelectElement} */ (this.#part("select")).value);
    this.#board.pace = this.#timer ? Math.round(Math.min(220, beat * 0.6)) : 180;
    this.#board.state = {...state, moved: this.#now.parent ? state.moved || [] : [], via: via ? state.via || {} : {}};
    this.#board.moves = this.#moves.map(({then, ...move}) => move);
    if (state.solved && this.#now.parent) this.#board.leave?.();
    this.classList.toggle("solved", Boolean(state.solved));
    this.#bar(state);
    this.#part(".hint").hidden = true;
    this.#board.choices(this.#part(".choices"));
    this.#listed();
    this.#tell(state);
    this.#measure(this.#now);
    this.#keep(state);
    const detail = {cost: state.cost, solved: state.solved, notation: this.notation, number: this.number};
    this.dispatchEvent(new CustomEvent("game", {bubbles: true, detail}));
  }

  /** @param {Shown} state */
  #bar(state) {
    const on = this.#on(), {parent} = this.#now, length = this.#path(this.#line).length;
    for (const [name, able] of Object.entries({undo: parent, redo: on, again: parent, last: on, auto: length}))
      /** @type {HTMLButtonElement} */ (this.#part(`[data-do=${name}]`)).disabled = !able;
    this.#part("[data-do=hint]").hidden = !this.#rules || Boolean(state.solved) || !this.#moves.length;
    const slider = /** @type {HTMLInputElement} */ (this.#part("input[type=range]")), watched = this.classList.contains("watched");
    slider.hidden = !watched; slider.max = String(length); slider.value = String(this.number);
    const where = `${this.number} of ${length}`;
    slider.setAttribute("aria-valuetext", `${where}, ${this.#now.text}`);
    this.#part(".counter").replaceChildren(watched ? where : this.#counted(state.cost || []),
      ...(watched ? [made("span", {class: "budge-live"}, this.#now.text && `, ${this.#now.text}`)] : []));
  }

  /** @param {Shown} state */
  #tell(state) {
    const {known, least, expected} = /** @type {Game} */ (this.#game), best = this.#best, told = this.#part(".told"), {cost} = state;
    if (!this.#rules || !cost) return told.replaceChildren();
    const claim = expected && known && compared(expected, known) < 0;
    const found = known && `The best plan found here has ${this.#counted(known)}${claim ? `; the file expects ${this.#counted(expected)}` : ""}`;
    if (!state.solved) {
      const asks = best ? `Can you do it in ${this.#counted(best)}?` : known ? `${found}. Can you do better?` : "";
      return told.replaceChildren(this.#now.parent ? this.#lost() : asks);
    }
    const shortest = best && compared(cost, best) <= 0, several = best && best.length > 1;
    const mark = made("strong", {}, !shortest ? `Solved in ${this.#counted(cost)}`
      : `${several ? this.#counted(best) : `${cost} of ${best}`}: a shortest solution`);
    const next = document.querySelector("a[rel=next]")?.cloneNode(true);
    const more = best && !shortest ? `. The shortest has ${several ? this.#counted(best) : best}. ${this.#lost()}`
      : best || !known ? "." : `. ${found}${least ? `; at least ${this.#counted(least)} must be made.` : "."}`;
    told.replaceChildren(mark, more.trimEnd(), ...(next ? [" ", next] : []));
  }

  /** The optimum: of a proof, or of the worker, which has visited all states. */
  get #best() { return this.#game?.best || this.#distances?.optimum || undefined; }

  /** The costs that moves have lost, and where most of it. */
  #lost() {
    let worst = null;
    for (const [i, node] of this.#path(this.#now).entries()) {
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

  /** The tree as a line of moves, with branches in brackets behind the move that they replace. */
  #listed() {
    const list = this.#part(".history"), line = this.#path(this.#line); // moves to where one was last
    this.#named = new Map();
    const named = (/** @type {Node} */ node, /** @type {number} */ depth) => {
      const button = made("button", {type: "button"}, made("small", {}, `${depth}`), ` ${node.text}`), loss = this.#loss(node);
      if (node === this.#now) button.setAttribute("aria-current", "step");
      if (loss) { button.className = "lost"; button.title = loss.dead ? "no way to the goal from here" : `${this.#counted(loss.lost)} lost`; }
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
    const skipped = Math.max(0, line.indexOf(this.#now) - LISTED / 2);
    list.replaceChildren(...moves(skipped ? line[skipped - 1] : this.#root, skipped + 1));
    list.hidden = !list.children.length;
    const current = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
    list.scrollTop = current ? current.offsetTop - list.offsetTop - list.clientHeight / 2 : 0;
  }

  // Distances and hints

  #learnt() {
    const {done, more} = this.#distances || {};
    this.#gauge();
    if (!done) return;
    if (!more) for (const node of [this.#root, ...this.#path(this.#now)]) this.#measure(node);
    if (this.#told >= 0) this.#advise();
    this.#tell(this.#state(this.#now));
  }

  /** Find out how far the goal is from a state, if the worker knows. @param {Node} node */
  async #measure(node) {
    const all = this.#distances, {row} = this.#state(node);
    this.#gauge();
    if (node.far !== undefined || !row || !all?.done || all.more) return;
    const [far] = await all.ask([row]);
    if (all !== this.#distances) return;
    node.far = far;
    this.#gauge();
    if (this.#path(this.#now).includes(node) && this.#loss(node)) { this.#listed(); this.#tell(this.#state(this.#now)); }
  }

  #gauge() {
    const {far} = this.#now, all = this.#distances, line = this.#path(this.#now), {solved} = this.#state(this.#now);
    this.#part(".gauge").hidden = !all || all.more;
    const text = solved ? "at the goal" : far ? `${this.#counted(far)} to the goal` : far === null ? "no way to the goal from here"
      : all && !all.done ? `${all.states.toLocaleString("en")} states visited` : "";
    const most = Math.max(1, ...[this.#best, this.#root.far, ...line.map(node => node.far)].map(cost => cost?.[0] || 0));
    this.#part(".gauge span").textContent = text;
    this.#part(".gauge i").style.width = `${solved ? 100 : far ? 100 * (1 - far[0] / most) : 0}%`;
  }

  /** A hint, by degrees: how far, which piece, the best moves. */
  async #advise() {
    const box = this.#part(".hint"), node = this.#now, all = this.#distances, moves = this.#moves, told = this.#told;
    box.hidden = false;
    if (all && !all.done) return box.replaceChildren("Visiting all states ...");
    let advice = {text: "There are too many states here to know the distance to the goal.", pieces: /** @type {string[]} */ ([]), moves: /** @type {string[]} */ ([])};
    if (all && !all.more) advice = await this.#best_moves(all, /** @type {State} */ (this.#state(node)), moves);
    else if (this.advisor) {
      box.replaceChildren("Thinking ...");
      advice = await this.advisor(this.notation);
    }
    if (node !== this.#now) return;
    const most = advice.moves.length ? advice.pieces.length ? 2 : 1 : 0;
    box.replaceChildren(advice.text, ...(told >= 1 && advice.pieces.length ? [` Move ${advice.pieces.join(" or ")}.`] : []),
      ...(told < most ? [" Press Hint again to be told more."] : advice.moves.map(text => {
        const button = made("button", {type: "button"}, text);
        button.addEventListener("click", () => this.#play(moves.findIndex(({notation}) => notation === text)));
        return button;
      })));
  }

  /** @param {Distances} all @param {State} state @param {Move[]} moves */
  async #best_moves(all, state, moves) {
    const after = moves.map(move => move.then()), [far, ...fars] = await all.ask([state.row, ...after.map(({row}) => row)]);
    if (!far) return {text: "There is no way to the goal from here. Undo a move.", pieces: [], moves: []};
    const whole = sum(state.cost, far), best = moves.filter((_, i) => {
      const rest = fars[i];
      return rest && compared(rest, far) < 0 && compared(sum(after[i].cost, rest), whole) <= 0;
    });
    const names = Object.fromEntries(this.#game?.scene.pieces.map((/** @type {any} */ {id, name}) => [id, name]));
    const pieces = [...new Set(best.map(({piece}) => piece && names[piece]).filter(Boolean))];
    return {text: `${this.#counted(far)} to the goal.`, pieces, moves: best.map(({notation}) => notation)};
  }

  // Keeping, keys, printing

  get #memory() { return `budge ${this.#game?.digest}`; }

  /** @returns {any} */
  #kept() { try { return JSON.parse(localStorage.getItem(this.#memory) || "{}") || {}; } catch { return {}; } }

  /** @param {Shown} state */
  #keep({solved, cost}) {
    if (!this.#game?.digest || !(this.#rules instanceof Moves)) return;
    const old = this.#kept(), best = solved && cost && (!old.best || compared(cost, old.best) < 0) ? cost : old.best, line = this.#path(this.#line);
    if (line.some(({number}) => number < 0)) return;
    try { localStorage.setItem(this.#memory, JSON.stringify({played: line.map(({number}) => number), now: line.indexOf(this.#now) + 1, best})); }
    catch { /* private, or full */ }
  }

  /** The game as it was left: undo works across a reload. @param {Moves} rules */
  #restore(rules) {
    const {played = [], now = 0} = this.#kept();
    let node = this.#root;
    for (const number of played) {
      const move = rules.of(/** @type {State} */ (this.#state(node)))[number];
      if (!move) break;
      node.children.push({number, text: move.notation, state: move.then(), parent: node, children: []});
      node = node.children[0];
    }
    this.#line = node;
    this.#now = [this.#root, ...this.#path(node)][Math.max(0, Math.min(now | 0, this.#path(node).length))];
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target), letter = event.key.toLowerCase(), watched = this.classList.contains("watched");
    if (event.defaultPrevented || !this.#game || !this.checkVisibility() || (watched && this.getAttribute("keys") !== "page" && !this.contains(target))) return;
    if (target.closest?.("input, select, textarea, summary, [contenteditable], dialog")) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    let name = KEYS[letter];
    if (watched) name = {arrowright: "redo", arrowleft: "undo", " ": target.closest?.("button") ? "" : "auto"}[letter] ?? name;
    else if (plain && event.isTrusted && !this.#board.contains(target) && (event.key.startsWith("Arrow") || event.key.length === 1)) {
      const stage = this.#board.firstElementChild;
      if (!target.closest?.("button, a")) stage.focus({preventScroll: true});
      const passed = new KeyboardEvent("keydown", {key: event.key, bubbles: true, cancelable: true});
      if (event.key !== " " && !stage.dispatchEvent(passed)) return event.preventDefault();
    }
    if (name && (plain || (letter === "z" && !event.altKey && !event.shiftKey))) { event.preventDefault(); this.#do(name); }
  }

  /** What is printed of a plan: every position, or the first and the last of many. */
  #sheet() {
    const sheet = this.#part(".sheet"), nodes = [this.#root, ...this.#path(this.#line)], last = nodes.length - 1;
    if (!this.classList.contains("watched") || sheet.children.length) return;
    nodes.forEach((node, number) => {
      if (last > SHEET && number && number < last) return;
      const board = /** @type {any} */ (made("budge-board"));
      sheet.append(made("figure", {}, board, made("figcaption", {}, number ? `${number}. ${node.text}` : "Start")));
      board.scene = this.#game?.scene;
      board.state = {...this.#state(node), via: {}};
    });
  }
}

if (!customElements.get("budge-game")) customElements.define("budge-game", GameElement);
