/** Menu items of a value that a saved page does not have. */
import { npyPath } from "../core/api.js";
import { reportError } from "../core/messages.js";
import { allElements } from "../core/tensor/element_sets.js";
import { fetchSummary } from "../core/tensor/known_values.js";
import { chooseValue, followElements, showTab } from "../core/view_actions.js";
import { watchValue } from "../core/watches.js";
import { fileName } from "./export.js";
/** @import {MenuItem} from "./menu.js" */

/** @param {string} key @param {string} whole @param {{value: number, path: number[], name: string}} named @returns {MenuItem[]} */
export function serverItems(key, whole, { value, path, name }) {
  const watch = () => {
    watchValue(name);
    showTab("watch");
  };
  return [
    ...(path.length > 0 ? [] : [{ text: "Add to Watch", run: watch }]),
    {
      text: "Where did it come from?",
      run: () => {
        chooseValue(value, path);
        followAll(key, whole, name).catch(reportError);
      },
    },
    { text: "Download as .npy", href: npyPath(key, whole), download: fileName(name, whole, "npy") },
  ];
}

/** Show in Provenance the sources of all elements of a value. @param {string} key @param {string} address @param {string} name */
async function followAll(key, address, name) {
  const { shape } = await fetchSummary(key, address);
  followElements({ address, elements: allElements(shape), text: name, direction: "back" });
}
