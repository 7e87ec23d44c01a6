/** Fetches what the next steps will show, forwards and back, once the step before is painted. */
import { effect, untracked } from "@preact/signals";
import { afterPaint } from "../../core/later.js";
import { Missing } from "../../core/run/outline.js";
import * as stepping from "../../core/run/stepping.js";
import * as store from "../../core/store.js";
import { thumbnail } from "../../ui/thumbnails.js";
import { fetchCoarse, fetchSummary, windowsOf } from "./known_values.js";
import { axesInMemory, layoutOf } from "./settings.js";

/** Somebody who holds down a key passes so many steps while an answer is on its way. */
const STEPS_AHEAD = 4;

/** @returns {() => void} ends it */
export function keepAhead() {
  let cancel = () => {};
  const end = effect(() => {
    store.calmPosition.value;
    store.outlineVersion.value;
    const key = store.recordingKey.value;
    cancel();
    if (key !== null)
      cancel = afterPaint(() => untracked(() => nextValues().forEach((value) => fetchAhead(key, value))));
  });
  return () => {
    end();
    cancel();
  };
}

/** What will be drawn where the step keys lead. @returns {import("../../core/store.js").SelectedValue[]} */
function nextValues() {
  const outline = store.outline.value;
  const at = store.position.value;
  const places = new Set();
  try {
    for (let step = /** @type {number|null} */ (at), n = 0; step !== null && n < STEPS_AHEAD; n++) {
      step = stepping.over(outline, step);
      places.add(step);
    }
    places.add(stepping.into(outline, at)).add(stepping.backOver(outline, at)).add(stepping.back(outline, at));
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
  }
  const steps = [...places].filter((step) => step !== null && step !== at && step < outline.steps);
  return steps.map((step) => store.valueToDraw(step)).filter((value) => value !== null);
}

/** @param {string} key @param {import("../../core/store.js").SelectedValue} value */
async function fetchAhead(key, value) {
  if (!value.shape || value.path.length > 0) return;
  thumbnail(key, value.address);
  // Whoever shows the value says what is wrong with it.
  const summary = await fetchSummary(key, value.address).catch(() => null);
  if (!summary?.shape || summary.count === 0) return;
  const axes = axesInMemory(summary);
  const layout = layoutOf(`${value.value} ${value.name}${axes ? " in memory" : ""}`, summary.shape, axes);
  await fetchCoarse(windowsOf(key, summary, layout)).catch(() => null);
}
