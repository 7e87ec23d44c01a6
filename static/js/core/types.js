/**
 * What crosses the wire, as types; nothing here exists at run time. Made from `app/wire` by
 * `python -m tests.wire_types` (`make types`): change it there.
 */

/**
 * @typedef {number|string} JsonNumber
 */

/**
 * @typedef {"f32"|"f64"|"i8"|"i16"|"i32"|"i64"|"u8"|"u16"|"u32"|"u64"} WireType
 */

/**
 * @typedef {"stablehlo"|"hlo"} Language
 */

/**
 * @typedef {"collective"|"contraction"|"control"|"elementwise"|"movement"|"other"|"reduction"} OpCategory
 */

/**
 * @typedef {{
 *   from: number,
 *   to: number,
 * }} TextSpan
 */

/**
 * What is wrong, and where; lines and columns count from 1. `label` is of the rule or limit.
 * @typedef {{
 *   from: number,
 *   to: number,
 *   line: number,
 *   column: number,
 *   severity: "error"|"warning"|"note",
 *   kind: string,
 *   op: string|null,
 *   label: string|null,
 *   message: string,
 *   hint: string|null,
 * }} Diagnostic
 */

/**
 * How many processes run a program.
 * @typedef {{
 *   replicas: number,
 *   partitions: number,
 * }} GridSize
 */

/**
 * The type of what a run is given, as the program spells it; `literal`: as MLIR does, where that is another text.
 * @typedef {{
 *   type: string,
 *   literal?: string,
 * }} InputType
 */

/**
 * Of an argument that is cut, the type of the whole.
 * @typedef {{
 *   type: string,
 *   literal?: string,
 *   shape: (number|null)[]|null,
 * }} WholeType
 */

/**
 * What code outside of the program makes: the op that asks for it, what makes it, and the line.
 * @typedef {{
 *   op: number,
 *   maker: string,
 *   line: number,
 * }} Outside
 */

/**
 * An argument of a function, and where the user's own source made it.
 * @typedef {{
 *   type: string,
 *   literal?: string,
 *   name: string,
 *   location: string|null,
 * }} NamedInput
 */

/**
 * What a run has to be given: an argument (`shape`, `whole`) or what is made outside of the program (`outside`).
 * @typedef {{
 *   type: string,
 *   literal?: string,
 *   name: string,
 *   location: string|null,
 *   shape?: (number|null)[]|null,
 *   whole?: WholeType|null,
 *   outside?: Outside,
 * }} Wanted
 */

/**
 * A function that a run can start with. The chosen one has what its run asks for as well.
 * @typedef {{
 *   name: string,
 *   arguments: (NamedInput|Wanted)[],
 *   results: string[],
 *   outside?: Wanted[],
 *   needed_grid?: GridSize,
 *   user_queues?: string[],
 * }} Entry
 */

/**
 * What is wrong with a program, and what it can be entered by.
 * @typedef {{
 *   diagnostics: Diagnostic[],
 *   entries: Entry[],
 * }} CheckResult
 */

/**
 * An op of the program. `opcode`: what HLO text calls it, empty where the text is MLIR; `family`: its mark.
 * @typedef {{
 *   from: number,
 *   to: number,
 *   id: number,
 *   name: string,
 *   opcode: string,
 *   family: OpCategory,
 *   line: number,
 *   column: number,
 *   endLine: number,
 *   operands: number[],
 *   results: number[],
 *   block: number,
 *   regions: number[],
 *   location: string|null,
 *   summary: string,
 * }} OpInfo
 */

/**
 * What is in a tuple, and in the tuples in it.
 * @typedef {{
 *   type: string,
 *   isTensor: boolean,
 *   elements: TupleElement[]|null,
 * }} TupleElement
 */

/**
 * A value of the program. `layout`: how it lies in memory, in words, where that is out of the ordinary.
 * @typedef {{
 *   id: number,
 *   name: string,
 *   type: string,
 *   layout: string,
 *   elements: TupleElement[]|null,
 *   shape: (number|null)[]|null,
 *   elementType: string|null,
 * }} ValueInfo
 */

/**
 * A block: its arguments are values, `opener` is the op that has it as a region.
 * @typedef {{
 *   id: number,
 *   function: string,
 *   opener: number|null,
 *   region: number,
 *   arguments: number[],
 *   ops: number[],
 * }} BlockInfo
 */

/**
 * A function or computation.
 * @typedef {{
 *   from: number,
 *   to: number,
 *   name: string,
 *   block: number,
 *   line: number,
 * }} FunctionInfo
 */

/**
 * Where a program begins whose first operations are left out.
 * @typedef {{
 *   line: number,
 *   by: string,
 *   values: number[],
 *   constants: number[],
 * }} BeginInfo
 */

/**
 * All that the browser has to know about a program, whatever its run does. `parameters`: the line of each value that
 * HLO text has a parameter instruction for, and of those from before where the program begins later. `argumentNames`:
 * what the user's own code calls the arguments of functions, by value. `lines`: the ops that start on a line.
 * @typedef {{
 *   language: Language,
 *   ops: OpInfo[],
 *   values: ValueInfo[],
 *   blocks: BlockInfo[],
 *   functions: FunctionInfo[],
 *   parameters: Record<string, number>,
 *   argumentNames: Record<string, string>,
 *   begin: BeginInfo|null,
 *   lines: Record<string, number[]>,
 * }} ProgramInfo
 */

/**
 * A file of the user's own source: its lines, or the reason why they are not shown.
 * @typedef {{
 *   file: string,
 *   lines: string[]|null,
 *   reason: string|null,
 * }} SourceText
 */

/**
 * A place in the user's own source, and the function that it is in.
 * @typedef {{
 *   function: string|null,
 *   place: string,
 * }} Frame
 */

/**
 * A constraint of an op, and whether the op keeps it.
 * @typedef {{
 *   label: string,
 *   holds: boolean,
 *   message: string,
 * }} ConstraintState
 */

/**
 * What an op takes, from its types alone.
 * @typedef {{
 *   flops: JsonNumber,
 *   bytes: JsonNumber,
 * }} Cost
 */

/**
 * The maps of a pair of operand and result, by their names, as XLA prints them.
 * @typedef {{
 *   operand: string,
 *   result: string,
 *   text: string,
 * }} PrintedMap
 */

/**
 * An attribute as the program spells it.
 * @typedef {{
 *   name: string,
 *   text: string,
 * }} Attribute
 */

/**
 * What the op panel shows of an op. Maps are null where there are too many to be read.
 * @typedef {{
 *   name: string,
 *   documentation: string,
 *   constraints: ConstraintState[],
 *   cost: Cost,
 *   maps: PrintedMap[]|null,
 *   inverse: PrintedMap[]|null,
 *   opName: string|null,
 *   location: Frame[],
 *   attributes: Attribute[],
 *   url: string,
 * }} OpDetails
 */

/**
 * A result of a step, written out.
 * @typedef {{
 *   name: string,
 *   type: string,
 *   text: string,
 * }} QuickRunResult
 */

/**
 * What processes do at one tick with one op.
 * @typedef {{
 *   name: string,
 *   line: number,
 *   endLine: number,
 *   depth: number,
 *   results: QuickRunResult[],
 *   printed?: string,
 * }} QuickRunStep
 */

/**
 * How a small run ended.
 * @typedef {{
 *   kind: StateKind,
 *   reason: string,
 * }} QuickRunEnd
 */

/**
 * A small program, run at once; `state` is null if it may not run.
 * @typedef {{
 *   diagnostics: Diagnostic[],
 *   steps: QuickRunStep[],
 *   state: QuickRunEnd|null,
 * }} QuickRun
 */

/**
 * @typedef {"recording"|"done"|"failed"|"paused"} StateKind
 */

/**
 * @typedef {"zeros"|"ones"|"iota"|"uniform"|"normal"} GeneratedKind
 */

/**
 * Numbers made from a seed.
 * @typedef {{
 *   kind: GeneratedKind,
 *   seed: number,
 *   scale?: number,
 * }} GeneratedSpec
 */

/**
 * A literal: `1.5`, `[[1, 2], [3, 4]]`.
 * @typedef {{
 *   kind: "dense",
 *   text: string,
 * }} DenseSpec
 */

/**
 * An array of an uploaded file; `path` is where the file is, for a worker alone.
 * @typedef {{
 *   kind: "file",
 *   file: string,
 *   array: string,
 *   path?: string,
 * }} FileSpec
 */

/**
 * For what code outside of the program makes: stop there, or skip what has no results.
 * @typedef {{
 *   kind: "stop"|"skip",
 * }} OutsideSpec
 */

/**
 * @typedef {GeneratedSpec|DenseSpec|FileSpec|OutsideSpec} ValueSpec
 */

/**
 * The same part for every process.
 * @typedef {{
 *   kind: "same",
 *   base: ValueSpec,
 * }} SameSpec
 */

/**
 * A value for each process, by its number.
 * @typedef {{
 *   kind: "each",
 *   specs: ValueSpec[],
 * }} EachSpec
 */

/**
 * Numbers made for each process, from the seed of `base` plus its number.
 * @typedef {{
 *   kind: "apart",
 *   base: GeneratedSpec,
 * }} ApartSpec
 */

/**
 * @typedef {ValueSpec|SameSpec|EachSpec|ApartSpec} InputSpec
 */

/**
 * Stands for an input that was not given, in a run that nobody could open yet: it is the one that the text states.
 * @typedef {{
 * }} StatedInput
 */

/**
 * Whether a run is being recorded, and why not.
 * @typedef {{
 *   kind: StateKind,
 *   reason: string,
 *   diagnostic: Diagnostic|null,
 * }} RunState
 */

/**
 * What a run was given: see `Wanted`.
 * @typedef {{
 *   name: string,
 *   type: string,
 *   literal?: string,
 *   location: string|null,
 *   shape?: (number|null)[]|null,
 *   whole?: WholeType|null,
 *   outside?: Outside,
 *   input: InputSpec,
 * }} Argument
 */

