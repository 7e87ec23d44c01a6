/**
 * Types of what the page alone knows; what crosses the wire is in `types.js`.
 *
 * @typedef {Float32Array|Float64Array|Int8Array|Int16Array|Int32Array|BigInt64Array|Uint8Array|Uint16Array
 *   |Uint32Array|BigUint64Array} Plane
 *
 * @typedef {{header: import("./types.js").WindowHeader, planes: Record<string, Plane>}} ValueWindow
 *
 * A value that is looked at: where it is kept, and what the program calls it. `path` leads into tuples.
 * @typedef {{address: string, value: number, path: number[], name: string, type: string, shape: (number|null)[]|null,
 *   elementType: string|null, when: "now"|"earlier"}} SelectedValue
 *
 * `met`: the meeting in which the shown process stands, because others have not come at their positions.
 * @typedef {{kind: "entry"|"step"|"breakpoint"|"goto"|"end"|"failed"|"paused"|"waiting", sentence: string, way?: string,
 *   met?: number|null}} Stop
 *
 * What a process has printed at a step.
 * @typedef {{process: number, step: number, text: string}} Printed
 */
export {};
