/* Plans as pages show them. Told to `tests/views/test_plans_in_pages.py`.

deno run --allow-read plans_in_pages.js web-folder plans.json
`plans.json`: a list of {scene, frames}. One line of JSON: for each plan what is seen at the start and after each step */
const [folder, file] = Deno.args;
const {Stage} = await import(`${folder}/pieces.js`);

function shown({scene, frames}) {
  const stage = new Stage(scene), seen = [{rows: scene.rows, ...stage.start}];
  for (const frame of frames) seen.push(stage.after(seen.at(-1).rows, seen.at(-1).at, frame));
  return {seen, pieces: stage.scene.pieces.map(({id, name}) => [id, name])};
}

console.log(JSON.stringify(JSON.parse(Deno.readTextFileSync(file)).map(shown)));
