/* The panels Solve, Explore and Check, around the one board: a form that starts runs, and a card for each run, whose
bounds rise and fall as the service reports them. A plan becomes a line in the game's tree of moves. */
import {api, calm, dialog, game, made, on, open, show, state, toast, told} from "./app.js";

/** @typedef {{run: number, topic: string, kind: string, name: string, metric: string, state: string, status: string,
     bounds: string, doing: string, share: number | null, seconds: number, lower: number[] | null, upper: number[] | null,
     over: boolean, error: string, revision: number, proofs: {seconds: number, text: string}[], planned?: boolean,
     colour?: string, plot_svg?: string}} Run what an event of a run says */
/** @typedef {{html: string, plan: any[] | null, plan_text?: string, label?: string, from?: number, plot_svg?: string,
     text?: string | null}} Answer */

const PACE = 1000; // milliseconds between two looks at a comparison
const PROOFS = 4; // bounds that a card shows, the latest
const NOTHING = {
  solve: "The lower bound rises as shorter plans are ruled out, the upper bound falls as plans are found; where they meet, "
    + "the plan is proven shortest.",
  explore: "Every state that can be reached is visited: how many there are at each depth, how far each is from the goal, "
    + "which start is the hardest, and from which states there is no way to the goal.",
  check: "Paste a plan, or say what the optimum is, or neither: then what the file expects is checked. The plan is played by "
    + "the rules; engines, each by itself, prove or refute that nothing is cheaper.",
};

// Small parts that the panels share

/** A button; what goes wrong is told. @param {string} text @param {string} kind @param {() => unknown} press @returns {HTMLButtonElement} */
export const button = (text, kind, press) => made("button", {type: "button", class: kind, onclick: () => told(async () => { await press(); calm(); })}, text);

/** @param {string} label @param {HTMLElement} input @returns {HTMLElement} */
export const field = (label, input) => made("label", {class: "field"}, made("span", {}, label), input);

/** @param {{[name: string]: any}} attributes @returns {HTMLInputElement} */
export const input = attributes => made("input", {autocomplete: "off", ...attributes});

/** Offer words in a list; `none` is shown for the empty one.
    @param {HTMLSelectElement} list @param {string[]} words @param {string} chosen @param {string} none */
export function offer(list, words, chosen, none = "all") {
  if (list.dataset.words !== words.join("\n")) {
    list.replaceChildren(...words.map(word => made("option", {value: word}, word || none)));
    list.dataset.words = words.join("\n");
  }
  list.value = words.includes(chosen) ? chosen : words[0] ?? "";
}

/** HTML that the service has written, and escaped. @param {HTMLElement} element @param {string | null | undefined} html */
export function fill(element, html) {
  if (element.dataset.shown !== html) element.innerHTML = html || "";
  element.dataset.shown = html || "";
  element.hidden = !html;
}

/** Call at once, but not more often than each `PACE`; the last call is never lost. @param {() => unknown} what */
export function paced(what) {
  let waits = 0, again = false;
  const call = () => {
    if (waits) { again = true; return; }
    waits = window.setTimeout(() => { waits = 0; if (again) { again = false; call(); } }, PACE);
    told(what);
  };
  return call;
}

/** Several things to choose from, as buttons that are pressed or not. */
export class Choice {
  /** @param {string} label @param {string} none what no choice means */
  constructor(label, none) {
    this.none = none;
    /** @type {Set<string>} */
    this.chosen = new Set();
    this.said = made("b", {}, none);
    this.box = made("div", {class: "chips"});
    this.element = made("details", {class: "choice"}, made("summary", {}, `${label}: `, this.said), this.box);
  }

  /** @param {{[value: string]: string}} words values and what they are called */
  offer(words) {
    this.chosen = new Set([...this.chosen].filter(value => value in words));
    this.box.replaceChildren(...Object.entries(words).map(([value, word]) => {
      const chip = button(word, "chip", () => {
        if (!this.chosen.delete(value)) this.chosen.add(value);
        this.tell(words);
        chip.setAttribute("aria-pressed", String(this.chosen.has(value)));
      });
      chip.setAttribute("aria-pressed", String(this.chosen.has(value)));
      return chip;
    }));
    this.tell(words);
  }

