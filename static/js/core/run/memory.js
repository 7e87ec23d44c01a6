/** Live bytes of the program at each op, from its text: requested once for a recording, when the page first shows them. */
import { AnswerCache } from "../answers.js";
import { getJson, recordingPath } from "../api.js";
import * as store from "../store.js";
import { otherPath, otherRun } from "./other_run.js";
import { CHUNK, NONE } from "./outline.js";
import { keptFor } from "../kept.js";
/** @import {LiveInfo, MemoryDifference, MemoryInfo} from "../types.js" */
/** @import {Outline} from "./outline.js" */

/** @type {AnswerCache<MemoryInfo>} */
const programs = new AnswerCache(2, { asksAgain: true });
/** @type {AnswerCache<MemoryDifference>} */
const differences = new AnswerCache(4, { asksAgain: true });
/** @type {AnswerCache<LiveInfo>} */
const steps = new AnswerCache(64, { asksAgain: true });
/** The live bytes of the shown recording; undefined while they are on their way. @returns {MemoryInfo|Error|undefined} */
export function readMemory() {
  programs.arrivals.value;
  const key = store.recordingKey.value;
  if (key === null) return undefined;
  return programs.read(key, () => getJson(`${recordingPath(key)}/memory`));
}

/** What changed from the first to the second of the shown run and the other one; null if the session has no other run. @returns {MemoryDifference|Error|null|undefined} undefined while it is on its way */
export function readDifference() {
  differences.arrivals.value;
  const [key, other] = [store.recordingKey.value, otherRun.value];
  if (key === null || other === null || store.comparedValues.value !== null) return null;
  return differences.read(`${key} ${other}`, async () => getJson(await otherPath("/memory")));
}

/** The live bytes for the timeline, which draws them while the memory panel is in front. @returns {MemoryInfo|null} */
export function memoryInFront() {
  if (!store.panelsInFront.value.includes("memory")) return null;
  const found = readMemory();
  return found && !(found instanceof Error) ? found : null;
}

/** The buffers that are live at an op; undefined while they are on their way. @param {number} op @returns {LiveInfo|Error|undefined} */
export function readLive(op) {
  steps.arrivals.value;
  const key = store.recordingKey.value;
  if (key === null) return undefined;
  return steps.read(`${key} ${op}`, () => getJson(`${recordingPath(key)}/memory/${op}`));
}

/** The ops in the schedule. */
const opsInSchedule = keptFor((/** @type {MemoryInfo} */ { schedule }) => new Set(schedule));

/**
 * The op of a step, or of the innermost frame around it, that is in the schedule: ops of fusions and reductions are not.
 *
 * @param {MemoryInfo} memory @param {Outline} outline @param {number} step @returns {number|null}
 */
export function scheduledOp(memory, outline, step) {
  const ops = opsInSchedule(memory);
  let at = Math.min(step, outline.steps - 1);
  while (at >= 0 && !ops.has(outline.op(at))) {
    const opener = outline.opener(outline.frame(at));
    if (opener === NONE) return null;
    at = opener;
  }
  return at < 0 ? null : outline.op(at);
}

/**
 * The most live bytes in each of `columns` equal stretches of the loaded steps; -1 where none are known.
 *
 * @param {MemoryInfo} memory @param {Outline} outline @param {number} columns @returns {Float64Array}
 */
export function bytesInColumns(memory, outline, columns) {
  const found = new Float64Array(columns).fill(-1);
  const last = Math.max(1, outline.last);
  outline.stepChunks.forEach((chunk, number) => {
    for (let at = 0; chunk && at < chunk.count; at++) {
      const bytes = memory.bytes[/** @type {number} */ (chunk.op[at])] ?? -1;
      const column = Math.min(columns - 1, Math.floor(((number * CHUNK + at) / last) * columns));
      if (bytes > /** @type {number} */ (found[column])) found[column] = bytes;
    }
  });
  return found;
}
