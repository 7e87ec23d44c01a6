/**
 * Types that only the page uses; `types.js` has those of the wire.
 *
 * @typedef {Float32Array|Float64Array|Int8Array|Int16Array|Int32Array|BigInt64Array|Uint8Array|Uint16Array
 *   |Uint32Array|BigUint64Array} Plane
 *
 * @typedef {{header: import("./types.js").WindowHeader, planes: Record<string, Plane>}} ValueWindow
 *
 * A shown value: its address and its name in the program. `path` leads into tuples.
 * @typedef {{address: string, value: number, path: number[], name: string, type: string, shape: (number|null)[]|null,
 *   elementType: string|null, when: "now"|"earlier"}} SelectedValue
 *
 * A breakpoint that stopped a move; `error`: why its condition could not be evaluated.
 * @typedef {{point: import("./types.js").BreakpointInfo, error: string|null}} Hit
 *
 * `execution`: the collective execution in which the shown process waits for others.
 * @typedef {{kind: "entry"|"step"|"breakpoint"|"goto"|"end"|"failed"|"paused"|"waiting", sentence: string, way?: string,
 *   execution?: number|null, hit?: Hit|null}} Stop
 *
 * A text that a process printed at a step.
 * @typedef {{process: number, step: number, text: string}} Printed
 */
export {};