/**
 * Items for a queue that the program takes from: of all processes, or of one.
 * @typedef {{
 *   queue: string,
 *   process: number|null,
 *   items: ValueSpec[][],
 * }} Feed
 */

/**
 * What is put into the queues of a run: `given` at its start, `later` when it waited; `mark` makes its key its own.
 * @typedef {{
 *   mark: string,
 *   given: Feed[],
 *   later: Feed[],
 *   kept?: boolean,
 * }} Feeds
 */

/**
 * What the run before was given and this one cannot take.
 * @typedef {{
 *   name: string,
 *   reason: string,
 * }} DroppedInput
 */

/**
 * How far a grid is. `queues` grows when a queue changes; `awaiting_item`: the last step waits for an item.
 * @typedef {{
 *   processes: number,
 *   ticks: number,
 *   meetings: number,
 *   queues: number,
 *   awaiting_item: boolean,
 * }} Progress
 */

/**
 * How far a run is recorded.
 * @typedef {{
 *   processes: number,
 *   ticks: number,
 *   meetings: number,
 *   queues: number,
 *   awaiting_item: boolean,
 *   state: RunState,
 *   steps: number,
 *   frames: number,
 *   prints: number,
 *   findings: number,
 * }} RunStatus
 */

/**
 * Where a run begins that does not begin at its beginning, and the values that it was given for that.
 * @typedef {{
 *   at: number|string,
 *   line: number,
 *   by: string,
 *   note: string,
 *   values: FileSpec[],
 * }} LaterStart
 */

/**
 * All that the page is told of a run.
 * @typedef {{
 *   processes: number,
 *   ticks: number,
 *   meetings: number,
 *   queues: number,
 *   awaiting_item: boolean,
 *   state: RunState,
 *   steps: number,
 *   frames: number,
 *   prints: number,
 *   findings: number,
 *   number: number,
 *   key: string,
 *   text: string,
 *   entry: string,
 *   arguments: Argument[],
 *   results: string[],
 *   grid: GridSize,
 *   needed_grid: GridSize,
 *   user_queues: string[],
 *   feeds: Feeds|null,
 *   start: LaterStart|null,
 * }} RunInfo
 */

/**
 * A run in the list of a session's runs.
 * @typedef {{
 *   number: number,
 *   created: string,
 *   title: string,
 * }} RunTitle
 */

/**
 * Where the user was: the step is a hint, the pairs of an op and an iteration decide.
 * @typedef {{
 *   step: number,
 *   path: [number, number][],
 * }} SavedPosition
 */

/**
 * Where a session is in the queue for a worker: how many are before it, and how many wait. `seconds` is roughly how
 * long it will wait, by the turns of late; null where nothing is known of these.
 * @typedef {{
 *   before: number,
 *   of: number,
 *   seconds: number|null,
 * }} Turn
 */

/**
 * The line that the verification of a program has come to, of so many.
 * @typedef {{
 *   line: number,
 *   lines: number,
 * }} Verifying
 */

/**
 * All that the page needs to open a session. `verifying`: its program still is, and there is no run yet.
 * @typedef {{
 *   id: string,
 *   name: string,
 *   read_only: boolean,
 *   text: string,
 *   run: RunInfo|null,
 *   runs: RunTitle[],
 *   diagnostics: Diagnostic[],
 *   breakpoints: (number|[number, number[]])[],
 *   position: SavedPosition,
 *   limits: Record<string, number>,
 *   waiting: Turn|null,
 *   verifying: Verifying|null,
 * }} SessionInfo
 */

/**
 * A read-only link that was made, with where it leads to on this server.
 * @typedef {{
 *   id: string,
 *   url: string,
 *   embed_url: string,
 * }} NewViewLink
 */

/**
 * How many read-only links lead to a session, and the sites that may embed one.
 * @typedef {{
 *   links: number,
 *   embed_sites: string[],
 * }} ViewLinkCount
 */

/**
 * A size that what `jax.export` has serialised leaves open, with the one that is proposed for it.
 * @typedef {{
 *   name: string,
 *   size: number,
 * }} OpenSize
 */

/**
 * What is to be chosen before a program can be opened.
 * @typedef {{
 *   sizes: OpenSize[],
 *   platforms: string[],
 *   platform: string,
 * }} OpenChoices
 */

/**
 * What became of a file of a program: a session, or what is to be chosen first.
 * @typedef {{
 *   id: string|null,
 *   url: string|null,
 *   name: string,
 *   notes: string[],
 *   choices: OpenChoices|null,
 * }} OpenedFile
 */

/**
 * Where a new session is.
 * @typedef {{
 *   id: string,
 *   url: string,
 * }} NewSession
 */

/**
 * A session in a list. `steps`: of its current run, null if it has none.
 * @typedef {{
 *   name: string,
 *   step: number,
 *   steps: number|null,
 * }} SessionTitle
 */

/**
 * A new run; null if the program is wrong.
 * @typedef {{
 *   run: RunInfo|null,
 *   diagnostics: Diagnostic[],
 *   dropped_inputs: DroppedInput[],
 * }} StartedRun
 */

/**
 * An array of a file.
 * @typedef {{
 *   name: string,
 *   dtype: string,
 *   shape: number[],
 * }} FileArray
 */

/**
 * The argument that an array fits; `replica` and `partition`: of an array for one process.
 * @typedef {{
 *   argument: number,
 *   array: string,
 *   replica?: number,
 *   partition?: number,
 * }} FileMatch
 */

/**
 * The arrays of a file, and the arguments that they fit.
 * @typedef {{
 *   arrays: FileArray[],
 *   matches: FileMatch[],
 * }} FileMatches
 */

/**
 * The same of a file that is kept, with the name that it is kept under.
 * @typedef {{
 *   arrays: FileArray[],
 *   matches: FileMatch[],
 *   file: string,
 * }} UploadedFile
 */

/**
 * An example of the gallery.
 * @typedef {{
 *   name: string,
 *   title: string,
 *   description: string,
 *   file: string,
 *   parallel: boolean,
 *   picture: ThumbnailInfo,
 * }} ExampleTitle
 */

/**
 * An example with its text.
 * @typedef {{
 *   name: string,
 *   title: string,
 *   description: string,
 *   text: string,
 * }} ExampleText
 */

/**
 * A setting of the server that is no secret.
 * @typedef {{
 *   name: string,
 *   value: number|string,
 *   default: number|string,
 *   text: string,
 * }} Setting
 */

/**
 * The server answers.
 * @typedef {{
 *   status: "ok",
 * }} Health
 */

/**
 * Why a request was not met. `limit` is the setting that says so, `request` the number of the log's entry.
 * @typedef {{
 *   message: string,
 *   kind: string,
 *   hint?: string,
 *   limit?: string,
 *   request?: string,
 * }} ErrorInfo
 */

/**
 * The answer to a request that was not met.
 * @typedef {{
 *   error: ErrorInfo,
 * }} ErrorBody
 */

/**
 * The first message.
 * @typedef {{
 *   type: "welcome",
 * }} WelcomeMessage
 */

/**
 * Where the session is in the queue for a worker; null once it is not in it any more.
 * @typedef {{
 *   type: "waiting",
 *   turn: Turn|null,
 * }} WaitingMessage
 */

/**
 * How far the verification of the session's program is; null once it is over.
 * @typedef {{
 *   type: "verifying",
 *   verifying: Verifying|null,
 * }} VerifyingMessage
 */

/**
 * How far a run is.
 * @typedef {{
 *   processes: number,
 *   ticks: number,
 *   meetings: number,
 *   queues: number,
 *   awaiting_item: boolean,
 *   state: RunState,
 *   steps: number,
 *   frames: number,
 *   prints: number,
 *   findings: number,
 *   type: "state",
 *   run: number,
 *   key: string,
 * }} StateMessage
 */

/**
 * What a page asked for over the socket and cannot have.
 * @typedef {{
 *   message: string,
 *   kind: string,
 *   hint?: string,
 *   limit?: string,
 *   request?: string,
 *   type: "error",
 * }} ErrorMessage
 */

/**
 * @typedef {WelcomeMessage|WaitingMessage|VerifyingMessage|StateMessage|ErrorMessage} ServerMessage
 */

/**
 * How elements travel: little-endian, `components` numbers an element.
 * @typedef {{
 *   dtype: WireType,
 *   components: 1|2,
 * }} ElementWire
 */

/**
 * How a tensor of HLO text lies in memory. `tiles`: 0 for a dimension that is combined with the next.
 * @typedef {{
 *   text: string,
 *   words: string,
 *   majorToMinor: number[],
 *   tiles: number[][],
 *   rowMajor: boolean,
 * }} MemoryLayout
 */

/**
 * Of all elements that are numbers; `nan`, `posinf` and `neginf` count the others.
 * @typedef {{
 *   min: JsonNumber,
 *   max: JsonNumber,
 *   mean: JsonNumber,
 *   std: JsonNumber,
 *   zeros: number,
 *   nan: number,
 *   posinf: number,
 *   neginf: number,
 * }} ValueStatistics
 */

/**
 * Counts of elements between edges, one more edge than counts; empty where no element is a number.
 * @typedef {{
 *   edges: JsonNumber[],
 *   counts: number[],
 * }} Histogram
 */

/**
 * Percentiles of the finite elements, 0.5 and 99.5, and of the magnitudes of those that are not 0: 10, 50 and 99.
 * @typedef {{
 *   low: JsonNumber,
 *   high: JsonNumber,
 *   small: JsonNumber,
 *   median: JsonNumber,
 *   large: JsonNumber,
 * }} Spread
 */

/**
 * @typedef {"integer"|"float"|"truth"|"complex"} ElementKind
 */

/**
 * One element as the page prints it, and what kind of number it is.
 * @typedef {{
 *   text: string,
 *   kind: ElementKind,
 * }} ElementText
 */

/**
 * An element that is NaN or infinite, the `number`-th of `count`; without an index where there is none.
 * @typedef {{
 *   index: number[]|null,
 *   text: string,
 *   number: number,
 *   count: number,
 * }} NonfiniteElement
 */

