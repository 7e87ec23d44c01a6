/**
 * Where the processes are: a tick of the common clock for each. In lock step all are equal; a chosen set, or one
 * process, may be ahead of others or behind them. Then a process never passes a meeting to which another, for whom
 * it waits there, has not come: it stands in it. Pure functions.
 *
 * @typedef {{number: number, arrivals: Map<number, {step: number, tick: number}>, released: Map<number, number>,
 *   awaited: (process: number) => readonly number[]}} Met
 */

/**
 * The furthest positions, none beyond `wanted`, in which nobody has passed a meeting that somebody for whom it
 * waited has not come to; and the meeting in which each process that is held back stands.
 *
 * @param {readonly number[]} wanted @param {readonly Met[]} meetings at least those that somebody was in between the
 *   smallest and the largest of `wanted` @returns {{ticks: number[], held: Map<number, number>}}
 */
export function consistent(wanted, meetings) {
  const ticks = [...wanted];
  /** @type {Map<number, number>} */
  const held = new Map();
  for (let changed = true; changed; ) {
    changed = false;
    for (const meeting of meetings) {
      for (const [process, tick] of meeting.released) {
        if (/** @type {number} */ (ticks[process]) < tick || allHaveCome(meeting, process, ticks)) continue;
        ticks[process] = tick - 1;
        held.set(process, meeting.number);
        changed = true;
      }
    }
  }
  return { ticks, held };
}

/** @param {Met} meeting @param {number} process @param {readonly number[]} ticks @returns {boolean} */
function allHaveCome(meeting, process, ticks) {
  return meeting.awaited(process).every((other) => {
    const arrival = meeting.arrivals.get(other);
    return arrival !== undefined && /** @type {number} */ (ticks[other]) >= arrival.tick;
  });
}

/**
 * Where one would like everybody to be once the shown process is at `target`.
 *
 * @param {readonly number[]} ticks @param {number} shown @param {number} target
 * @param {"all"|"one"|ReadonlySet<number>} together @returns {number[]}
 */
export function moved(ticks, shown, target, together) {
  if (together === "all") return ticks.map(() => target);
  const forward = target >= /** @type {number} */ (ticks[shown]);
  return ticks.map((tick, process) => {
    if (process === shown) return target;
    if (together === "one" || !together.has(process)) return tick;
    // Nobody goes back because another goes on, nor the other way round.
    return forward ? Math.max(tick, target) : Math.min(tick, target);
  });
}

/** Whether all are at the same tick. @param {readonly number[]} ticks @returns {boolean} */
export const inLockStep = (ticks) => ticks.every((tick) => tick === ticks[0]);
