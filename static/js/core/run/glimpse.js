/**
 * The first lines of a large run before the whole table of its program is here: the windows with the ops around the first
 * step, and their values, are loaded first.
 */
import { batch } from "@preact/signals";
import { getBytes, recordingPath } from "../api.js";
import * as store from "../store.js";
import { Outline } from "./outline.js";
import { Program } from "./program.js";
import { programTable, rowsOf } from "./program_table.js";
/** @import {ProgramWindow, RunInfo} from "../types.js" */

/** Maximum number of ops whose values are on the first screen. */
const ON_SCREEN = 100;

/**
 * Show the lines around step 0, where the page will open there; returns the outline that it shows.
 *
 * @param {RunInfo} run @param {ProgramWindow} first @param {(chunk: number) => Promise<ProgramWindow>} load
 * @param {(outline: Outline) => () => void} begin brings the outline up to date; its result publishes that
 * @returns {Promise<Outline|undefined>}
 */
export async function showGlimpse(run, first, load, begin) {
  const found = await fetchGlimpse(run, first, load).catch(() => null);
  if (!found) return undefined;
  const publish = begin(found.outline);
  batch(() => {
    store.run.value = run;
    store.outline.value = found.outline;
    store.glimpse.value = found.program;
    publish();
  });
  return found.outline;
}

/**
 * The outline and the part of the program around step 0; null if the page will not open there.
 *
 * @param {RunInfo} run @param {ProgramWindow} first @param {(chunk: number) => Promise<ProgramWindow>} load
 * @returns {Promise<{outline: Outline, program: Program}|null>}
 */
async function fetchGlimpse(run, first, load) {
  // With a breakpoint, a run opens where that stops it.
  if (run.processes > 1 || store.breakpoints.peek().length > 0) return null;
  const [steps, frames] = await Promise.all([fetchChunk(run, "outline"), fetchChunk(run, "frames")]);
  const outline = new Outline();
  outline.addSteps(0, steps);
  outline.addFrames(0, frames);
  if (outline.steps === 0) return null;
  const rows = rowsOf(first);
  const windows = [first];
  const fetchRow = async (/** @type {number} */ row) => {
    const number = Math.floor(row / rows);
    windows[number] ??= await load(number);
  };
  const op = outline.op(0);
  await fetchRow(op);
  const { ops } = programTable(windows, run.text);
  const made = ops.slice(op, op + ON_SCREEN).flatMap(({ results }) => results);
  for (const row of [ops[op]?.block, made[0], made.at(-1)]) if (row !== undefined) await fetchRow(row);
  return { outline, program: new Program(programTable(windows, run.text), false) };
}

/** @param {RunInfo} run @param {string} part */
const fetchChunk = (run, part) => getBytes(`${recordingPath(run.key)}/${part}?chunk=0`);