/**
 * Type, shape, statistics and histogram of a tensor; the page has none of what it puts together itself.
 * @typedef {{
 *   address: string,
 *   type: string,
 *   shape: number[],
 *   lanes: number[]|null,
 *   layout: MemoryLayout|null,
 *   text: string,
 *   elementType: string,
 *   wire: ElementWire,
 *   count: number,
 *   statistics: ValueStatistics|null,
 *   spread: Spread|null,
 *   histogram: Histogram|null,
 * }} ValueSummary
 */

/**
 * The summary of what is no tensor: a token, a tuple.
 * @typedef {{
 *   address: string,
 *   type: string,
 *   shape: null,
 *   lanes: null,
 *   layout: null,
 *   text: string,
 * }} PlainSummary
 */

/**
 * A small picture. Pixel p up to 250 stands for min + p / 250 * (max - min); above are infinities and NaN.
 * @typedef {{
 *   text: string,
 *   min: JsonNumber,
 *   max: JsonNumber,
 *   nonfinite: boolean,
 *   width: number,
 *   height: number,
 *   pixels: string,
 * }} ThumbnailInfo
 */

/**
 * What is in front of the planes of a window: its size in cells, and of how many it is a part.
 * @typedef {{
 *   rows: number,
 *   columns: number,
 *   height: number,
 *   width: number,
 *   level: number,
 *   total: [number, number],
 *   wire: ElementWire,
 *   planes: string[],
 * }} WindowHeader
 */

/**
 * What the program has printed at a step.
 * @typedef {{
 *   step: number,
 *   text: string,
 * }} PrintedText
 */

/**
 * How a value differs from the first; null where shapes or types differ, or one is NaN and the other is not.
 * @typedef {{
 *   index: number,
 *   different: number|null,
 *   of: number,
 *   largest: JsonNumber|null,
 *   first: number[]|null,
 * }} ValuePair
 */

/**
 * Groups of equal values; numbers are places in the question.
 * @typedef {{
 *   groups: number[][],
 *   pairs: ValuePair[],
 *   shapes: number[][],
 * }} Comparison
 */

/**
 * The range of several values, and how many of their elements are no numbers.
 * @typedef {{
 *   min: JsonNumber,
 *   max: JsonNumber,
 *   nan: number,
 *   posinf: number,
 *   neginf: number,
 * }} JointRange
 */

/**
 * The step that runs functions on processes of their own.
 * @typedef {{
 *   process: number,
 *   step: number,
 *   line: number,
 * }} TeamOpener
 */

/**
 * Processes with a grid of their own: the first one's number, and the tick at which they begin.
 * @typedef {{
 *   replicas: number,
 *   partitions: number,
 *   first: number,
 *   opener: TeamOpener|null,
 *   begin: number,
 * }} TeamInfo
 */

/**
 * How far a process has come; `like`: the first process whose outline goes the same way.
 * @typedef {{
 *   steps: number,
 *   frames: number,
 *   prints: number,
 *   state: string,
 *   end: number,
 *   like: number,
 * }} TrackInfo
 */

/**
 * A process of a deadlock: at which op it waits, in which group, and for whom.
 * @typedef {{
 *   process: number,
 *   op: number,
 *   line: number,
 *   step: number,
 *   channel: number|null,
 *   group: number[],
 *   missing: number[],
 *   kind: string,
 * }} DeadlockWait
 */

/**
 * Why nobody goes on; `cycle` are processes that wait for each other.
 * @typedef {{
 *   kind: string,
 *   sentence: string,
 *   lines: string[],
 *   waits: DeadlockWait[],
 *   cycle: number[],
 * }} DeadlockReport
 */

/**
 * An item that has gone through a queue; addresses are null where its values are not kept.
 * @typedef {{
 *   process: number,
 *   step: number,
 *   tick: number,
 *   texts: string[],
 *   addresses: (string|null)[],
 * }} QueueMove
 */

/**
 * A queue between the program and its host. `wanted`: the types of the item that a process waits for.
 * @typedef {{
 *   kind: "infeed"|"outfeed"|"host"|"to_host",
 *   channel: number|null,
 *   process: number|null,
 *   awaited: number[],
 *   wanted: InputType[]|null,
 *   waiting: string[][],
 *   waitingCount: number,
 *   moves: QueueMove[],
 *   moveCount: number,
 * }} QueueInfo
 */

/**
 * What is known of the grid as a whole. `assembled`: values outside of manual computations are not cut.
 * @typedef {{
 *   processes: number,
 *   teams: TeamInfo[],
 *   tracks: TrackInfo[],
 *   ticks: number,
 *   meetings: number,
 *   assembled: boolean,
 *   deadlock: DeadlockReport|null,
 *   queues: QueueInfo[],
 * }} GridInfo
 */

/**
 * A collective or message: who came when (process, step, tick), who went on when (process, tick). `awaited`: whom
 * processes cannot do without, where that is less than the group. `ends`: sender and receiver of a message of which
 * the program names one only; -1 for who has not come.
 * @typedef {{
 *   number: number,
 *   kind: string,
 *   op: number,
 *   line: number,
 *   channel: number|null,
 *   team: number,
 *   group: number[],
 *   arrivals: [number, number, number][],
 *   released: [number, number][],
 *   awaited: [number, number[]][],
 *   ends: number[]|null,
 *   groups: number[][],
 *   begin: number,
 *   end: number|null,
 * }} MeetingInfo
 */

/**
 * A box of elements: where it starts and its sizes.
 * @typedef {{
 *   start: number[],
 *   sizes: number[],
 * }} BoxInfo
 */

/**
 * @typedef {{
 *   source: number,
 *   from: string|null,
 *   read: BoxInfo,
 *   to: string|null,
 *   written: BoxInfo,
 *   combined: boolean,
 * }} PieceInfo
 */

/**
 * What one process gets from a meeting.
 * @typedef {{
 *   pieces: PieceInfo[],
 * }} ReceivedPieces
 */

/**
 * What each process gets from a meeting, by its number; of a crowd the first ones.
 * @typedef {{
 *   receivers: Record<string, PieceInfo[]>,
 *   complete: boolean,
 * }} AllPieces
 */

/**
 * @typedef {ReceivedPieces|AllPieces} MeetingPieces
 */

/**
 * A queue that the user fills, and the items that ops take from it.
 * @typedef {{
 *   queue: string,
 *   takes: InputType[][],
 * }} QueueTaker
 */

/**
 * A box of the whole, and the processes that hold it.
 * @typedef {{
 *   processes: number[],
 *   start: number[],
 *   sizes: number[],
 * }} ShardPiece
 */

/**
 * How the whole of a value is cut. `assembled`: every process holds all of it, and the pieces are what is said of
 * devices.
 * @typedef {{
 *   value: number,
 *   shape: number[],
 *   assembled: boolean,
 *   text: string,
 *   tiles: number[],
 *   terms: number,
 *   manual: boolean,
 *   fits: boolean,
 *   pieces: ShardPiece[],
 * }} ShardingInfo
 */

/**
 * @typedef {"output-to-input"|"input-to-output"} MapDirection
 */

/**
 * @typedef {number|string|any[]} ExpressionJson
 */

/**
 * An operand or result that maps speak of: a value of the program, or by `path` a part of one that is a tuple.
 * @typedef {{
 *   name: string,
 *   type: string,
 *   shape: number[]|null,
 *   elementType: string|null,
 *   value: number|null,
 *   path: number[],
 * }} MappedTensorInfo
 */

/**
 * A runtime variable: which operand it is read from and where, and whether it is clamped into its interval.
 * @typedef {{
 *   interval: [number, number],
 *   operand: number,
 *   map: MapInfo,
 *   clamped: boolean,
 * }} RuntimeInfo
 */

/**
 * A map with its domain; intervals are inclusive.
 * @typedef {{
 *   kind: "normal"|"undefined"|"empty",
 *   results: ExpressionJson[],
 *   dimensions: [number, number][],
 *   ranges: [number, number][],
 *   runtimes: RuntimeInfo[],
 *   constraints: [ExpressionJson, [number, number]][],
 * }} MapInfo
 */

/**
 * A map between an operand and a result. `place`: in which process of a collective's group the operand is.
 * @typedef {{
 *   operand: number,
 *   result: number,
 *   map: MapInfo,
 *   place: ExpressionJson|null,
 *   enclosing: boolean,
 *   undecided: boolean,
 * }} OperandMapInfo
 */

/**
 * @typedef {{
 *   rule: string,
 *   sentence: string,
 *   where: string,
 *   before: string,
 *   after: string,
 *   "xla-2024": string[],
 * }} RewriteText
 */

/**
 * @typedef {{
 *   words: string,
 *   xla: string,
 *   "xla-2024": string,
 *   rewrites: RewriteText[],
 *   hedges: string[],
 *   direction: MapDirection,
 *   operand: number,
 *   result: number,
 * }} MapTexts
 */

/**
 * Maps from results to operands, and back.
 * @typedef {{
 *   maps: OperandMapInfo[],
 *   inverse: OperandMapInfo[],
 *   texts: MapTexts[],
 * }} BothWays
 */

/**
 * An operand or result, by its number.
 * @typedef {{
 *   side: "operand"|"result",
 *   number: number,
 * }} TensorSide
 */

/**
 * The dimensions of a tensor that make a window.
 * @typedef {{
 *   side: "operand"|"result",
 *   number: number,
 *   dimensions: number[],
 * }} MovingWindow
 */

/**
 * The tensor whose elements are multiplied with those in a window, and which of them.
 * @typedef {{
 *   side: "operand"|"result",
 *   number: number,
 *   map: MapInfo,
 * }} KernelPartner
 */

/**
 * The positions of windows: each element of `of` has one over the tensors `over`, which lie `base` apart.
 * @typedef {{
 *   of: TensorSide,
 *   over: TensorSide[],
 *   base: number[],
 *   map: MapInfo,
 *   partner?: KernelPartner,
 * }} WindowPositions
 */

