/**
 * The ladder: all lessons in order, in groups, with the progress of this browser. The progress travels in the fragment of
 * a link, which states for each lesson that was begun the first characters of its version and which steps are done.
 *
 * @typedef {{lesson: LessonTitle, number: number, done: readonly string[], isBegun: boolean, isDone: boolean}} Rung number: from 1
 * @typedef {{lesson: LessonTitle, done: string[]}} Restored
 */
import { keepProgress, keptProgress, newProgress } from "./progress.js";
/** @import {LessonTitle} from "../../core/types.js" */

const MARK = "#progress=1";
const BETWEEN = ".";
const VERSION_LENGTH = 6;
const BASE = 36;
const ENTRY = new RegExp(`^([0-9a-f]{${VERSION_LENGTH}})-([0-9a-z]{1,40})$`);
/** Maximum entries that are read from a link. */
const MOST_ENTRIES = 500;

/** @param {readonly LessonTitle[]} lessons @returns {Rung[]} */
export const rungs = (lessons) =>
  lessons.map((lesson, at) => {
    const kept = keptProgress(lesson.name, lesson.version);
    const done = lesson.steps.filter((id) => kept?.done.includes(id));
    const isDone = lesson.steps.length > 0 && done.length === lesson.steps.length;
    return { lesson, number: at + 1, done, isBegun: kept !== null, isDone };
  });

/** The lessons under their headings; those without a group follow under the last one. @param {readonly Rung[]} all @returns {{title: string|null, rungs: Rung[]}[]} */
export function grouped(all) {
  const titles = [...new Set(all.map(({ lesson }) => lesson.group))];
  return titles.map((title) => ({ title, rungs: all.filter(({ lesson }) => lesson.group === title) }));
}

/** The lesson to continue with: the first unfinished one whose prerequisites are done. @param {readonly Rung[]} all @returns {Rung|null} */
export function nextRung(all) {
  const open = all.filter(({ isDone }) => !isDone);
  const names = open.map(({ lesson }) => lesson.name);
  return open.find(({ lesson }) => !lesson.needs.some((need) => names.includes(need))) ?? open[0] ?? null;
}

/** The fragment of a link with the progress. @param {readonly Rung[]} all @returns {string} */
export const progressFragment = (all) =>
  [MARK, ...all.filter(({ done }) => done.length > 0).map(entryOf)].join(BETWEEN);

/** @param {Rung} rung */
function entryOf({ lesson: { version, steps }, done }) {
  const bits = steps.reduce((sum, id, at) => (done.includes(id) ? sum | (1n << BigInt(at)) : sum), 0n);
  return `${version.slice(0, VERSION_LENGTH)}-${bits.toString(BASE)}`;
}

/**
 * The progress in a fragment; null if it contains none. `unknown` counts lessons that this server does not have, or has
 * in another version.
 *
 * @param {string} fragment @param {readonly LessonTitle[]} lessons @returns {{found: Restored[], unknown: number}|null}
 */
export function readFragment(fragment, lessons) {
  if (fragment !== MARK && !fragment.startsWith(MARK + BETWEEN)) return null;
  const entries = fragment
    .slice(MARK.length + BETWEEN.length)
    .split(BETWEEN, MOST_ENTRIES)
    .map((entry) => ENTRY.exec(entry));
  const found = entries.flatMap((entry) => {
    const lesson = lessons.find(({ version }) => version.slice(0, VERSION_LENGTH) === entry?.[1]);
    return lesson && entry ? [{ lesson, done: doneIn(entry[2] ?? "", lesson.steps) }] : [];
  });
  return { found, unknown: entries.filter(Boolean).length - found.length };
}

/** @param {string} digits @param {readonly string[]} steps */
function doneIn(digits, steps) {
  const bits = [...digits].reduce((sum, digit) => sum * BigInt(BASE) + BigInt(parseInt(digit, BASE)), 0n);
  return steps.filter((_, at) => (bits >> BigInt(at)) & 1n);
}

/** Add restored progress to that of this browser. @param {readonly Restored[]} found */
export function takeOver(found) {
  for (const { lesson, done } of found) {
    const kept = keptProgress(lesson.name, lesson.version) ?? newProgress(lesson.version, lesson.steps.length);
    keepProgress(lesson.name, { ...kept, done: [...new Set([...kept.done, ...done])] });
  }
}
