/* A puzzle to play on a <budge-board> without a server: its rules are data in the page; see views/player.py.

The page has <script id="game" type="application/json"> with {scene, units, digest, best, least, positions | operators ...}
and a <div class="game"> with a <budge-board>, buttons [data-do], .counter, .told, .choices and .history. */
(() => {
  const WAYS = {U: [-1, 0], D: [1, 0], L: [0, -1], R: [0, 1]}, ARROWS = {U: "↑", D: "↓", L: "←", R: "→"};
  const KEYS = {z: "undo", u: "undo", y: "redo", r: "again"};
  const source = document.getElementById("game"), page = document.querySelector(".game");
  if (!source || !page) return;
  const game = JSON.parse(source.textContent), rules = game.positions ? listed(game) : sliding(game);
  const board = page.querySelector("budge-board"), part = name => page.querySelector(name);
  const memory = `budge ${game.digest}`;
  let states = [rules.start], played = [], now = 0, moves = [];

  const sum = (a, b) => a.map((n, i) => n + b[i]);
  const compared = (a, b) => a.map((n, i) => n - b[i]).find(n => n) || 0;
  const counted = cost => cost.map((n, i) => `${n.toLocaleString("en")} ${game.units[i][n === 1 ? 0 : 1]}`).join(", ");

  // Rules

  /** All positions are listed with their moves. */
  function listed({positions, units}) {
    const state = (number, cost) => ({...positions[number], number, cost});
    return {
      start: state(0, units.map(() => 0)),
      moves: here => positions[here.number].moves.map(([target, cost, option]) =>
        ({...option, then: () => state(target, sum(here.cost, cost))})),
    };
  }

  /** Operators on facts; each slides a piece, or several do in turn (compound); a walker may have to come first. */
  function sliding({scene, init, goal, operators, compound, far, marked, walker, units}) {
    const key = ([row, column]) => `${row},${column}`, end = ([row, column], path) =>
      [...path].reduce(([r, c], way) => [r + WAYS[way][0], c + WAYS[way][1]], [row, column]);
    const marks = new Set(marked.map(key)), faces = Object.fromEntries(scene.pieces.map(({id, faces}) => [id, faces.length]));
    const labels = Object.fromEntries(scene.pieces.map(({id, label}) => [id, label]));
    const holds = facts => goal.every(clause => clause.some(fact => facts.has(fact)));
    const applies = ([pre], facts) => pre.every(fact => facts.has(fact));
    const changed = ([, add, del], facts) => {
      const after = new Set(facts);
      del.forEach(fact => after.delete(fact)); add.forEach(fact => after.add(fact));
      return after;
    };
    const put = (at, id, cell) => ({...at, [id]: [...cell, faces[id] > 1 && marks.has(key(cell)) ? 1 : 0]});
    const along = (cell, path) => [...path].map((_, i) => end(cell, path.slice(0, i + 1)));
    const written = (id, path) => `${labels[id]} ${path.replace(/(.)\1*/g, (run, way) =>
      ARROWS[way] + (run.length > 1 ? run.length : ""))}`.trim();

    /** The cells that the walker reaches, each with the letters of a shortest way. */
    function reached({facts, walks}) {
      const ways = new Map([[walks, ""]]);
      for (const cell of ways.keys())
        for (const next of walker.neighbours[cell]) {
          if (ways.has(next) || !facts.has(walker.free[next])) continue;
          const [from, to] = [walker.cells[cell], walker.cells[next]];
          const way = Object.keys(WAYS).find(name => key(end(from, name)) === key(to));
          ways.set(next, ways.get(cell) + way);
        }
      return ways;
    }

    /** The state after a move; one that goes on with the last one costs nothing more. */
    function after(here, facts, id, cell, path, cost) {
      const last = compound ? id : far && `${id} ${path[0]}`, on = last && last === here.last;
      return {...here, facts, at: put(here.at, id, end(cell, path)), moved: [id], solved: holds(facts), last,
        cost: on ? here.cost : sum(here.cost, cost), via: path.length > 1 ? {[id]: along(cell, path)} : {}};
    }

    function pushes(here, found) {
      const ways = reached(here), me = scene.walker, from = here.at[me], each = n => walker.cost.map(cost => cost * n);
      for (const [cell, path] of ways)
        if (path) found.push({piece: me, to: walker.cells[cell], notation: path.toLowerCase(),
          ...(path.length === 1 ? {way: path} : {}), then: () => ({
            ...here, at: put(here.at, me, walker.cells[cell]), moved: [me], walks: cell,
            cost: sum(here.cost, each(path.length)), via: {[me]: along(from, path)}})});
      return (op, id) => {
        const [, , , cell, path, cost, [before, behind]] = op, walk = ways.get(before);
        if (walk === undefined) return null;
        return {notation: walk.toLowerCase() + path, then: () => {
          const next = after(here, changed(op, here.facts), id, cell, path, sum(cost, each(walk.length)));
          const still = Array(walk.length).fill(cell);
          return {...next, at: put(next.at, me, walker.cells[behind]), walks: behind,
            via: {[me]: along(from, walk + path), [id]: [...still, ...along(cell, path)]}};
        }};
      };
    }

    /** All that one piece can do as one move: operators, each from where the one before put it. */
    function chains(here, id, first, found) {
      const seen = new Set([first[6][0]]), queue = [{facts: here.facts, op: first, path: "", cell: first[3]}];
      for (const {facts, op, path} of queue) {
        const there = op[6][1], whole = path + op[4], next = changed(op, facts);
        if (seen.has(there)) continue;
        seen.add(there);
        found(first[3], whole, () => after(here, next, id, first[3], whole, [1]));
        for (const other of operators) if (other[6][0] === there && applies(other, next)) queue.push({facts: next, op: other, path: whole});
      }
    }

    function moves(here) {
      const found = [], on = new Map(Object.entries(here.at).map(([id, cell]) => [key(cell), id]));
      const pushed = walker ? pushes(here, found) : null, targets = new Set();
      for (const op of operators) {
        if (!applies(op, here.facts)) continue;
        const [, , , cell, path, cost] = op, id = on.get(key(cell));
        const add = (from, whole, then, more = {notation: written(id, whole)}) => {
          const to = end(from, whole), name = `${id} ${to}`;
          if (targets.has(name)) return;
          targets.add(name);
          found.push({piece: id, to, ...(/^(.)\1*$/.test(whole) ? {way: whole[0]} : {}), ...more, then});
        };
        if (pushed) { const push = pushed(op, id); if (push) add(cell, path, push.then, push); }
        else if (compound) chains(here, id, op, add);
        else add(cell, path, () => after(here, changed(op, here.facts), id, cell, path, cost));
      }
      return found;
    }

    const facts = new Set(init);
    return {moves, start: {at: scene.start.at, facts, solved: holds(facts), cost: units.map(() => 0), walks: walker?.start}};
  }

  // The game

  function show(via = true) {
    const state = states[now];
    moves = rules.moves(state);
    board.state = {at: state.at, moved: now ? state.moved || [] : [], via: via ? state.via || {} : {}, lines: state.lines};
    board.moves = moves.map(({then, ...move}) => move);
    part(".counter").textContent = counted(state.cost);
    part(".told").replaceChildren(...told(state));
    page.classList.toggle("solved", state.solved);
    for (const [name, able] of [["undo", now > 0], ["redo", now < played.length], ["again", now > 0]])
      part(`[data-do=${name}]`).disabled = !able;
    const list = part(".history"), done = played.slice(0, now).map(move => move.text);
    list.textContent = done.join("  "); list.hidden = !done.length;
    list.scrollTop = list.scrollHeight;
    board.choices(part(".choices"));
    keep();
  }

  function told(state) {
    const {best, known, least, expected} = game, claim = expected && compared(expected, known || expected) < 0;
    const found = known && `The best plan found here has ${counted(known)}${claim ? `; the file expects ${counted(expected)}` : ""}`;
    if (!state.solved)
      return [now || !known ? "" : best ? `Can you do it in ${counted(best)}?`
        : `${found}. Can you do better?`];
    const mark = document.createElement("strong"), shortest = best && compared(state.cost, best) <= 0;
    mark.textContent = shortest
      ? `${best.length > 1 ? counted(best) : `${state.cost} of ${best}`}: a shortest solution` : `Solved in ${counted(state.cost)}`;
    const next = document.querySelector("a[rel=next]")?.cloneNode(true);
    const more = best && !shortest ? `. The shortest has ${best.length > 1 ? counted(best) : best}.` : best || !known ? "." : `. ${found}`
      + (least ? `; at least ${counted(least)} must be made.` : ".");
    return next ? [mark, more, " ", next] : [mark, more];
  }

  function play(number) {
    const move = moves[number];
    if (!move) return board.moves = board.moves;
    played = [...played.slice(0, now), {number, text: move.notation}];
    states = [...states.slice(0, now + 1), move.then()];
    now += 1;
    show();
  }

  function go(where) {
    const there = Math.max(0, Math.min(states.length - 1, where));
    const on = there === now + 1;
    now = there;
    show(on);
  }

  const act = {undo: () => go(now - 1), redo: () => go(now + 1), again: () => go(0)};

  function keep() {
    const old = kept(), done = states[now].solved && states[now].cost;
    const best = done && (!old.best || compared(done, old.best) < 0) ? done : old.best;
    try { localStorage.setItem(memory, JSON.stringify({played: played.map(move => move.number), now, best})); } catch { /* private */ }
  }

  function kept() {
    try { return JSON.parse(localStorage.getItem(memory)) || {}; } catch { return {}; }
  }

  /** The game as it was left: undo works across a reload. */
  function restore({played: numbers = [], now: where = 0}) {
    for (const number of numbers) {
      const move = rules.moves(states.at(-1))[number];
      if (!move) break;
      played.push({number, text: move.notation}); states.push(move.then());
    }
    now = Math.max(0, Math.min(where | 0, states.length - 1));
  }

  board.replaceChildren();
  board.scene = game.scene;
  const [, , wide, high] = game.scene.view;
  board.style.setProperty("--ratio", wide / high); board.style.setProperty("--budge-units", `${wide}px`);
  restore(kept());
  board.addEventListener("move", event => play(event.detail.index));
  for (const button of page.querySelectorAll("[data-do]")) button.addEventListener("click", () => act[button.dataset.do]());
  document.addEventListener("keydown", event => {
    if (event.defaultPrevented || event.target.closest?.("input, select, textarea, summary, budge-replay")) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey, name = KEYS[event.key.toLowerCase()];
    if (plain && event.isTrusted && !board.contains(event.target) && (event.key.startsWith("Arrow") || event.key.length === 1)) {
      const stage = board.firstElementChild;
      if (!event.target.closest?.("button, a")) stage.focus({preventScroll: true});
      const passed = new KeyboardEvent("keydown", {key: event.key, bubbles: true, cancelable: true});
      if (event.key !== " " && !stage.dispatchEvent(passed)) return event.preventDefault();
    }
    if (name && (plain || (event.key.toLowerCase() === "z" && !event.altKey && !event.shiftKey))) { event.preventDefault(); act[name](); }
  });
  show();
})();