/**
 * What a picture has to know of the op. `window` moves over `target`; `indices` is the operand that says where.
 * @typedef {{
 *   kind: "gather"|"scatter"|"dynamic_slice"|"dynamic_update_slice"|"window"|"pad"|"contraction"|"other",
 *   window?: MovingWindow,
 *   target?: TensorSide,
 *   indices?: number,
 *   windowPositions?: WindowPositions,
 * }} PictureParts
 */

/**
 * The specification's words for each dimension.
 * @typedef {{
 *   operands: string[][],
 *   results: string[][],
 * }} DimensionRoles
 */

/**
 * The maps of an op. `found`: what a run finds out, read behind the operands; `values`: where values come from alone.
 * @typedef {{
 *   maps: OperandMapInfo[],
 *   inverse: OperandMapInfo[],
 *   texts: MapTexts[],
 *   op: string,
 *   operands: MappedTensorInfo[],
 *   found: string[],
 *   results: MappedTensorInfo[],
 *   roles: DimensionRoles,
 *   parts: PictureParts,
 *   values: BothWays|null,
 * }} OpMapsInfo
 */

/**
 * Where a process keeps the operands and results of a step, by the numbers of the values.
 * @typedef {{
 *   process: number,
 *   step: number|null,
 *   values: Record<string, string>,
 * }} PlaceInfo
 */

/**
 * A number, or between which numbers it lies.
 * @typedef {{
 *   least: JsonNumber,
 *   most: JsonNumber,
 * }} CountInfo
 */

/**
 * How often an element is read.
 * @typedef {{
 *   least: CountInfo,
 *   most: CountInfo,
 *   mean: number|null,
 * }} Reuse
 */

/**
 * Which share of an operand is read.
 * @typedef {{
 *   least: number,
 *   most: number,
 * }} Utilisation
 */

/**
 * What a result reads of an operand.
 * @typedef {{
 *   operand: number,
 *   result: number,
 *   size: JsonNumber,
 *   bits: number,
 *   elements: CountInfo,
 *   bytes: CountInfo,
 *   reads: CountInfo,
 *   reuse: Reuse,
 *   utilisation: Utilisation,
 *   bijection: boolean|null,
 *   injective: boolean|null,
 *   single_valued: boolean|null,
 *   covers: boolean|null,
 *   perIndex: number|null,
 *   shared: number[],
 *   note: string,
 * }} MeasureInfo
 */

/**
 * What operands that are one value both read of it.
 * @typedef {{
 *   operands: number[],
 *   result: number,
 *   elements: CountInfo,
 * }} OverlapInfo
 */

/**
 * The dimension that starts are of, of an operand or of a result.
 * @typedef {{
 *   operand?: number,
 *   result?: number,
 *   dimension: number,
 * }} StartOf
 */

/**
 * A start that was not in its interval; `used`: what it was clamped to.
 * @typedef {{
 *   at: number[],
 *   value: JsonNumber,
 *   used: number|null,
 * }} StartExample
 */

/**
 * The starts that a run has read from an operand, and how many lie outside of their interval.
 * @typedef {{
 *   operand: number,
 *   of: StartOf,
 *   interval: [number, number],
 *   clamped: boolean,
 *   count: number,
 *   below: number,
 *   above: number,
 *   complete: boolean,
 *   examples: StartExample[],
 * }} StartsInfo
 */

/**
 * An element that several updates write.
 * @typedef {{
 *   element: number[],
 *   updates: number[][],
 * }} WriteExample
 */

/**
 * How many updates write elements of a result.
 * @typedef {{
 *   operand: number,
 *   result: number,
 *   updates: JsonNumber,
 *   written: JsonNumber,
 *   several: JsonNumber,
 *   dropped: JsonNumber,
 *   most: JsonNumber,
 *   examples: WriteExample[],
 * }} WritersInfo
 */

/**
 * The numbers of each operand for each result; `bound`: with what the maps read in a run.
 * @typedef {{
 *   bound: boolean,
 *   operands: MeasureInfo[],
 *   overlaps: OverlapInfo[],
 *   starts: StartsInfo[],
 *   writers: WritersInfo[],
 * }} MeasuresInfo
 */

/**
 * A tile along one dimension; an offset that is no number is a formula.
 * @typedef {{
 *   offset: number|string,
 *   size: number,
 *   stride: number,
 * }} SideInfo
 */

/**
 * A runtime variable of an offset: what it is read from, and where.
 * @typedef {{
 *   name: string,
 *   read: string,
 *   at: (number|string)[],
 *   interval: [number, number],
 *   clamped: boolean,
 * }} TileRuntime
 */

/**
 * What of an operand (or result) a tile needs (or goes to); `tile` is null where no tile holds it.
 * @typedef {{
 *   tile: SideInfo[]|null,
 *   count: JsonNumber|null,
 *   exact: boolean,
 *   nothing: boolean,
 *   reason: string,
 *   runtimes: TileRuntime[],
 * }} TilePiece
 */

/**
 * The pieces of one operand or result.
 * @typedef {{
 *   of: number,
 *   pieces: TilePiece[],
 * }} TileAnswer
 */

/**
 * What the maps make of a tile.
 * @typedef {{
 *   direction: MapDirection,
 *   of: number,
 *   tile: SideInfo[],
 *   numbers: number[],
 *   bound: boolean,
 *   answers: TileAnswer[],
 * }} TileInfo
 */

/**
 * The least, the mean and the most of all accesses.
 * @typedef {{
 *   least: number,
 *   mean: number,
 *   most: number,
 * }} SpreadInfo
 */

/**
 * One access of a warp: the addresses of its threads, null for those that read nothing.
 * @typedef {{
 *   block: number[],
 *   warp: number,
 *   step: number[],
 *   addresses: (JsonNumber|null)[],
 *   bytes: number,
 *   sectors: number,
 *   lines: number,
 *   leastSectors: number,
 *   leastLines: number,
 *   conflicts: number,
 * }} AccessInfo
 */

/**
 * Which threads compute the result.
 * @typedef {{
 *   block: number[],
 *   blocks: number[],
 *   warps: number,
 *   steps: number[],
 *   map: string,
 * }} ThreadsInfo
 */

/**
 * Sectors, lines and conflicts of banks, of one access and of all.
 * @typedef {{
 *   bits: number,
 *   memory: string,
 *   coalesced: boolean,
 *   reason: string,
 *   ideal: number,
 *   assumed: boolean,
 *   accesses: JsonNumber,
 *   lookedAt: number,
 *   sectors: SpreadInfo,
 *   lines: SpreadInfo,
 *   conflicts: SpreadInfo,
 *   access: AccessInfo,
 *   threads: ThreadsInfo,
 * }} CoalescingInfo
 */

/**
 * A box of elements.
 * @typedef {{
 *   start: number[],
 *   sizes: number[],
 *   strides: number[],
 * }} WireBox
 */

/**
 * A set of elements: disjoint boxes where they are few, else stretches of row-major positions.
 * @typedef {{
 *   shape: number[],
 *   count: number,
 *   boxes?: WireBox[],
 *   runs?: [number, number][],
 *   complete?: boolean,
 * }} WireSet
 */

/**
 * The argument of the run that a node is.
 * @typedef {{
 *   number: number,
 *   name: string,
 * }} NodeInput
 */

/**
 * Elements of a value on the way; `end`: why the walk does not go on here.
 * @typedef {{
 *   id: number,
 *   address: string,
 *   process: number,
 *   kind: "result"|"argument",
 *   step: number|null,
 *   frame: number,
 *   op: number|null,
 *   opName: string|null,
 *   value: number,
 *   name: string,
 *   type: string,
 *   tick: number,
 *   elements: WireSet,
 *   end: string|null,
 *   reason: string|null,
 *   input: NodeInput|null,
 *   outputs: number[],
 * }} ProvenanceNode
 */

/**
 * Elements of the node `read` went into the node `made`.
 * @typedef {{
 *   read: number,
 *   made: number,
 *   kind: string,
 *   operand: number|null,
 *   words: string|null,
 *   elements: WireSet,
 * }} ProvenanceEdge
 */

/**
 * A value on a path; `node` is null where the walk does not show it.
 * @typedef {{
 *   node: number|null,
 *   address: string,
 *   name: string,
 *   elements: WireSet,
 * }} PathStop
 */

/**
 * An element that a formula reads, or a product of such (`factors`).
 * @typedef {{
 *   text: string,
 *   factors?: FormulaTerm[],
 *   operand?: number|null,
 *   name?: string,
 *   address?: string,
 *   index?: number[],
 *   value?: string,
 *   role?: string|null,
 * }} FormulaTerm
 */

/**
 * The element that a formula is of.
 * @typedef {{
 *   name: string,
 *   index: number[],
 * }} FormulaLeft
 */

/**
 * How one element was computed; `count` is of all terms, of which the first are listed.
 * @typedef {{
 *   text: string,
 *   numbers: string|null,
 *   left: FormulaLeft,
 *   form: string,
 *   symbol: string,
 *   terms: FormulaTerm[],
 *   count: number,
 *   value: string,
 *   note: string|null,
 * }} Formula
 */

/**
 * A walk: its nodes in order, the edges between them, and which nodes are ends.
 * @typedef {{
 *   address: string,
 *   direction: "back"|"forward",
 *   reach: "step"|"all",
 *   complete: boolean,
 *   reason: string|null,
 *   elements: WireSet,
 *   nodes: ProvenanceNode[],
 *   values: number,
 *   steps: number,
 *   omitted: number,
 *   waiting: number[],
 *   unlooked: number,
 *   edges: ProvenanceEdge[],
 *   inputs: number[],
 *   ends: number[],
 *   path: PathStop[]|null,
 *   formula: Formula|null,
 *   pathReason?: string|null,
 * }} Provenance
 */

/**
 * The element that differs the most; its numbers as text, as exact as they are.
 * @typedef {{
 *   index: number[],
 *   path: number[],
 *   before: string,
 *   after: string,
 *   error: JsonNumber,
 *   ulps: JsonNumber|null,
 *   bound: JsonNumber|null,
 * }} WorstElement
 */

