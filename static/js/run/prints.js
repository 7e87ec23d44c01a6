/** What the program prints, fetched as it comes. */
import { getJson, recordingPath } from "../api.js";
import * as store from "../store.js";

/** The server tells no more of one run. */
export const MOST_PRINTS = 1000;

/** The recording that is being asked: each is asked once at a time. @type {string|null} */
let asking = null;

/** Fetch what is not here yet. @param {string} key @param {number} count how often the program has printed */
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
  if (here.length >= Math.min(store.printCount.value, MOST_PRINTS)) return false;
  const found = await getJson(`${recordingPath(key)}/prints?from=${here.length}`).catch(() => []);
  if (store.recordingKey.value !== key) return false;
  store.prints.value = [...here, ...found];
  return found.length > 0;
}
