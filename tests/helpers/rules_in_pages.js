/* Rules that are data, as pages have them: random walks and all states. Told to `tests/views/test_rules_in_pages.py`.

deno run --allow-read rules_in_pages.js web-folder rules.json steps most
One line of JSON: {walk: [{row of what is to be seen}], walks: {far, listed, to}, states, optimum, seconds} */
const [folder, file, steps, most] = Deno.args;
const {Moves} = await import(`${folder}/moves.js`);
const {ProgramMoves} = await import(`${folder}/program_moves.js`);
const {Exploration} = await import(`${folder}/search.js`);
const data = JSON.parse(Deno.readTextFileSync(file));

/** Random numbers that are the same each time. */
let seed = 1;
const random = () => (seed = Math.imul(seed, 48271) + 11 >>> 0) / 2 ** 32;

function walk() {
  const moves = new ProgramMoves(data), walked = [];
  for (let state = moves.start, number = 0; number < +steps; number++) {
    const all = moves.of(state), chosen = all[Math.floor(random() * all.length)];
    walked.push({at: state.at, lines: moves.rules.board(state.row), solved: state.solved, cost: state.cost,
      moves: all.map(({then, also, weight, zone, ...move}) => move), chosen: chosen?.notation});
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
  const moves = new Moves(data), {start} = moves;
  return {far: moves.far, listed: moves.of(start).length,
    to: data.walker.cells.map(cell => [cell, moves.walk(start, cell)?.notation ?? ""])};
}

console.log(JSON.stringify({...(data.walker && +steps ? {walks: walks()} : {}), walk: data.programs && +steps ? walk() : [], ...(+most ? all() : {})}));
