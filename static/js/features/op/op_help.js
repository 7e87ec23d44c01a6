/** Where the help of the Op panel leads: to the page of the op that is shown. */
import * as store from "../../core/store.js";

/** @returns {string} a path, or an anchor of /help */
export function opHelp() {
  const op = store.currentOp.value;
  const name = op === null ? undefined : store.program.value?.op(op).name;
  return name ? `/ops/${name}` : "op";
}
