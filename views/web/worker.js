/* The worker of <budge-game>. */
import {worker} from "./search.js";

const hear = worker(message => postMessage(message));
onmessage = ({data}) => hear(data);
