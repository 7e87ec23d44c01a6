/** The prints of the program, loaded as they arrive. */
import { getJson, recordingPath } from "../api.js";
import * as store from "../store.js";

/** Maximum number of prints that the server returns for a run. */
export const MOST_PRINTS = 1000;

/** The recording that is being loaded: one request at a time. @type {string|null} */
let asking = null;

/** Load the missing prints. @param {string} key @param {number} count the number of prints */
export async function fetchPrints(key, count) {
  store.printCount.value = count;
  if (asking === key) return;
  asking = key;
  try {
    while (await fetchMore(key));
  } finally {
    if (asking === key) asking = null;
  }
}

/** @param {string} key @returns {Promise<boolean>} whether there may be more */
async function fetchMore(key) {
  const here = store.prints.value;
  const process = nextPrinter(here);
  if (process === null || here.length >= Math.min(store.printCount.value, MOST_PRINTS)) return false;
  const from = here.filter((one) => one.process === process).length;
  const whose = process === 0 ? "" : `&process=${process}`;
  const found = await getJson(`${recordingPath(key)}/prints?from=${from}${whose}`).catch(() => []);
  if (store.recordingKey.value !== key) return false;
  store.prints.value = inOrder([
    ...here,
    ...found.map((/** @type {{step: number, text: string}} */ one) => ({ ...one, process })),
  ]);
  return found.length > 0;
}

/** A process that has printed more than is loaded. @param {import("../view_types.js").Printed[]} here @returns {number|null} */
function nextPrinter(here) {
  const tracks = store.grid.value?.info.tracks;
  if (!tracks) return 0;
  const counts = new Map();
  for (const { process } of here) counts.set(process, (counts.get(process) ?? 0) + 1);
  const found = tracks.findIndex(({ prints }, process) => prints > (counts.get(process) ?? 0));
  return found < 0 ? null : found;
}

/** By step, those of one step by process. @param {import("../view_types.js").Printed[]} prints @returns {import("../view_types.js").Printed[]} */
const inOrder = (prints) => prints.sort((one, other) => one.step - other.step || one.process - other.process);
