/** The non-finite values of the recording, for lists that filter by them; searched on first use. */
import { computed } from "@preact/signals";
import { isHidden } from "../hidden_values.js";
import * as store from "../store.js";
import { progressText, ValueSearch } from "./value_search.js";

const search = new ValueSearch({ hits: 100_000, ms: 120_000 });
/** The last search: the recording and its length. */
let searched = "";

/** @typedef {{steps: ReadonlySet<number>, addresses: ReadonlySet<string>, lines: ReadonlySet<number>, hits: readonly import("./value_search.js").Hit[], count: number}} Nonfinite of the shown process, without hidden values; lines and count are of the whole run */

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

/** The hits so far. The first reader starts the search; it restarts when more is recorded. @returns {Nonfinite} */
export function nonfinite() {
  const now = `${store.recordingKey.value} ${store.steps.value}`;
  if (searched !== now && search.state.peek() !== "searching") {
    searched = now;
    queueMicrotask(() => void search.start({ find: "nonfinite" }));
  }
  return found.value;
}

/** The progress of the search, while it runs. @returns {string} */
export const nonfiniteProgress = () =>
  search.state.value === "searching" ? progressText(search, found.value.count) : "";
