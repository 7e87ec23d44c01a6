/**
 * The user's source: the file and line that an op comes from.
 *
 * @typedef {{file: string, line: number, column: number}} SourceLine
 */
import { addTo } from "../kept.js";
import { over } from "./stepping.js";
/** @import {Outline} from "./outline.js" */
/** @import {Program} from "./program.js" */

/** `gen.py:29:38`. @param {string|null} location @returns {SourceLine|null} */
export function sourceLine(location) {
  const found = /^(.*):(\d+):(\d+)$/.exec(location ?? "");
  return found ? { file: found[1] ?? "", line: Number(found[2]), column: Number(found[3]) } : null;
}

/** File and line as one key. @param {Program} program @param {number} op @returns {string|null} */
export function sourceKey(program, op) {
  const found = sourceLine(program.op(op).location);
  return found && `${found.file}:${found.line}`;
}

/** The ops that come from each line of a file. @param {Program} program @param {string} file @returns {Map<number, number[]>} */
export function opsOfFile(program, file) {
  /** @type {Map<number, number[]>} */
  const lines = new Map();
  for (const { id, location } of program.ops) {
    const found = location?.startsWith(file) ? sourceLine(location) : null;
    if (found?.file === file) addTo(lines, found.line, id);
  }
  return lines;
}

/** For each line of the program a number of its source line: equal for equal source lines, in order of appearance. @param {Program} program @returns {Map<number, number>} */
export function groupsByLine(program) {
  /** @type {Map<string, number>} */
  const groups = new Map();
  const lines = new Map();
  for (const { id, line } of program.ops) {
    const key = sourceKey(program, id);
    if (key === null || lines.has(line)) continue;
    if (!groups.has(key)) groups.set(key, groups.size);
    lines.set(line, groups.get(key));
  }
  return lines;
}

/** The next step in this frame or around it that comes from another source line. @param {Outline} outline @param {Program} program @param {number} position @returns {number|null} */
export function overSourceLine(outline, program, position) {
  const from = position < outline.steps ? sourceKey(program, outline.op(position)) : null;
  for (let at = position; ;) {
    const next = over(outline, at);
    if (next === null || next === at || next >= outline.steps) return next;
    const key = sourceKey(program, outline.op(next));
    if (key !== null && key !== from) return next;
    at = next;
  }
}
