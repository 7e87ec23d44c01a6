/**
 * What crosses the wire, as types. Offsets are UTF-16; lines count from 1. Nothing here exists at run time.
 *
 * @typedef {{from: number, to: number, line: number, column: number, severity: "error"|"warning"|"note",
 *   kind: string, op: string|null, label: string|null, message: string, hint: string|null}} Diagnostic
 *
 * @typedef {{kind: "zeros"|"ones"|"iota"|"uniform"|"normal", seed: number, scale?: number}} GeneratedSpec
 * @typedef {GeneratedSpec | {kind: "dense", text: string} | {kind: "file", file: string, array: string}
 *   | {kind: "stop"|"skip"}} ValueSpec
 *
 * A value for all processes of a grid; or the same part for all, one for each, or random ones apart.
 * @typedef {ValueSpec | {kind: "same", base: ValueSpec} | {kind: "each", specs: ValueSpec[]}
 *   | {kind: "apart", base: GeneratedSpec}} InputSpec
 *
 * @typedef {{replicas: number, partitions: number}} GridSize
 *
 * @typedef {{kind: "recording"|"done"|"failed"|"paused", reason: string, diagnostic?: Diagnostic|null}} RunState
 *
 * What code outside of the program makes: the op that asks for it, what makes it, and the line.
 * @typedef {{op: number, maker: string, line: number}} Outside
 *
 * `literal`: the type as MLIR spells it, where the program spells it otherwise.
 * `whole`: of an argument that is a part, the whole that the parts of all processes make up.
 * @typedef {{name: string, type: string, literal?: string, input: InputSpec, location?: string|null, outside?: Outside,
 *   shape?: (number|null)[]|null, whole?: WholeType|null}} Argument
 * @typedef {{type: string, literal?: string, shape: (number|null)[]|null}} WholeType
 *
 * @typedef {{process: number, step: number, text: string}} Printed
 *
 * @typedef {{number: number, key: string, text: string, entry: string, arguments: Argument[], results: string[],
 *   state: RunState, steps: number, frames: number, prints: number, processes?: number,
 *   grid?: {replicas: number, partitions: number}|null, needed_grid?: {replicas: number, partitions: number}|null}} RunInfo
 *
 * @typedef {{number: number, created: string|number, title: string}} RunTitle
 *
 * @typedef {{step: number, path?: unknown}} SavedPosition
 *
 * @typedef {{id: string, name: string, text: string, run: RunInfo|null, runs: RunTitle[], diagnostics: Diagnostic[],
 *   breakpoints: import("./run/breakpoints.js").Kept[], position: SavedPosition|null, limits?: Record<string, number|string>,
 *   waiting?: {before: number}|null}} SessionInfo
 *
 * `opcode`: what HLO text calls the op; empty where the text is MLIR.
 * @typedef {{id: number, name: string, opcode: string, line: number, column: number, from: number, to: number, endLine: number,
 *   operands: number[], results: number[], block: number, regions: number[], location: string|null,
 *   summary: string}} OpInfo
 *
 * What is in a tuple, and in the tuples in it.
 * @typedef {{type: string, isTensor: boolean, elements: TupleElement[]|null}} TupleElement
 *
 * `layout`: how it lies in memory, in words, where that is out of the ordinary.
 * @typedef {{id: number, name: string, type: string, layout: string, elements: TupleElement[]|null, shape: number[]|null,
 *   elementType: string|null}} ValueInfo
 *
 * @typedef {{id: number, function: string, opener: number|null, region: number, arguments: number[],
 *   ops: number[]}} BlockInfo
 *
 * @typedef {{name: string, block: number, line: number, from: number, to: number}} FunctionInfo
 *
 * `parameters`: the line of each value that HLO text has a parameter instruction for.
 * @typedef {{language: "stablehlo"|"hlo", ops: OpInfo[], values: ValueInfo[], blocks: BlockInfo[],
 *   functions: FunctionInfo[], parameters: Record<string, number>}} ProgramInfo
 *
 * A place in the user's own source, and the function that it is in.
 * @typedef {{function: string|null, place: string}} Frame
 *
 * @typedef {{name: string, documentation: string, constraints: {label: string, holds: boolean, message: string}[],
 *   cost: {flops: number|string, bytes: number|string}|null, maps: {operand: number|string, result: number, text: string}[]|null,
 *   inverse: {operand: number|string, result: number, text: string}[]|null, opName: string|null, location: Frame[],
 *   attributes: {name: string, text: string}[], url: string}} OpDetails
 *
 * @typedef {{text: string, min: number|string|null, max: number|string|null, nonfinite: number,
 *   width: number, height: number, pixels: string}} ThumbnailInfo
 *
 * How a tensor of HLO text lies in memory. `tiles`: 0 for a dimension that is combined with the next.
 * @typedef {{text: string, words: string, majorToMinor: number[], tiles: number[][], rowMajor: boolean}} MemoryLayout
 *
 * @typedef {{address: string, type: string, shape: number[], lanes: number[]|null, layout: MemoryLayout|null, elementType: string,
 *   wire: {dtype: WireType, components: 1|2}, count: number, text: string,
 *   statistics: Record<string, string|number|null>|null,
 *   histogram: {edges: (number|string)[], counts: number[]}|null}} ValueSummary
 *
 * @typedef {"f32"|"f64"|"i8"|"i16"|"i32"|"i64"|"u8"|"u16"|"u32"|"u64"} WireType
 *
 * @typedef {Float32Array|Float64Array|Int8Array|Int16Array|Int32Array|BigInt64Array|Uint8Array|Uint16Array
 *   |Uint32Array|BigUint64Array} Plane
 *
 * @typedef {{rows: number, columns: number, height: number, width: number, level: number,
 *   total: [number, number], wire: {dtype: WireType, components: 1|2}, planes: string[]}} WindowHeader
 *
 * @typedef {{header: WindowHeader, planes: Record<string, Plane>}} ValueWindow
 *
 * A value that is looked at: where it is kept, and what the program calls it. `path` leads into tuples.
 * @typedef {{address: string, value: number, path: number[], name: string, type: string, shape: number[]|null,
 *   elementType: string|null, when: "now"|"earlier"}} SelectedValue
 *
 * `met`: the meeting in which the shown process stands, because others have not come at their positions.
 * @typedef {{kind: "entry"|"step"|"breakpoint"|"goto"|"end"|"failed"|"paused"|"waiting", sentence: string, way?: string,
 *   met?: number|null}} Stop
 */
export {};
