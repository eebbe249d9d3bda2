/* Rules that are data, as pages have them: random walks and all states. Told to `tests/views/test_rules_in_pages.py`.

deno run --allow-read rules_in_pages.js web-folder rules.json steps most
One line of JSON: {walk: [{row of what is to be seen}], walks: {far, listed, to}, states, optimum, seconds} */
const [folder, file, steps, most] = Deno.args;
const {Stage} = await import(`${folder}/pieces.js`);
const {Moves} = await import(`${folder}/moves.js`);
const {Exploration} = await import(`${folder}/search.js`);
const data = JSON.parse(Deno.readTextFileSync(file));

/** Random numbers that are the same each time. */
let seed = 1;
const random = () => (seed = Math.imul(seed, 48271) + 11 >>> 0) / 2 ** 32;

/** Where a move says that its piece goes, and where it then is. */
const landed = ({piece, to}, {at, moved}) => piece == null || (String(at[piece].slice(0, 2)) === String(to) && moved.includes(piece));

function walk() {
  const moves = new Moves(data, new Stage(data.scene)), walked = [];
  for (let state = moves.start, number = 0; number < +steps; number++) {
    const all = moves.of(state), chosen = all[Math.floor(random() * all.length)];
    walked.push({at: state.at, lines: moves.programs && moves.rules.board(state.row), solved: state.solved, cost: state.cost,
      moves: all.map(({notation, tap, slide}) => ({notation, tap, slide})), chosen: chosen?.notation,
      landed: all.every(move => landed(move, move.then()))});
    if (!chosen) break;
    state = chosen.then();
  }
  return walked;
}

function all() {
  const begun = performance.now(), found = new Exploration(data, +most);
  while (!found.run(1000));
  const seconds = (performance.now() - begun) / 1000;
  return {states: found.states, seconds, more: found.more, ...(found.more ? {} : {optimum: found.optimum === Infinity ? null : found.cost(found.optimum)})};
}

/** Where the walker can go from the start: whether it can go further than its moves say, how many these are, and by which
    letters to each cell. */
function walks() {
  const moves = new Moves(data, new Stage(data.scene)), {start} = moves;
  return {far: moves.far, listed: moves.of(start).length,
    to: data.walker.cells.map(cell => [cell, moves.walk(start, cell)?.notation ?? ""])};
}

console.log(JSON.stringify({...(data.walker && +steps ? {walks: walks()} : {}), walk: +steps ? walk() : [], ...(+most ? all() : {})}));
