/** Sentences of the memory panel, and positions in the schedule. */
import { bytesText, counted } from "../../core/tensor/elements.js";
/** @import {MemoryInfo} from "../../core/types.js" */

/** `Peak 280 KiB at line 190, %dot.4: arguments 68 KiB, …`. @param {MemoryInfo} memory @param {import("../../core/run/program.js").Program|null} program @param {number} line @returns {string} */
export function headOf({ peak, peakBytes, atPeak, donated }, program, line) {
  const op = program?.ops[peak];
  const result = op && op.results.length > 0 ? program?.values[/** @type {number} */ (op.results[0])] : undefined;
  const where = op ? ` at line ${line}${result ? `, ${result.name}` : ""}` : "";
  const parts = [
    `arguments ${bytesText(atPeak.argument)}`,
    `results ${bytesText(atPeak.result)}`,
    `temporaries ${bytesText(atPeak.temporary)}`,
  ];
  const given = donated > 0 ? `; ${bytesText(donated)} of the arguments are donated` : "";
  return `Peak ${bytesText(peakBytes)}${where}: ${parts.join(", ")}${given}.`;
}

/** Where live bytes come from. @param {MemoryInfo} memory @returns {string} */
export function asOf({ isScheduled, isWhole }) {
  const order = isScheduled
    ? "From the text alone, in the order of its schedule. Alignment, gaps between buffers and reuse that the text does not state are unknown."
    : "From the text alone, in the order of its lines: the compiler has not yet fused and reordered the ops.";
  return isWhole ? `${order} Arrays are whole: they are not yet partitioned among the processes.` : order;
}

/** What live bytes leave out. @param {MemoryInfo} memory @returns {string} */
export function notCounted({ constants, spaces, openSizes, copies }) {
  const left = [
    constants > 0 ? `${bytesText(constants)} of constants` : "",
    ...Object.entries(spaces).map(([space, bytes]) => `${bytesText(bytes)} in memory space ${space}`),
    openSizes > 0 ? counted(openSizes, "value of unknown size", "values of unknown size") : "",
  ].filter(Boolean);
  const copied = copies.bytes === null ? "an unknown number of bytes" : bytesText(copies.bytes);
  const made =
    copies.count > 0 ? ` ${counted(copies.count, "copy op writes", "copy ops write")} ${copied} in a run.` : "";
  return `${left.length > 0 ? `Not counted: ${left.join(", ")}.` : ""}${made}`;
}

/** @param {MemoryInfo} memory @returns {string} */
export function collectivesText({ collectives }) {
  const count = counted(collectives.length, "collective");
  const totals = collectives.map(({ total }) => total);
  if (totals.some((total) => total === null)) return `${count}: bytes that a process sends in one execution`;
  const sum = totals.reduce((/** @type {number} */ before, total) => before + (total ?? 0), 0);
  return `${count}: a process sends ${bytesText(sum)} in a run, by ring algorithms`;
}

/** The position of an op in the schedule; an op of a kernel has that of the kernel. @param {MemoryInfo} memory @param {number|null} op @returns {number} */
export const placeOf = ({ schedule }, op) => (op === null ? -1 : schedule.indexOf(op));

/** The most bytes of each pixel column. @param {readonly number[]} bytes @param {number} width @returns {number[]} */
export function columnsOf(bytes, width) {
  const columns = Math.max(1, Math.round(width));
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column / columns) * bytes.length);
    const to = Math.max(from + 1, Math.floor(((column + 1) / columns) * bytes.length));
    let most = 0;
    for (let at = from; at < to; at++) most = Math.max(most, bytes[at] ?? 0);
    return most;
  });
}