  /** @param {{[value: string]: string}} words */
  tell(words) { this.said.textContent = [...this.chosen].map(value => words[value]).join(", ") || this.none; }
}

/** The metric and the limits of a run, with the button that starts it. */
export class Form {
  /** @param {string} verb @param {() => unknown} start @param {import("./app.js").Limits} limits @param {(HTMLElement | string)[]} before */
  constructor(verb, start, limits = state.boot.defaults.run, ...before) {
    /** @type {HTMLSelectElement} */
    this.metric = made("select");
    this.asked = field("Metric", this.metric);
    this.seconds = input({value: limits.time_limit, size: 5});
    this.memory = input({value: limits.memory_limit, size: 5});
    this.go = button(verb, "strong go", start);
    this.element = made("form", {class: "form"}, ...before, this.asked, field("Time limit", this.seconds),
      field("Memory limit", this.memory), this.go);
    this.go.type = "submit"; // so that Enter in a field presses it
    this.go.addEventListener("click", event => event.preventDefault());
    this.offer();
  }

  offer() {
    const {read} = state, metrics = read?.metrics || [];
    offer(this.metric, metrics, state.metric || read?.metric || "");
    this.asked.hidden = metrics.length < 2;
    this.go.disabled = !read?.ok;
  }

  get values() {
    const {value} = this.metric;
    return {key: state.key, text: state.text, metric: value || null, time_limit: this.seconds.value,
      memory_limit: this.memory.value};
  }
}

/** The state of a run. It is made once and then changed: a button made anew while it is pressed is never pressed. */
export class Card {
  /** @param {Run} run */
  constructor(run) {
    this.run = run;
    this.bounds = made("span", {class: "run-bounds"});
    this.state = made("span", {class: "run-state"});
    this.time = made("span", {class: "quiet run-time"});
    this.stop = button("Stop", "flat stop", () => api(`/api/runs/${run.run}/stop`, {}));
    this.more = made("div", {class: "buttons"});
    this.low = made("i", {class: "low"}); this.high = made("i", {class: "high"});
    this.bar = made("div", {class: "run-bar", "aria-hidden": "true"}, this.low, this.high);
    this.progress = made("progress", {max: 1, "aria-label": "Progress"});
    this.error = made("p", {class: "bad", role: "alert"});
    this.doing = made("p", {class: "quiet doing"});
    this.proofs = made("ol", {class: "proofs"});
    this.found = made("div", {class: "found"});
    const {metrics = []} = state.read || {}, name = run.kind === "solve" && metrics.length > 1 ? `${run.name}, in ${run.metric.replaceAll(",", ", then ")}` : run.name;
    const head = made("div", {class: "run-head"}, made("strong", {}, name), this.bounds, this.state, this.time, this.stop);
    this.element = made("article", {class: "run", "aria-label": name}, head, this.bar, this.progress, this.error, this.doing,
      this.proofs, this.found, this.more);
    if (run.kind === "solve" && run.colour) this.element.style.setProperty("--run", run.colour);
    this.show(run);
  }

  /** @param {Run} run */
  show(run) {
    this.run = run;
    const {lower, upper, over, share, error, doing, proofs} = run;
    this.bounds.textContent = run.kind === "check" ? "" : run.bounds; // its engines try to refute
    this.state.textContent = run.status || run.state;
    this.state.className = `run-state state-${run.state.split(" ")[0]}`;
    this.time.textContent = `${run.seconds.toFixed(1)} s`;
    this.stop.hidden = over;
    this.stop.disabled = run.state === "stopping";
    const most = upper ? upper[0] : lower ? lower[0] * 1.25 : 0;
    this.bar.hidden = run.kind !== "solve" || !most;
    this.bar.classList.toggle("met", Boolean(lower && upper && String(lower) === String(upper)));
    this.low.style.width = `${lower && most ? Math.min(100, 100 * lower[0] / most) : 0}%`;
    this.high.hidden = !upper;
    this.progress.hidden = over || share === null;
    this.progress.value = share || 0;
    this.error.textContent = error;
    this.error.hidden = !error;
    this.doing.textContent = over ? "" : doing;
    this.doing.hidden = !this.doing.textContent;
    this.proofs.hidden = !proofs.length;
    const latest = proofs.slice(0, PROOFS), times = latest.map(({seconds}) => `${seconds.toFixed(2)} s`);
    this.proofs.replaceChildren(...latest.map(({text}, i) =>
      made("li", {}, made("span", {class: "when"}, times[i] === times[i - 1] ? "" : times[i]), made("span", {}, text))));
  }

