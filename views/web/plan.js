/* <budge-game> and its board for pages of plans alone. */
import {Board} from "./drawing.js";
import {Player} from "./player.js";

for (const [name, element] of Object.entries({"budge-board": Board, "budge-game": Player}))
  if (!customElements.get(name)) customElements.define(name, element);