/**
 * A value of one run.
 * @typedef {{
 *   name: string,
 *   op: number|null,
 *   spelled: string,
 *   line: number,
 *   process: number,
 *   step: number|null,
 *   address: string|null,
 *   type: string,
 * }} ComparedSide
 */

/**
 * A pair of operations, or of inputs: of several executions the first that is wrong, or else the worst.
 * @typedef {{
 *   before: ComparedSide|null,
 *   after: ComparedSide|null,
 *   verdict: "same_bits"|"rounding"|"wrong"|"nan"|"shape"|"only_before"|"only_after",
 *   evidence: ("value"|"near"|"name"|"source"|"structure"|"elements"|"position"|"same_program"|"replaced")[],
 *   origin: "given"|"made"|"carried",
 *   sentence: string,
 *   notes: string,
 *   worst: WorstElement|null,
 *   size: number,
 *   count: number,
 *   beyond: number,
 *   executions: number,
 *   wrong: number,
 * }} ComparedRow
 */

/**
 * What a file says of where its values are from; empty where it says nothing.
 * @typedef {{
 *   title: string,
 *   sentence: string,
 *   lines: string[],
 *   confirmed: boolean,
 * }} ValuesOrigin
 */

/**
 * The pairs of two runs in the order of the first one's execution, as far as they are compared.
 * @typedef {{
 *   sentence: string,
 *   first: number|null,
 *   rows: ComparedRow[],
 *   start: number,
 *   total: number,
 *   counts: Record<string, number>,
 *   compared: number,
 *   done: boolean,
 *   origin: ValuesOrigin|null,
 * }} RunsCompared
 */

/**
 * Where the other run is when one is at a step of this one.
 * @typedef {{
 *   step: number|null,
 *   process: number,
 *   exact: boolean,
 *   name: string,
 *   spelled: string,
 *   line: number,
 * }} MatchedStep
 */

/**
 * The distance of two values, element by element, as a value of its own; and the range that both lie in.
 * @typedef {{
 *   distance: ValueSummary,
 *   range: JointRange,
 * }} DifferenceInfo
 */

/**
 * Devices that a run can be compared on.
 * @typedef {{
 *   name: string,
 *   devices: string[],
 * }} EngineInfo
 */

/**
 * The second engines of a server.
 * @typedef {{
 *   engines: EngineInfo[],
 * }} EngineList
 */

/**
 * A comparison of a run with a second engine, and how far it is.
 * @typedef {{
 *   id: string,
 *   against: string,
 *   state: "waiting"|"running"|"done"|"failed"|"cancelled",
 *   doing: string,
 *   seconds: number,
 *   file: string|null,
 *   message: string,
 *   hint: string,
 *   start_at: number|string|null,
 * }} EngineJob
 */

/**
 * @typedef {"harmful"|"masked"|"neutral"} FindingGrade
 */

/**
 * A step in which an op did it: to `elements` of `size` elements of the value at `address`, of which `index` is one.
 * `finding` is the place of the finding in the list; `words` say what happened: `12 of 80 elements became +Inf`.
 * @typedef {{
 *   finding: number,
 *   process: number,
 *   step: number,
 *   iteration: number,
 *   tick: number,
 *   elements: number,
 *   size: number,
 *   address: string,
 *   index: number[],
 *   words: string,
 * }} FindingMark
 */

/**
 * Where the elements came from that made others bad: an op, or something that the run was given.
 * @typedef {{
 *   kind: "op"|"given",
 *   address: string,
 *   name: string,
 *   op: number|null,
 *   index: number[],
 * }} FindingCause
 */

/**
 * What one op did, of one kind: in `count` steps, of which `first` and `worst` are two. `title` names the kind.
 * Unless it was `followed` to the end, the grade is assumed.
 * @typedef {{
 *   op: number,
 *   opName: string,
 *   kind: "nan"|"inf"|"denormal"|"swallowed_nan"|"wrap"|"zero_division"|"clamped_start"|"dropped_update"|"out_of_bounds"|"collision"|"divergence",
 *   title: string,
 *   grade: FindingGrade,
 *   count: number,
 *   first: FindingMark,
 *   worst: FindingMark,
 *   sentence: string,
 *   cause: FindingCause|null,
 *   followed: boolean,
 * }} FindingInfo
 */

/**
 * An input that holds NaN, or infinities, in `elements` of its elements: none of the ops has given birth to them.
 * @typedef {{
 *   process: number,
 *   argument: number,
 *   name: string,
 *   address: string,
 *   kind: "nan"|"inf",
 *   grade: FindingGrade,
 *   elements: number,
 *   size: number,
 *   index: number[],
 *   sentence: string,
 *   followed: boolean,
 * }} BadInputInfo
 */

/**
 * All that has been found in the steps recorded so far, and the steps to mark, of each process in order. Of a finding
 * in very many steps the first are marked. `found` is the count that the state of the run tells too: when it has
 * grown there is more to ask for. `rest` says what there was no time for, in the same steps: whose harm is assumed,
 * what was not compared; it is empty if nothing is left.
 * @typedef {{
 *   findings: FindingInfo[],
 *   inputs: BadInputInfo[],
 *   marks: FindingMark[],
 *   found: number,
 *   steps: number,
 *   rest: string,
 * }} FindingsInfo
 */

/**
 * A step in which a value that is not finite was born, with the place of its finding in the list.
 * @typedef {{
 *   finding: number,
 *   process: number,
 *   step: number,
 *   address: string,
 *   index: number[],
 *   sentence: string,
 * }} OriginStop
 */

/**
 * @typedef {"nan"|"inf"|"nonfinite"|"number"|"range"|"equal"|"zero"|"any"} SearchKind
 */

/**
 * A value with `count` elements of `size` that are so. `step`: null for an argument of the run; `index` is that of
 * the first such element, `element` the element as text.
 * @typedef {{
 *   address: string,
 *   step: number|null,
 *   value: number,
 *   line: number,
 *   name: string,
 *   type: string,
 *   count: number,
 *   size: number,
 *   shape: number[],
 *   index: number[],
 *   element: string,
 * }} SearchHit
 */

/**
 * What was found until the time was up; the search goes on at position `next`, null at the end of what is recorded.
 * Position 0 are the arguments of the process, each step is one more; `looked` are positions.
 * @typedef {{
 *   hits: SearchHit[],
 *   next: number|null,
 *   looked: number,
 * }} SearchResult
 */

/**
 * The names of ops in the user's framework, `jit(f)/attention/dot_general`: those there are, and for each op the
 * number of its, -1 where it has none.
 * @typedef {{
 *   names: string[],
 *   ops: number[],
 * }} OpNames
 */

/**
 * An op in a list.
 * @typedef {{
 *   name: string,
 *   sentence: string,
 *   url: string,
 *   opcode: string|null,
 *   xla_name: string|null,
 *   hlo_note: string|null,
 * }} OpEntry
 */

/**
 * An op with its family, and the opcodes of HLO text that are read as it.
 * @typedef {{
 *   name: string,
 *   sentence: string,
 *   url: string,
 *   opcode: string|null,
 *   xla_name: string|null,
 *   hlo_note: string|null,
 *   family: string,
 *   reads: string[],
 * }} ListedOp
 */

/**
 * An opcode that is no op.
 * @typedef {{
 *   name: string,
 *   sentence: string,
 * }} FamilyWord
 */

/**
 * Ops that belong together.
 * @typedef {{
 *   name: string,
 *   title: string,
 *   ops: OpEntry[],
 *   words: FamilyWord[],
 * }} OpFamily
 */

/**
 * An input or result: label, name and kind.
 * @typedef {{
 *   label?: string,
 *   name: string,
 *   type: string,
 * }} LabelledRow
 */

/**
 * A constraint; formulas are between backticks.
 * @typedef {{
 *   label: string,
 *   text: string,
 * }} RuleRow
 */

/**
 * Where else an op is described.
 * @typedef {{
 *   text: string,
 *   url: string,
 * }} PageLink
 */

/**
 * An attribute of HLO text, and the input that it is, where that has another name.
 * @typedef {{
 *   key: string,
 *   input: string,
 * }} PageAttribute
 */

/**
 * The worked example of an op.
 * @typedef {{
 *   title: string,
 *   description: string,
 *   text: string,
 *   file: string,
 * }} ExampleProgram
 */

/**
 * @typedef {{
 *   words: string,
 *   xla: string,
 *   "xla-2024": string,
 * }} PageText
 */

/**
 * An operand and a result; the result is null where there is but one.
 * @typedef {{
 *   operand: string,
 *   result: string|null,
 * }} AlikePair
 */

/**
 * The maps of a pair both ways, and the pairs that have the same.
 * @typedef {{
 *   operand: string,
 *   result: string|null,
 *   reads: PageText|null,
 *   goes: PageText|null,
 *   alike: AlikePair[],
 * }} PageMap
 */

/**
 * What is read in the example; `no_maps`: why that cannot be said; `unread`: operands that no result depends on.
 * @typedef {{
 *   maps: PageMap[],
 *   no_maps: string|null,
 *   unread: string[],
 * }} ExampleMaps
 */

/**
 * How an op is written in its examples: in its short and generic form, and in HLO text.
 * @typedef {{
 *   example: ExampleProgram|null,
 *   hlo_example: ExampleProgram|null,
 *   short: string|null,
 *   generic: string|null,
 *   written: string|null,
 * }} ExampleForms
 */

/**
 * All that the page of an op says.
 * @typedef {{
 *   name: string,
 *   sentence: string,
 *   url: string,
 *   opcode: string|null,
 *   xla_name: string|null,
 *   hlo_note: string|null,
 *   example: ExampleProgram|null,
 *   hlo_example: ExampleProgram|null,
 *   short: string|null,
 *   generic: string|null,
 *   written: string|null,
 *   maps: PageMap[],
 *   no_maps: string|null,
 *   unread: string[],
 *   family_name: string,
 *   family: string,
 *   paragraphs: string[],
 *   constraints: RuleRow[],
 *   read_as: string|null,
 *   attributes: PageAttribute[],
 *   links: PageLink[],
 *   inputs: LabelledRow[],
 *   results: LabelledRow[],
 *   signature: string,
 * }} OpPage
 */

