/** The position and the selection as an address of the page. */
import { isFile } from "./source.js";
import * as store from "./store.js";

/** Prefix in an address for a file of values. */
export const VALUES = "values:";

/** The address of the current view. @returns {URL} */
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

/** The query of the address; a saved page has it behind the #. @returns {string} */
export const addressQuery = () => (isFile() ? location.hash.slice(1) : location.search);

/** The other side of the comparison, while Compare is shown. @returns {string|number|null} */
function compared() {
  if (store.stageTab.value !== "compare") return null;
  return store.comparedValues.value === null ? store.comparedRun.value : VALUES + store.comparedValues.value;
}

/** The value chosen by hand, with the path in a tuple: `7`, `7.0.1`. @returns {string|null} */
const chosen = () =>
  store.chosenValue.value === null ? null : [store.chosenValue.value, ...store.chosenPath.value].join(".");

/** The element at the cursor: `3,17`. @returns {string|null} */
function element() {
  const index = elementAtCursor();
  return index === null ? null : index.join(",");
}

/** The element at the cursor as numbers, if it belongs to the shown value. @returns {number[]|null} */
export function elementAtCursor() {
  const at = store.standing.value;
  return at !== null && at.address === store.selectedValue.value?.address ? at.index : null;
}

/**
 * The tab, the value and the element of an address; null where it names none.
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
