/** Where one is, and what one looks at, as an address of the page. */
import { isFile } from "./source.js";
import * as store from "./store.js";

/** What an address names a file of values by. */
export const VALUES = "values:";

/** The address of this moment. @returns {URL} */
export function positionUrl() {
  const url = new URL(location.href);
  url.searchParams.delete("token");
  const run = store.run.value;
  if (run === null) return url;
  const process = store.process.value;
  const parameters = {
    run: run.number,
    step: store.position.value,
    process: process > 0 ? process : null,
    compare: compared(),
    tab: ["tensor", "compare"].includes(store.stageTab.value) ? null : store.stageTab.value,
    value: chosen(),
    element: element(),
  };
  const query = isFile() ? new URLSearchParams() : url.searchParams;
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) query.delete(name);
    else query.set(name, String(value));
  }
  if (isFile()) url.hash = String(query);
  return url;
}

/** What the address says beside the path: of a file it stands behind the #. @returns {string} */
export const addressQuery = () => (isFile() ? location.hash.slice(1) : location.search);

/** What the shown run is compared with, where one looks at that. @returns {string|number|null} */
function compared() {
  if (store.stageTab.value !== "compare") return null;
  return store.comparedValues.value === null ? store.comparedRun.value : VALUES + store.comparedValues.value;
}

/** The value that was chosen by hand, and which element of a tuple: `7`, `7.0.1`. @returns {string|null} */
const chosen = () =>
  store.chosenValue.value === null ? null : [store.chosenValue.value, ...store.chosenPath.value].join(".");

/** The element that the cursor stands on: `3,17`. @returns {string|null} */
function element() {
  const index = elementAtCursor();
  return index === null ? null : index.join(",");
}

/** The same as numbers, where it is of the value that is shown. @returns {number[]|null} */
export function elementAtCursor() {
  const at = store.standing.value;
  return at !== null && at.address === store.selectedValue.value?.address ? at.index : null;
}

/**
 * What an address says beside the step: the tab, the value, its element; null where it says nothing of these.
 *
 * @param {string} search the query of an address @returns {{tab: string, value: number|null, path: number[], element: number[]|null}|null}
 */
export function lookOf(search) {
  const query = new URLSearchParams(search);
  const [tab, value, element] = ["tab", "value", "element"].map((name) => query.get(name));
  if (!tab && !value && !element) return null;
  const [id = null, ...path] = numbers(value ?? "", ".");
  return {
    tab: tab ?? (query.has("compare") ? "compare" : "tensor"),
    value: id,
    path,
    element: element ? numbers(element, ",") : null,
  };
}

/** @param {string} text @param {string} between @returns {number[]} */
const numbers = (text, between) => (/^\d+([.,]\d+)*$/.test(text) ? text.split(between).map(Number) : []);