/**
 * What the page of an op asks about the run of its example, and the answer. `truth` is written as the page writes
 * values; `digits`: so many significant digits of a float will do.
 * @typedef {{
 *   kind: "number"|"index"|"shape"|"choice",
 *   text: string,
 *   truth: string,
 *   options: string[],
 *   digits: number|null,
 * }} ExampleQuestion
 */

/**
 * A tensor of a form; null: it follows from the rest.
 * @typedef {{
 *   shape: (number|null)[]|null,
 *   type: string|null,
 *   values?: string|string[],
 * }} FormTensorInfo
 */

/**
 * What a form holds.
 * @typedef {{
 *   operands: Record<string, FormTensorInfo[]>,
 *   fields: Record<string, any>,
 * }} FormState
 */

/**
 * @typedef {{
 *   name: string,
 *   label: string,
 *   says: string,
 *   types: string[],
 *   many: boolean,
 *   scalars: boolean,
 *   with: string,
 *   holdsPlaces: boolean,
 * }} OperandField
 */

/**
 * A field of a form.
 * @typedef {{
 *   name: string,
 *   label: string,
 *   says: string,
 *   kind: string,
 *   of: string,
 *   choices: string[],
 *   least: number|null,
 *   group: string,
 *   types: string[],
 * }} FormField
 */

/**
 * An example to fill in.
 * @typedef {{
 *   title: string,
 *   sentence: string,
 *   state: FormState,
 * }} FormPreset
 */

/**
 * The form of an op; `rules` are its constraints by their labels.
 * @typedef {{
 *   op: string,
 *   opPage: string,
 *   operands: OperandField[],
 *   fields: FormField[],
 *   equallyMany: string[],
 *   first: FormState,
 *   presets: FormPreset[],
 *   rules: Record<string, string>,
 * }} OpForm
 */

/**
 * An op in the list of forms; `why` it has none.
 * @typedef {{
 *   name: string,
 *   sentence: string,
 *   why?: string,
 * }} FormEntry
 */

/**
 * Ops that belong together.
 * @typedef {{
 *   name: string,
 *   title: string,
 *   ops: FormEntry[],
 * }} FormFamily
 */

/**
 * A field of the form, one tensor of several, and a part of it.
 * @typedef {{
 *   name: string,
 *   index: number,
 *   part: string,
 * }} FieldPlace
 */

/**
 * What is wrong, and the fields that it speaks of, the one to mark first.
 * @typedef {{
 *   message: string,
 *   label: string|null,
 *   hint: string|null,
 *   fields: FieldPlace[],
 * }} FormProblemInfo
 */

/**
 * A value as base64 of its little-endian elements.
 * @typedef {{
 *   dtype: WireType,
 *   components: number,
 *   shape: number[],
 *   data: string,
 * }} InlineValue
 */

/**
 * For each tensor its value in every process; null where it is not known or has more than `most` elements.
 * @typedef {{
 *   most: number,
 *   operands: ((InlineValue|null)[])[],
 *   results: ((InlineValue|null)[])[],
 *   found: ((InlineValue|null)[])[],
 * }} InlineValues
 */

/**
 * Maps with values. `awaited`: for each process those that a map's `place` counts.
 * @typedef {{
 *   maps: OperandMapInfo[],
 *   inverse: OperandMapInfo[],
 *   texts: MapTexts[],
 *   op: string,
 *   operands: MappedTensorInfo[],
 *   found: string[],
 *   results: MappedTensorInfo[],
 *   roles: DimensionRoles,
 *   parts: PictureParts,
 *   values: BothWays|null,
 *   processes: number[][],
 *   awaited: number[][],
 *   inline: InlineValues,
 * }} PlaygroundPicture
 */

/**
 * The program that a form stands for.
 * @typedef {{
 *   text: string,
 *   inputs: InputSpec[],
 *   grid: GridSize|null,
 * }} FormProgramInfo
 */

/**
 * An operand as the program has it.
 * @typedef {{
 *   shape: number[],
 *   type: string,
 * }} OperandType
 */

/**
 * What a form stands for, or what is wrong with it.
 * @typedef {{
 *   problems: FormProblemInfo[],
 *   program: FormProgramInfo|null,
 *   picture: PlaygroundPicture|null,
 *   operands?: OperandType[],
 *   note?: string,
 * }} PlaygroundAnswer
 */

/**
 * What a form may ask for: elements of a tensor, values that are listed, processes, elements of a run in all.
 * @typedef {{
 *   elements: number,
 *   values: number,
 *   processes: number,
 *   run_elements: number,
 * }} PlaygroundBounds
 */

/**
 * @typedef {"same_text"|"same_bits"|"rounding"|"wrong"|"nan"|"signature"|"cannot_run"} PassVerdict
 */

/**
 * @typedef {"none"|"waiting"|"texts"|"runs"|"done"|"failed"|"stopped"} ExaminationKind
 */

/**
 * @typedef {"same"|"changed"|"replaced"|"added"|"removed"|"moved"|"other"} DiffRowKind
 */

/**
 * A file of a dump. `content` is what it was recognised as, `described` the same in words; `size` in bytes as it lies
 * there.
 * @typedef {{
 *   path: string,
 *   size: number,
 *   content: string,
 *   described: string,
 *   is_text: boolean,
 * }} DumpFile
 */

/**
 * The text of a module after a pass. `number` is null at the two ends; `file` is its number among the dump's files.
 * @typedef {{
 *   number: number|null,
 *   pipeline: string,
 *   round: number,
 *   pass_name: string,
 *   occurrence: number,
 *   title: string,
 *   changed_by: string,
 *   since: string,
 *   file: number,
 * }} DumpStage
 */

/**
 * A compilation. `others` are the numbers of its files that are no stages.
 * @typedef {{
 *   key: string,
 *   stages: DumpStage[],
 *   others: number[],
 * }} DumpModule
 */

/**
 * What a dump holds.
 * @typedef {{
 *   modules: DumpModule[],
 *   files: DumpFile[],
 * }} DumpContents
 */

/**
 * The element that differs most, or that of the guilty instruction. `value` is the instruction after the pass.
 * @typedef {{
 *   value: string,
 *   replaced: string,
 *   index: number[],
 *   before: string,
 *   after: string,
 *   ulps: number|null,
 *   process: number|null,
 * }} WorstInPass
 */

/**
 * What is known of a stage. `verdict` is null where nothing was run yet, or where it differs and it is not known how
 * far.
 * @typedef {{
 *   module: number,
 *   stage: number,
 *   verdict: PassVerdict|null,
 *   has_run: boolean,
 *   added: number,
 *   removed: number,
 *   changed: number,
 *   worst: WorstInPass|null,
 *   reason: string,
 *   hint: string,
 * }} StageFound
 */

/**
 * The inputs of a module: where their values are from, and their types.
 * @typedef {{
 *   module: number,
 *   origin: string,
 *   types: string[],
 * }} InputsMade
 */

/**
 * Why a module could not be examined.
 * @typedef {{
 *   module: number,
 *   message: string,
 *   hint: string,
 * }} ModuleProblem
 */

/**
 * The first stage that a pass has made wrong.
 * @typedef {{
 *   module: number,
 *   stage: number,
 * }} FirstWrong
 */

/**
 * What stages are run on: numbers from a seed, or for one module the arrays of a file. `file`: null, or the name that
 * it is kept under.
 * @typedef {{
 *   seed: number,
 *   file: string|null,
 *   file_name: string,
 *   module: number,
 * }} ExaminationWishes
 */

/**
 * How far an examination is. `found`: what is new since the version that was asked about; `done` of `total` stages
 * have come.
 * @typedef {{
 *   version: number,
 *   kind: ExaminationKind,
 *   reason: string,
 *   done: number,
 *   total: number,
 *   found: StageFound[],
 *   inputs: InputsMade[],
 *   problems: ModuleProblem[],
 *   sentence: string,
 *   first_wrong: FirstWrong|null,
 *   wishes: ExaminationWishes,
 * }} ExaminationProgress
 */

/**
 * All that the page of a dump needs.
 * @typedef {{
 *   modules: DumpModule[],
 *   files: DumpFile[],
 *   id: string,
 *   name: string,
 *   examination: ExaminationProgress,
 * }} DumpInfo
 */

/**
 * Where a new dump is.
 * @typedef {{
 *   id: string,
 *   url: string,
 * }} NewDump
 */

/**
 * A dump in a list: its sentence is empty until it was examined.
 * @typedef {{
 *   name: string,
 *   sentence: string,
 *   is_wrong: boolean,
 * }} DumpTitle
 */

/**
 * A session with the texts before and after a pass as its runs. `url` leads to their comparison; `problem`: why there
 * are not two.
 * @typedef {{
 *   id: string,
 *   url: string,
 *   name: string,
 *   problem: string,
 * }} SteppedPair
 */

/**
 * A file of arrays that was uploaded for a dump.
 * @typedef {{
 *   file: string,
 *   name: string,
 * }} KeptInputs
 */

/**
 * A line of a text, counted from 1. `name` is that of the instruction that it states; a very long line is cut.
 * @typedef {{
 *   line: number,
 *   text: string,
 *   name: string,
 * }} DiffLine
 */

/**
 * Lines beside each other; null: the text has nothing here. `row` is its number among all rows. `partner`: of an
 * instruction that has moved, the line of the other text that it is on.
 * @typedef {{
 *   kind: DiffRowKind,
 *   row: number,
 *   before: DiffLine|null,
 *   after: DiffLine|null,
 *   partner: number|null,
 * }} DiffRow
 */

/**
 * Rows that do not differ, from number `row` on; `computation` is the one that they begin in, if any.
 * @typedef {{
 *   kind: "fold",
 *   row: number,
 *   count: number,
 * }} DiffFold
 */

/**
 * Two texts side by side. `total` items; `before` is the stage before, null where the text is the first or of another
 * language.
 * @typedef {{
 *   before: number|null,
 *   total: number,
 *   added: number,
 *   removed: number,
 *   changed: number,
 *   items: (DiffRow|DiffFold)[],
 *   note: string,
 * }} StageDifference
 */

