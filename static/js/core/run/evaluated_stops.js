/** Keeps the lists of stops up to date, and loads log messages. A saved page has neither. */
import { effect, untracked } from "@preact/signals";
import { afterPause } from "../idle.js";
import * as store from "../store.js";
import { isEvaluated, stopsFor } from "./breakpoints.js";
import { arrivals, listOf, logsOf, MOST_LOGS } from "./stop_lists.js";
import { isOn } from "./stops.js";

/** Pause between requests in the background. */
const PAUSE_MS = 150;

/** Keep the lists of the shown process up to date, for the marks of the page. */
export function keepStops() {
  effect(() => {
    arrivals.value;
    store.outlineVersion.value;
    const short = listsOfShown().find((list) => list.isShort(store.outline.value));
    if (!short) return undefined;
    return untracked(() => afterPause(() => void short.fetch().catch(() => undefined), PAUSE_MS));
  });
}

/** The lists of all enabled breakpoints, log points too. @returns {import("./stop_lists.js").StopList[]} */
function listsOfShown() {
  const process = store.process.value;
  const points = store.breakpoints.value.filter((point) => isEvaluated(point) && stopsFor(point, process));
  return points.flatMap((point) => (isOn(point) ? [listOf(point, process)] : []));
}

/** The log messages of the shown process after step `from`, up to `to`, in order. @param {number} from @param {number} to @returns {Promise<{step: number, text: string}[]>} */
export async function logsBetween(from, to) {
  const process = store.process.value;
  const points = store.breakpoints.value.filter((point) => point.log && isOn(point) && stopsFor(point, process));
  const found = await Promise.all(points.map((point) => logsOf(point, process, from + 1, to + 1)));
  return found
    .flat()
    .sort((one, other) => one.step - other.step)
    .slice(-MOST_LOGS);
}
