/**
 * Stored breakpoints: a line, or a line with the only processes that stop there.
 *
 * @typedef {number|[number, number[]]} Kept
 * @typedef {ReadonlyMap<number, readonly number[]>} Limits  by line
 */

/** @param {readonly Kept[]} kept @returns {{lines: number[], limits: Map<number, readonly number[]>}} */
export function readBreakpoints(kept) {
  const pairs = kept.map((one) => (typeof one === "number" ? /** @type {const} */ ([one, null]) : one));
  return {
    lines: [...new Set(pairs.map(([line]) => line))].sort((a, b) => a - b),
    limits: new Map(
      pairs.flatMap(([line, processes]) => (processes ? [/** @type {const} */ ([line, processes])] : [])),
    ),
  };
}

/** @param {readonly number[]} lines @param {Limits} limits @returns {Kept[]} */
export const keptBreakpoints = (lines, limits) =>
  lines.map((line) => {
    const processes = limits.get(line);
    return processes ? [line, [...processes]] : line;
  });

/** Whether a process stops at the breakpoint on a line. @param {Limits} limits @param {number} line @param {number} process @returns {boolean} */
export const stopsFor = (limits, line, process) => limits.get(line)?.includes(process) ?? true;

/** The limits after lines have moved; a deleted line drops its limit. @param {Limits} limits @param {(line: number) => number|null} to @returns {Limits} */
export function movedLimits(limits, to) {
  if (limits.size === 0) return limits;
  const pairs = [...limits].map(([line, processes]) => /** @type {const} */ ([to(line), processes]));
  return new Map(pairs.flatMap(([line, processes]) => (line === null ? [] : [[line, processes]])));
}
