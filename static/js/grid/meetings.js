/**
 * Who met whom: the meetings of a recording in the order in which they began, in pages of 200.
 *
 * @typedef {{number: number, kind: string, op: number, line: number, channel: number, team: number, group: number[],
 *   arrivals: [number, number, number][], released: [number, number][], groups: number[][], begin: number,
 *   end: number|null, awaited?: [number, number[]][], ends?: [number, number]|null}} MeetingInfo `ends` are those of a
 *   message whose program does not name them: -1 is not known yet.
 */

export const PAGE = 200;

/** One meeting: a collective's group, or the two ends of a message. */
export class Meeting {
  /** @param {MeetingInfo} info */
  constructor(info) {
    this.info = info;
    this.number = info.number;
    this.arrivals = new Map(info.arrivals.map(([process, step, tick]) => [process, { step, tick }]));
    this.released = new Map(info.released);
    this.waitedFor = new Map(info.awaited ?? []);
  }

  /** Whether it is the sending of a message, and not a collective. @returns {boolean} */
  get isMessage() {
    return /^(message|send|recv)/.test(this.info.kind);
  }

  /** Those for whom `process` waits in it: the group, where nothing else is said. @param {number} process @returns {readonly number[]} */
  awaited(process) {
    return (this.waitedFor.get(process) ?? this.info.group).filter((other) => other !== process);
  }

  /** The group that a process is in, of all groups that meet in this op; -1 where it takes no part. @param {number} process @returns {number} */
  groupOf(process) {
    return this.info.groups.findIndex((group) => group.includes(process));
  }

  /** Those of the group who have not come at these positions. @param {readonly number[]} ticks @returns {number[]} */
  missing(ticks) {
    return this.info.group.filter((process) => {
      const arrival = this.arrivals.get(process);
      return arrival === undefined || arrival.tick > (ticks[process] ?? 0);
    });
  }
}

/** @typedef {{meetings: Meeting[], stamp: number, final: boolean, at: number}} MeetingPage */