/**
 * A value in an allocation; sizes in bytes.
 * @typedef {{
 *   name: string,
 *   size: number,
 *   offset: number,
 *   shape: string,
 * }} BufferInfo
 */

/**
 * A piece of memory of a compiled module; sizes in bytes.
 * @typedef {{
 *   number: number,
 *   size: number,
 *   kinds: string[],
 *   shape: string,
 *   values: BufferInfo[],
 * }} AllocationInfo
 */

/**
 * Part of a file: lines from number `start` on, counted from 0, of `total`; or of buffers the allocations. `note`
 * says what there is of a file that is no text.
 * @typedef {{
 *   start: number,
 *   total: number,
 *   lines: string[],
 *   allocations: AllocationInfo[],
 *   note: string,
 * }} FilePart
 */

/**
 * Stages are known.
 * @typedef {{
 *   event: "stages",
 *   phase: "texts"|"runs",
 *   stages: StageFound[],
 *   sentence: string,
 *   first_wrong: FirstWrong|null,
 * }} StagesEvent
 */

/**
 * The inputs of a module are made.
 * @typedef {{
 *   module: number,
 *   origin: string,
 *   types: string[],
 *   event: "inputs",
 * }} InputsEvent
 */

/**
 * A module cannot be examined.
 * @typedef {{
 *   module: number,
 *   message: string,
 *   hint: string,
 *   event: "problem",
 * }} ProblemEvent
 */

/**
 * @typedef {StagesEvent|InputsEvent|ProblemEvent} DumpEvent
 */

/**
 * @typedef {"number"|"choice"|"cell"|"shape"|"step"} AskKind
 */

/**
 * @typedef {string|number[]} LessonAnswer
 */

/**
 * A lesson in the list. `needs`: names of lessons to read before; `steps`: the ids of its steps.
 * @typedef {{
 *   name: string,
 *   title: string,
 *   summary: string,
 *   minutes: number,
 *   needs: string[],
 *   language: string,
 *   languages: string[],
 *   version: string,
 *   steps: string[],
 * }} LessonTitle
 */

/**
 * Where to go and what to look at there. `step`: the position, before the step of this number; `value`: number of the
 * program's value; `path`: of an element of a tuple; `address`: the value as it is seen from there. Null: as it
 * happens to be.
 * @typedef {{
 *   run: number,
 *   step: number,
 *   process: number,
 *   tab: string|null,
 *   value: number|null,
 *   path: number[],
 *   element: number[]|null,
 *   address: string|null,
 * }} LessonPlace
 */

/**
 * What would give an answer away until it is given: an element of a value, or all of it.
 * @typedef {{
 *   run: number,
 *   process: number,
 *   address: string,
 *   element: number[]|null,
 * }} HiddenValue
 */

/**
 * Text, as HTML without scripts and styles.
 * @typedef {{
 *   kind: "text",
 *   html: string,
 * }} TextBlock
 */

/**
 * An aside, set off from the text.
 * @typedef {{
 *   kind: "note",
 *   html: string,
 * }} NoteBlock
 */

/**
 * What to look at: a place, or a playground (its address on this server). `label` says it in a few words.
 * @typedef {{
 *   kind: "look",
 *   label: string,
 *   place: LessonPlace|null,
 *   playground: string|null,
 * }} LookBlock
 */

/**
 * An option of a choice, and what is said to whoever takes it.
 * @typedef {{
 *   html: string,
 *   says_html: string,
 *   right: boolean,
 * }} LessonOption
 */

/**
 * A wrong answer that people give, and what is said about it.
 * @typedef {{
 *   value: LessonAnswer,
 *   html: string,
 * }} WrongAnswer
 */

/**
 * A question. See the module for how answers are judged. `id`: `<step id>.<number of the question in its step>`.
 * `place`: where "Show me" leads once it is answered or given up. `run`, `process`, `address`, `value`, `element`:
 * the value that is asked about, and of a cell the one to click in; null where it is about several. `hides`: what to
 * cover until it is answered.
 * @typedef {{
 *   kind: "ask",
 *   id: string,
 *   ask: AskKind,
 *   html: string,
 *   truth: LessonAnswer|null,
 *   number_kind: "integer"|"float"|"truth"|null,
 *   digits: number|null,
 *   options: LessonOption[],
 *   cells: number[][]|null,
 *   wrong: WrongAnswer[],
 *   hints: string[],
 *   right_html: string,
 *   run: number,
 *   process: number,
 *   address: string|null,
 *   value: number|null,
 *   element: number[]|null,
 *   hides: HiddenValue[],
 *   place: LessonPlace|null,
 * }} AskBlock
 */

/**
 * An exercise: change the program so that its check passes. `id` is that of its step. `text`, `name`, `entry`,
 * `inputs`, `grid`: the program as it is given, and what `POST /api/sessions` opens it or the student's own text
 * with. `run` is null where it does not run as it is given. `passes`: the check as it is written in the lesson.
 * @typedef {{
 *   kind: "change",
 *   id: string,
 *   html: string,
 *   run: number|null,
 *   name: string,
 *   text: string,
 *   entry: string|null,
 *   inputs: (ValueSpec|SameSpec|EachSpec|ApartSpec|null)[],
 *   grid: GridSize|null,
 *   syntax: "mlir"|"hlo",
 *   passes: string,
 *   hints: string[],
 *   right_html: string,
 * }} ChangeBlock
 */

/**
 * @typedef {TextBlock|NoteBlock|LookBlock|AskBlock|ChangeBlock} LessonBlock
 */

/**
 * A step: its heading and what follows.
 * @typedef {{
 *   id: string,
 *   title: string,
 *   blocks: LessonBlock[],
 * }} LessonStep
 */

/**
 * A lesson in one language. `session`: the read-only link to its session, empty in an exported file; run `n` is that
 * of the n-th of `programs`. `version` changes where programs, steps or questions change, not where a sentence does:
 * progress is kept by it. `revision` is there only while a lesson is previewed: the page asks `GET
 * /api/lessons/{name}/revision` and loads itself anew where that differs. `server`: in an exported file, where
 * exercises can be done instead, null if nobody said.
 * @typedef {{
 *   name: string,
 *   title: string,
 *   summary: string,
 *   language: string,
 *   languages: string[],
 *   minutes: number,
 *   needs: string[],
 *   version: string,
 *   session: string,
 *   programs: string[],
 *   intro: LessonBlock[],
 *   steps: LessonStep[],
 *   revision?: string,
 *   server?: string|null,
 * }} LessonInfo
 */

/**
 * The files of a lesson: its text and programs by the names that it has for them, pictures as data URLs, and the text
 * of the lesson that it translates. `languages`: those that there are, its original one first.
 * @typedef {{
 *   name: string,
 *   file: string,
 *   text: string,
 *   programs: Record<string, string>,
 *   images: Record<string, string>,
 *   original: string|null,
 *   original_file: string|null,
 *   languages: string[],
 * }} LessonSource
 */

/**
 * Changes with each byte of a lesson's files.
 * @typedef {{
 *   revision: string,
 * }} LessonRevision
 */

/**
 * What is wrong with a lesson that is being written.
 * @typedef {{
 *   file: string,
 *   line: number,
 *   message: string,
 *   hint: string|null,
 * }} LessonProblem
 */

/**
 * What a run of a lesson's session begins with.
 * @typedef {{
 *   name: string,
 *   text: string,
 *   entry: string|null,
 *   inputs: (ValueSpec|SameSpec|EachSpec|ApartSpec|null)[],
 *   grid: GridSize|null,
 * }} LessonRun
 */

/**
 * A lesson with its recordings, and the runs of its session in their order; or what is wrong with it.
 * @typedef {{
 *   lesson: LessonInfo|null,
 *   runs: LessonRun[],
 *   problems: LessonProblem[],
 * }} ResolvedLesson
 */

/**
 * Whether a changed program passes. `message` says in a sentence what came of it, `values` what the check read.
 * `diagnostics` are there where the program is wrong or its run failed.
 * @typedef {{
 *   passed: boolean,
 *   message: string,
 *   values: CheckedValue[],
 *   diagnostics: Diagnostic[],
 * }} ChangeResult
 */

/**
 * A part of a check and what it gave: `%2[1,0]`, `3`.
 * @typedef {{
 *   text: string,
 *   value: string,
 * }} CheckedValue
 */

/**
 * @typedef {"owner"|"member"|"screen"} RoomRole
 */

/**
 * @typedef {LessonAnswer|number} PollValue
 */

/**
 * Where one is and what one looks at, in the session of the room.
 * @typedef {{
 *   run: number,
 *   step: number,
 *   process: number,
 *   tab: string|null,
 *   value: number|null,
 *   path: number[],
 *   element: number[]|null,
 * }} RoomPosition
 */

/**
 * An element of a recorded value.
 * @typedef {{
 *   address: string,
 *   element: number[],
 * }} PollSource
 */

/**
 * What a poll is about: a recorded value, or one element of it; of a cell poll the value that is clicked on.
 * @typedef {{
 *   run: number,
 *   process: number,
 *   address: string,
 *   element: number[]|null,
 *   read_by: PollSource|null,
 * }} PollTarget
 */

/**
 * A poll that a teacher opens. One of a lesson's questions is named by `lesson_ask` alone; its kind and target are
 * the question's, and its options, of which the page shows the lesson's words, are numbered from 1.
 * @typedef {{
 *   kind: AskKind,
 *   question: string,
 *   options: string[],
 *   target: PollTarget|null,
 *   lesson_ask: string|null,
 * }} NewPoll
 */

/**
 * The poll of a room.
 * @typedef {{
 *   kind: AskKind,
 *   question: string,
 *   options: string[],
 *   target: PollTarget|null,
 *   lesson_ask: string|null,
 *   id: string,
 *   open: boolean,
 *   revealed: boolean,
 * }} RoomPoll
 */