  /** @returns {Promise<Answer>} */
  answer() { return api(`/api/runs/${this.run.run}/answer`); }

  /** Put its plan into the tree of moves, and play it. */
  async onBoard() {
    const {plan, label, from = 0} = await this.answer();
    if (!plan) throw new Error("This plan is too long for the board: save it as text.");
    follow(plan, label || this.run.name, from);
  }
}

/** Put a plan into the tree of moves, and play it. @param {any[]} frames @param {string} label
    @param {number} from moves that were made before it was asked for */
export function follow(frames, label, from = 0) {
  const board = game();
  board.follow(frames);
  board.number = from;
  board.auto();
  toast(label);
  show("play");
}

/** The cards of a topic: listed again for another puzzle, and changed by every event; `clear` forgets those that are over.
    @param {() => string} topic @param {HTMLElement} place @param {boolean} all whether all runs are shown, or the last one
    @param {(card: Card) => unknown} more @param {(run?: Run) => void} changed */
export function cardsOf(topic, place, all, more, changed = _run => {}) {
  /** @type {Map<number, Card>} */
  const cards = new Map();
  let listed = "";
  const take = (/** @type {Run} */ run) => {
    let card = cards.get(run.run);
    if (card) card.show(run);
    else {
      if (!all) { if (run.run < Math.max(0, ...cards.keys())) return; cards.clear(); place.replaceChildren(); }
      cards.set(run.run, card = new Card(run));
      place.prepend(card.element);
    }
    more(card);
  };
  const list = () => {
    listed = topic();
    cards.clear();
    place.replaceChildren();
    [...state.runs.values()].filter(run => run.topic === listed).slice(all ? 0 : -1).forEach(take);
    changed();
  };
  const clear = button("Clear", "flat", async () => {
    await api("/api/runs/clear", {topic: listed});
    for (const {run, topic, over} of [...state.runs.values()]) if (over && topic === listed) state.runs.delete(run);
    list();
  });
  on("run", (/** @type {Run} */ run) => { if (run.topic === topic()) { take(run); changed(run); } });
  on("puzzle", () => { if (topic() !== listed) list(); });
  queueMicrotask(list);
  return {cards, clear};
}

/** Start a run; its events show it. @param {string} kind @param {object} asked */
export const start = (kind, asked) => api("/api/runs", {kind, ...asked});

// Solve

/** @param {HTMLElement} element */
function solve(element) {
  const engines = new Choice("Engines", "auto");
  const here = input({type: "checkbox"}), from = made("label", {class: "check"}, here, made("span", {}, "from the position on the board"));
  const form = new Form("Solve", begin, undefined, engines.element);
  form.element.insertBefore(from, form.go);
  const empty = made("p", {class: "empty"}, NOTHING.solve), plot = made("div", {class: "chart", hidden: true});
  const place = made("div", {class: "runs"});
  element.append(form.element, empty, plot, place);
  async function begin() {
    const played = here.checked ? game().played : [], chosen = engines.chosen.size ? [...engines.chosen] : ["auto"];
    for (const engine of chosen) await start("solve", {...form.values, engine, played});
  }
  const more = (/** @type {Card} */ card) => {
    const {run} = card, known = run.upper !== null;
    if (known && (run.planned || run.over) && !card.more.children.length)
      card.more.append(button("Show on the board", "strong on-board", () => card.onBoard()));
    if (known && run.over && card.more.children.length === 1) {
      card.more.append(button("Copy the plan", "flat", async () => copy((await card.answer()).plan_text || "")),
        made("a", {href: `/api/runs/${run.run}/page`, download: "", class: "flat button"}, "Save as a page"));
    }
  };
  const {cards, clear} = cardsOf(() => `solve ${state.key}`, place, true, more, run => {
    empty.hidden = cards.size > 0;
    clear.hidden = ![...cards.values()].some(card => card.run.over);
    if (!cards.size) fill(plot, "");
    for (const {plot_svg: svg} of run ? [run] : [...cards.values()].map(card => card.run)) if (svg) fill(plot, svg);
  });
  element.append(clear);
  const puzzle = () => {
    form.offer();
    engines.offer(Object.fromEntries((state.read?.engines || []).map(name => [name, name])));
  };
  const moved = () => { from.hidden = !game()?.notation?.length; if (from.hidden) here.checked = false; };
  on("puzzle", puzzle);
  document.addEventListener("game", moved);
  puzzle(); moved();
  on("solve", () => told(begin));
}

