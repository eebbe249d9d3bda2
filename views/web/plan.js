/* <budge-game> for pages of plans alone. */
import {Player} from "./player.js";

if (!customElements.get("budge-game")) customElements.define("budge-game", Player);
