/** Where the values of the recording are not finite, for the lists that are filtered by that: searched once somebody asks. */
import { computed } from "@preact/signals";
import { isHidden } from "../hidden_values.js";
import * as store from "../store.js";
import { progressText, ValueSearch } from "./value_search.js";

const search = new ValueSearch({ hits: 100_000, ms: 120_000 });
/** What was searched last: a recording, as far as it went. */
let searched = "";

/** @typedef {{steps: ReadonlySet<number>, addresses: ReadonlySet<string>, lines: ReadonlySet<number>, hits: readonly import("./value_search.js").Hit[], count: number}} Nonfinite of the shown process, without what is covered; lines and count are of the run, and of all */

const found = computed(() => {
  const all = search.hits.value.filter(({ address }) => !isHidden(store.recordingKey.value ?? "", address));
  const hits = all.filter(({ process }) => process === store.process.value);
  return /** @type {Nonfinite} */ ({
    steps: new Set(hits.flatMap(({ step }) => (step === null ? [] : [step]))),
    addresses: new Set(hits.map(({ address }) => address)),
    lines: new Set(all.map(({ line }) => line)),
    hits,
    count: all.length,
  });
});

/** What is known by now. The search begins with the first who asks, and anew once more is recorded. @returns {Nonfinite} */
export function nonfinite() {
  const now = `${store.recordingKey.value} ${store.steps.value}`;
  if (searched !== now && search.state.peek() !== "searching") {
    searched = now;
    queueMicrotask(() => void search.start({ find: "nonfinite" }));
  }
  return found.value;
}

/** How far the search is, while it is not done. @returns {string} */
export const nonfiniteProgress = () =>
  search.state.value === "searching" ? progressText(search, found.value.count) : "";
