/**
 * Prefetches the values of the next steps, forwards and back, after a step is painted: a stretch of steps at once, and
 * the next stretch when little of it is left, so that most steps need no request.
 */
import { effect, untracked } from "@preact/signals";
import { afterPaint } from "../../core/later.js";
import { Missing } from "../../core/run/outline.js";
import * as stepping from "../../core/run/stepping.js";
import * as store from "../../core/store.js";
import { fetchThumbnailAhead } from "../../ui/thumbnails.js";
import { fetchSummaryAhead, isSummaryAsked, knownSummary, windowsOf } from "../../core/tensor/known_values.js";
import { axesInMemory, layoutOf } from "./settings.js";
/** @import {SelectedValue} from "../../core/view_types.js" */

/** Number of steps that pass per answer while a key is held down. */
const NEAR = { ahead: 4, behind: 1 };
/** Number of steps fetched if one of those is missing. */
const STRETCH = { ahead: 10, behind: 4 };
/** Maximum number of steps by which a page of a class requests the next stretch earlier. */
const EARLIEST = 6;
let early = 0;

/** All members of a class go to the same step at once: each page requests the next stretch at another step. */
export function spreadAhead() {
  early = Math.floor(Math.random() * EARLIEST);
}

/** Limit for distant values: large ones take time on the server and on slow connections. */
const MOST_ELEMENTS = 1 << 20;

/** @returns {() => void} ends it */
export function keepAhead() {
  let cancel = () => {};
  const end = effect(() => {
    store.calmPosition.value;
    store.outlineVersion.value;
    const key = store.recordingKey.value;
    cancel();
    if (key !== null) cancel = afterPaint(() => untracked(() => lookAhead(key)));
  });
  return () => {
    end();
    cancel();
  };
}

/** @param {string} key */
function lookAhead(key) {
  const near = valuesAround(sooner(NEAR));
  if (near.every((value) => isHere(key, value))) return;
  for (const value of affordable(valuesAround(sooner(STRETCH)), near.length)) fetchAhead(key, value);
}

/** @param {{ahead: number, behind: number}} reach */
const sooner = ({ ahead, behind }) => ({ ahead: ahead + early, behind });

/** The values drawn after each of the next steps, the nearest first. @param {{ahead: number, behind: number}} reach @returns {SelectedValue[]} */
function valuesAround({ ahead, behind }) {
  const outline = store.outline.value;
  const at = store.position.value;
  /** @type {Set<number|null>} */
  const places = new Set();
  /** @param {(outline: import("../../core/run/outline.js").Outline, step: number) => number|null} way @param {number} steps */
  const walk = (way, steps) => {
    let step = /** @type {number|null} */ (at);
    for (let n = 0; step !== null && n < steps; n++) {
      const next = way(outline, step);
      places.add(next).add(stepping.into(outline, step)).add(stepping.back(outline, step));
      step = next;
    }
  };
  try {
    walk(stepping.over, NEAR.ahead);
    walk(stepping.backOver, NEAR.behind);
    walk(stepping.over, ahead);
    walk(stepping.backOver, behind);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
  }
  const steps = [...places].filter((step) => step !== null && step !== at && step < outline.steps);
  return steps
    .map((step) => store.valueToDraw(/** @type {number} */ (step)))
    .filter((value) => value !== null)
    .filter(({ shape, path }) => shape !== null && path.length === 0);
}

/** The near values, and distant ones up to the limit. @param {SelectedValue[]} values @param {number} near @returns {SelectedValue[]} */
function affordable(values, near) {
  let elements = 0;
  return values.filter(({ shape }, at) => {
    if (at >= near) elements += (shape ?? []).reduce((/** @type {number} */ product, size) => product * (size ?? 1), 1);
    return elements <= MOST_ELEMENTS;
  });
}

/** Whether the data of a value is cached or requested. @param {string} key @param {SelectedValue} value @returns {boolean} */
function isHere(key, value) {
  const summary = knownSummary(key, value.address);
  if (!summary) return isSummaryAsked(key, value.address);
  return !hasPicture(summary) || picturesOf(key, value, summary).isAsked();
}

/** @param {import("../../core/types.js").ValueSummary} summary @returns {boolean} */
const hasPicture = ({ shape, count }) => Boolean(shape) && count > 0;

/** @param {string} key @param {SelectedValue} value @param {import("../../core/types.js").ValueSummary} summary */
function picturesOf(key, value, summary) {
  const axes = axesInMemory(summary);
  const layout = layoutOf(`${value.value} ${value.name}${axes ? " in memory" : ""}`, summary.shape, axes);
  return windowsOf(key, summary, layout);
}

/** @param {string} key @param {SelectedValue} value */
async function fetchAhead(key, value) {
  fetchThumbnailAhead(key, value.address);
  // The reader of the value reports errors.
  const summary = await fetchSummaryAhead(key, value.address).catch(() => null);
  if (!summary || !hasPicture(summary)) return;
  await picturesOf(key, value, summary)
    .fetchAhead()
    .catch(() => null);
}