/**
 * All that everybody in a room knows of it.
 * @typedef {{
 *   code: string,
 *   title: string,
 *   session: string,
 *   lesson: string|null,
 *   position: RoomPosition,
 *   lesson_step: string|null,
 *   chalk: string|null,
 *   locked: boolean,
 *   paused: boolean,
 *   members: number,
 *   following: number,
 *   poll: RoomPoll|null,
 * }} RoomState
 */

/**
 * A new room for a session, by its id, or for a lesson, whose session it follows then; `run` is where it begins.
 * @typedef {{
 *   session?: string|null,
 *   run?: number|null,
 *   lesson?: string|null,
 * }} RoomRequestInfo
 */

/**
 * A room that was opened. `owner` is the teacher's secret: it belongs behind the # of an address, never in a path.
 * @typedef {{
 *   id: string,
 *   code: string,
 *   url: string,
 *   owner: string,
 *   owner_url: string,
 *   join_url: string,
 *   qr_url: string,
 * }} NewRoom
 */

/**
 * What a page is told of a room before it joins.
 * @typedef {{
 *   id: string,
 *   title: string,
 *   session: string,
 *   lesson: string|null,
 *   code: string,
 *   locked: boolean,
 *   copies: number,
 * }} RoomInfo
 */

/**
 * Where the room of a code is.
 * @typedef {{
 *   id: string,
 *   url: string,
 * }} JoinedRoom
 */

/**
 * A session of one's own: whoever has this id may do everything with it, and nothing else.
 * @typedef {{
 *   id: string,
 *   url: string,
 * }} NewCopy
 */

/**
 * A character of a text in a panel.
 * @typedef {{
 *   kind: "line",
 *   line: number,
 *   column: number,
 * }} PointedLine
 */

/**
 * A place in a heat map of the panel, in rows and columns and parts of them.
 * @typedef {{
 *   kind: "cell",
 *   picture: number,
 *   height: number,
 *   width: number,
 *   row: number,
 *   column: number,
 * }} PointedCell
 */

/**
 * A control, a paragraph or the like, and the place in it, in fractions of its width and height.
 * @typedef {{
 *   kind: "control",
 *   tag: string,
 *   name: string,
 *   nth: number,
 *   x: number,
 *   y: number,
 * }} PointedControl
 */

/**
 * A place in a panel, in fractions of its width and height, and what is there: windows differ in what they show
 * where.
 * @typedef {{
 *   panel: string,
 *   x: number,
 *   y: number,
 *   thing?: PointedLine|PointedCell|PointedControl|null,
 * }} PointerPlace
 */

/**
 * What one has answered to a poll.
 * @typedef {{
 *   poll: string,
 *   value: PollValue,
 * }} GivenAnswer
 */

/**
 * Who one is in a room. `member`: the secret to keep in the browser and to say hello with next time.
 * @typedef {{
 *   name: string,
 *   role: RoomRole,
 *   member: string|null,
 *   hand: boolean,
 *   lost: boolean,
 *   answer: GivenAnswer|null,
 * }} RoomSelf
 */

/**
 * The answer to `hello`.
 * @typedef {{
 *   type: "welcome",
 *   you: RoomSelf,
 *   room: RoomState,
 *   version: number,
 * }} RoomWelcomeMessage
 */

/**
 * The room as it is now.
 * @typedef {{
 *   type: "room",
 *   room: RoomState,
 *   version: number,
 * }} RoomStateMessage
 */

/**
 * Where the one who leads points: the teacher, or `by` name.
 * @typedef {{
 *   type: "pointer",
 *   at: PointerPlace|null,
 *   by: string,
 * }} RoomPointerMessage
 */

/**
 * The teacher has taken one's hand down.
 * @typedef {{
 *   type: "hand",
 *   up: boolean,
 * }} RoomHandMessage
 */

/**
 * A member, as the teacher sees them.
 * @typedef {{
 *   name: string,
 *   following: boolean,
 *   lost: boolean,
 *   hand: boolean,
 *   away: boolean,
 *   own: boolean,
 *   run: number,
 *   step: number,
 *   lesson_step: string|null,
 * }} ClassMember
 */

/**
 * How many members are so; `members` are all that have not left.
 * @typedef {{
 *   members: number,
 *   following: number,
 *   lost: number,
 *   hand: number,
 *   away: number,
 *   own: number,
 * }} ClassCounts
 */

/**
 * How many members are at a step of the lesson, and have answered what it asks, rightly at last or not.
 * @typedef {{
 *   lesson_step: string,
 *   here: number,
 *   right: number,
 *   wrong: number,
 * }} StepProgress
 */

/**
 * For the teacher, at most twice a second. Of a large class those first who need something, and not all.
 * @typedef {{
 *   type: "class",
 *   members: ClassMember[],
 *   counts: ClassCounts,
 *   progress: StepProgress[],
 * }} ClassMessage
 */

/**
 * An answer is kept: no fault of the server loses it.
 * @typedef {{
 *   type: "answered",
 *   poll: string,
 *   value: PollValue,
 * }} AnsweredMessage
 */

/**
 * How many have answered this number, shape or step, as it is shown.
 * @typedef {{
 *   label: string,
 *   count: number,
 *   right: boolean|null,
 * }} PollBin
 */

/**
 * Numbers, shapes or steps in rising order, twelve at most; the rarest others are in `other`.
 * @typedef {{
 *   bins: PollBin[],
 *   other: number,
 * }} PollHistogram
 */

/**
 * How many have clicked on this element.
 * @typedef {{
 *   element: number[],
 *   count: number,
 * }} PollCell
 */

/**
 * What the recording says.
 * @typedef {{
 *   shown: string|null,
 *   number_kind: "integer"|"float"|"truth"|null,
 *   digits: number|null,
 *   options: number[],
 *   cells: number[][],
 *   right: number,
 * }} PollTruth
 */

/**
 * For the teacher while a poll is open, for all once it is revealed. Of fewer than five answers the count alone.
 * @typedef {{
 *   type: "results",
 *   poll: string,
 *   count: number,
 *   histogram?: PollHistogram,
 *   choices?: number[],
 *   heat?: PollCell[],
 *   truth?: PollTruth|null,
 * }} PollResultsMessage
 */

/**
 * The room is over and deleted; the socket is closed with 4410.
 * @typedef {{
 *   type: "ended",
 * }} RoomEndedMessage
 */

/**
 * What was asked for and cannot be.
 * @typedef {{
 *   message: string,
 *   kind: string,
 *   hint?: string,
 *   limit?: string,
 *   request?: string,
 *   type: "error",
 * }} RoomErrorMessage
 */

/**
 * @typedef {RoomWelcomeMessage|RoomStateMessage|RoomPointerMessage|RoomHandMessage|ClassMessage|AnsweredMessage|PollResultsMessage|RoomEndedMessage|RoomErrorMessage} RoomServerMessage
 */

/**
 * First, within ten seconds. `member` is the secret of an earlier welcome; `version` the last one seen.
 * @typedef {{
 *   type: "hello",
 *   member?: string|null,
 *   owner?: string|null,
 *   screen?: boolean,
 *   version?: number|null,
 * }} HelloMessage
 */

/**
 * Where the class is now: from the teacher, or from whoever has the chalk, who sends it after each welcome too.
 * @typedef {{
 *   type: "state",
 *   position: RoomPosition,
 *   lesson_step?: string|null,
 * }} LeadMessage
 */

/**
 * Where the one who leads points; null: nowhere any more.
 * @typedef {{
 *   type: "pointer",
 *   at: PointerPlace|null,
 * }} PointMessage
 */

/**
 * Where a follower is, at most once a second. `own`: in a copy of their own.
 * @typedef {{
 *   type: "where",
 *   following: boolean,
 *   run: number,
 *   step: number,
 *   process: number,
 *   lesson_step?: string|null,
 *   own?: boolean,
 * }} WhereMessage
 */

/**
 * A hand goes up or down; the teacher takes one down with `member`, a name.
 * @typedef {{
 *   type: "hand",
 *   up: boolean,
 *   member?: string|null,
 * }} HandMessage
 */

/**
 * "I am lost", or no more.
 * @typedef {{
 *   type: "lost",
 *   lost: boolean,
 * }} LostMessage
 */

/**
 * A question or exercise of a lesson's step was answered.
 * @typedef {{
 *   type: "progress",
 *   lesson_step: string,
 *   right: boolean,
 * }} ProgressMessage
 */

/**
 * The teacher opens a poll; a closed one before it is dropped.
 * @typedef {{
 *   type: "poll",
 *   poll: NewPoll,
 * }} PollMessage
 */

/**
 * No more answers.
 * @typedef {{
 *   type: "close_poll",
 * }} ClosePollMessage
 */

/**
 * Close the poll, and show everybody the answers and what is recorded.
 * @typedef {{
 *   type: "reveal_poll",
 * }} RevealPollMessage
 */

/**
 * Forget the poll and its answers.
 * @typedef {{
 *   type: "discard_poll",
 * }} DiscardPollMessage
 */

/**
 * A member's answer, which may be changed until the poll is closed. It counts once `answered` has come.
 * @typedef {{
 *   type: "answer",
 *   poll: string,
 *   value: PollValue,
 * }} AnswerMessage
 */

/**
 * The teacher lends the chalk to a member, by name, or takes it back; a member who has it gives it back with null.
 * @typedef {{
 *   type: "chalk",
 *   to: string|null,
 * }} ChalkMessage
 */

/**
 * What the teacher sets.
 * @typedef {{
 *   type: "settings",
 *   locked?: boolean|null,
 *   paused?: boolean|null,
 * }} RoomSettingsMessage
 */

/**
 * Every four seconds: whoever has said nothing for ten is away.
 * @typedef {{
 *   type: "ping",
 * }} PingMessage
 */

/**
 * @typedef {HelloMessage|LeadMessage|PointMessage|WhereMessage|HandMessage|LostMessage|ProgressMessage|PollMessage|ClosePollMessage|RevealPollMessage|DiscardPollMessage|AnswerMessage|ChalkMessage|RoomSettingsMessage|PingMessage} RoomMessage
 */

export {};