/** @param {string} text */
async function copy(text) {
  await navigator.clipboard.writeText(text);
  toast("The plan is copied.", "good");
}

// Explore

/** @param {HTMLElement} element */
function explore(element) {
  /** @type {Form} */
  const form = new Form("Explore", () => start("explore", form.values));
  form.element.append(button("Why not shorter?", "why-go", () => start("why", form.values)));
  const empty = made("p", {class: "empty"}, NOTHING.explore), plot = made("div", {class: "chart", hidden: true});
  const place = made("div", {class: "runs", role: "status"});
  element.append(form.element, empty, plot, place);
  const more = answered(({plot_svg: svg, text}, card) => {
    if (svg) fill(plot, svg);
    if (text) card.more.append(button("Open the hardest start", "strong hardest", async () =>
      open((await api("/api/text", {key: "", text, origin: "the hardest start"})).key)));
  });
  const {cards} = cardsOf(() => `explore ${state.key}`, place, false, more, run => {
    empty.hidden = cards.size > 0;
    if (!cards.size || run?.kind === "why") fill(plot, "");
    if (run?.plot_svg) fill(plot, run.plot_svg);
  });
  on("puzzle", () => form.offer());
}

/** When a run is over, once: show its answer. @param {(answer: Answer, card: Card) => void} more @returns {(card: Card) => void} */
const answered = more => card => {
  if (!card.run.over || card.element.dataset.asked) return;
  card.element.dataset.asked = "yes";
  told(async () => {
    const answer = await card.answer();
    fill(card.found, answer.html);
    more(answer, card);
  });
};

// Check

/** @param {HTMLElement} element */
function check(element) {
  const plan = made("textarea", {rows: 3, maxlength: 200000, spellcheck: "false", placeholder: "A+2 B-1, LURD, JSON, ..."});
  const cost = input({placeholder: "24; 8,31; unsolvable"});
  /** @type {Form} */
  const form = new Form("Check", () => start("check", {...form.values, plan: plan.value.trim(), cost: cost.value.trim()}),
    undefined, field("A plan, if there is one", plan), field("Claimed optimum", cost));
  plan.closest(".field").classList.add("wide");
  const certify = async () => {
    try { return await start("certify", form.values); } catch (error) {
      const {status, message} = /** @type {Error & {status?: number}} */ (error);
      if (status !== 409) throw error;
      const over = button("Overwrite them", "", async () => { asked.close(); await start("certify", {...form.values, overwrite: true}); });
      const asked = dialog("Write a certificate", made("p", {}, message), made("div", {class: "buttons"},
        button("Keep them", "strong", () => asked.close()), over));
    }
  };
  const empty = made("p", {class: "empty"}, NOTHING.check), place = made("div", {class: "runs", role: "status"});
  element.append(form.element, made("div", {class: "buttons"}, button("Write a certificate", "certify", certify),
    button("Check the certificate", "check-certificate", () => start("check-certificate", form.values))), empty, place);
  const more = answered(({plan: frames, plan_text: text, label, from}, card) => {
    if (frames) card.more.append(button("Show on the board", "strong on-board", () => follow(frames, label || "the plan", from)));
    if (text) card.more.append(button("Copy the plan", "flat", () => copy(text)));
  });
  const {cards} = cardsOf(() => `check ${state.key}`, place, false, more, () => { empty.hidden = cards.size > 0; });
  on("puzzle", () => form.offer());
}

/** @param {HTMLElement} element */
export const panel = element => ({solve, explore, check})[/** @type {"solve"} */ (element.dataset.panel)]?.(element);
