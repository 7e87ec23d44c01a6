/**
 * The texts of a JAX function at each stage, and what belongs together: an op is known by the position of its
 * expression in the Python file and by the name that JAX gave it.
 *
 * keys: the ops that a line belongs to, as `line:column/primitive`; lines: the Python lines it comes from
 * @typedef {{text: string, keys: string[], lines: number[]}} StageLine
 * @typedef {{id: string, title: string, lines: StageLine[], first: number}} Stage  first: the number of the first line
 */

/** The sections of the printed text. */
const SECTIONS = /** @type {const} */ ({
  Python: "Python",
  jaxpr: "jaxpr",
  StableHLO: "StableHLO",
  HLO: "HLO after XLA’s passes",
});
const HEADING = /^==== (\w+)(?:, from line (\d+) of (.*))?$/;
/** Maximum length of a text: longer ones belong in the debugger. */
export const LONGEST = 400_000;

/** @typedef {{at: string, line: number}} Place  at: line and column */

/**
 * Read what the snippet printed. `Error` with advice if it holds no section.
 *
 * @param {string} printed @returns {Stage[]}
 */
export function stagesOf(printed) {
  if (printed.length > LONGEST)
    throw new Error(
      `The text has ${printed.length.toLocaleString("en")} characters; this page reads at most ${LONGEST.toLocaleString("en")}. Open it in the debugger instead.`,
    );
  const sections = sectionsOf(printed);
  if (sections.length === 0)
    throw new Error("The text has no line “==== jaxpr”. Paste everything that the program prints.");
  const file = sections.find(({ file }) => file)?.file ?? "";
  return sections.map(({ name, first, text }) => {
    const lines = text.split("\n");
    const read = { Python: pythonLines, jaxpr: jaxprLines, StableHLO: stablehloLines, HLO: hloLines }[name];
    return { id: name, title: SECTIONS[name], first, lines: read(lines, file, first) };
  });
}

/** @param {string} printed */
function sectionsOf(printed) {
  /** @type {{name: keyof typeof SECTIONS, first: number, file: string, text: string}[]} */
  const found = [];
  for (const line of printed.split("\n")) {
    const [, name = "", first = "1", file = ""] = HEADING.exec(line) ?? [];
    if (name in SECTIONS)
      found.push({ name: /** @type {keyof typeof SECTIONS} */ (name), first: Number(first), file, text: "" });
    else {
      const last = found.at(-1);
      if (last) last.text += `${line}\n`;
    }
  }
  return found.map((section) => ({ ...section, text: section.text.trimEnd() }));
}

/** @param {Place|null} place @param {string} primitive @returns {{keys: string[], lines: number[]}} */
const linked = (place, primitive) =>
  place ? { keys: [`${place.at}/${primitive}`], lines: [place.line] } : { keys: [], lines: [] };

/** @param {string[]} lines @param {string} _file @param {number} first @returns {StageLine[]} */
const pythonLines = (lines, _file, first) => lines.map((text, at) => ({ text, keys: [], lines: [first + at] }));

/** `b:f32[2] = reduce_max[axes=(1,)] a  # softmax.py:8:20 (softmax)` @param {string[]} lines @param {string} file @returns {StageLine[]} */
const jaxprLines = (lines, file) =>
  lines.map((text) => {
    const [, path = "", line = "", column = ""] = /# (.+):(\d+):(\d+) \(/.exec(text) ?? [];
    const primitive = /= ([\w-]+)/.exec(text)?.[1] ?? "";
    const shown = text.replace(/\s*# .+:\d+:\d+ \(.*\)\s*$/, "");
    return { text: shown, ...linked(placeIn(file, path, line, column), primitive) };
  });

/** @param {string} file @param {string} path @param {string} line @param {string} column @returns {Place|null} */
const placeIn = (file, path, line, column) =>
  path !== "" && (file === "" || path === file) ? { at: `${line}:${column}`, line: Number(line) } : null;

/** The last part of JAX's name of an op. @param {string} name */
const primitiveOf = (name) => name.split("/").at(-1) ?? "";

/** @param {string[]} lines @param {string} file @returns {StageLine[]} */
function stablehloLines(lines, file) {
  const named = new Map(
    lines.flatMap((text) => {
      const [, id = "", body = ""] = /^(#loc\d*) = loc\((.*)\)$/.exec(text) ?? [];
      return id ? [[id, body]] : [];
    }),
  );
  return lines
    .filter((text) => !text.startsWith("#loc"))
    .map((text) => {
      const [, id = "", body = id] = / loc\((#loc\d*|.*)\)$/.exec(text) ?? [];
      const shown = text.replace(/ loc\((#loc\d*|"[^"]*")\)/g, "");
      if (!/= |stablehlo|func\.call/.test(text)) return { text: shown, keys: [], lines: [] };
      const { place, name } = resolved(named.get(body) ?? body, named, file);
      return { text: shown, ...linked(place, primitiveOf(name)) };
    });
}

/**
 * The name and the innermost position of a location: `"jit(f)/add"(callsite("f"("f.py":3:4) at …))`.
 *
 * @param {string} body @param {ReadonlyMap<string, string>} named @param {string} file @returns {{place: Place|null, name: string}}
 */
function resolved(body, named, file) {
  let [text, name] = [body, ""];
  for (let depth = 0; depth < 32; depth++) {
    const position = /^"((?:[^"\\]|\\.)*)":(\d+):(\d+)/.exec(text);
    if (position) return { place: placeIn(file, position[1] ?? "", position[2] ?? "", position[3] ?? ""), name };
    const label = /^"((?:[^"\\]|\\.)*)"\((.*)\)$/.exec(text);
    const inner = label?.[2] ?? /^(?:callsite|fused(?:<.*>)?)[([](#loc\d*)/.exec(text)?.[1];
    if (inner === undefined) break;
    name ||= label?.[1]?.includes("/") ? label[1] : "";
    text = named.get(inner) ?? inner;
  }
  return { place: null, name };
}

/** @param {string[]} lines @param {string} file @returns {StageLine[]} */
function hloLines(lines, file) {
  const frames = framesOf(lines);
  /** The keys and lines of each computation. @type {Map<string, {keys: string[], lines: number[]}>} */
  const computations = new Map();
  let current = "";
  const read = lines
    .filter((text) => !isTable(text))
    .map((text) => {
      current = /^(?:ENTRY )?(%[\w.-]+) \(/.exec(text)?.[1] ?? current;
      const name = /op_name="([^"]*)"/.exec(text)?.[1] ?? "";
      const own = linked(placeOfInstruction(text, frames, file), primitiveOf(name));
      const inside = computations.get(current) ?? { keys: [], lines: [] };
      computations.set(current, { keys: [...inside.keys, ...own.keys], lines: [...inside.lines, ...own.lines] });
      return { text: text.replace(/, metadata=\{[^}]*\}/, ""), ...own };
    });
  return read.map((line) => {
    const called = computations.get(/ fusion\(.*calls=(%[\w.-]+)/.exec(line.text)?.[1] ?? "");
    return called
      ? { ...line, keys: unique([...line.keys, ...called.keys]), lines: unique([...line.lines, ...called.lines]) }
      : line;
  });
}

/** @template T @param {T[]} items @returns {T[]} */
const unique = (items) => [...new Set(items)];

/** The tables of newer texts: file names, functions, positions and frames. */
const isTable = (/** @type {string} */ text) => /^(FileNames|FunctionNames|FileLocations|StackFrames|\d+ )/.test(text);

/** The file and position of each stack frame. @param {string[]} lines @returns {Map<string, [string, string, string]>} */
function framesOf(lines) {
  const files = new Map();
  const places = new Map();
  const frames = new Map();
  let table = "";
  for (const text of lines) {
    table = /^(FileNames|FunctionNames|FileLocations|StackFrames)$/.exec(text)?.[1] ?? table;
    const [, id = "", rest = ""] = /^(\d+) (.*)$/.exec(text) ?? [];
    const field = (/** @type {string} */ name) => new RegExp(`\\b${name}=(\\d+)`).exec(rest)?.[1] ?? "";
    if (id && table === "FileNames") files.set(id, rest.replace(/^"|"$/g, ""));
    if (id && table === "FileLocations")
      places.set(id, [files.get(field("file_name_id")) ?? "", field("line"), field("column")]);
    if (id && table === "StackFrames") frames.set(id, places.get(field("file_location_id")));
  }
  return frames;
}

/** @param {string} text @param {Map<string, [string, string, string]>} frames @param {string} file @returns {Place|null} */
function placeOfInstruction(text, frames, file) {
  const frame = frames.get(/stack_frame_id=(\d+)/.exec(text)?.[1] ?? "");
  if (frame) return placeIn(file, ...frame);
  const [path, line, column] = ["source_file", "source_line", "source_column"].map(
    (name) => new RegExp(`${name}="?([^" }]*)`).exec(text)?.[1] ?? "",
  );
  return placeIn(file, path ?? "", line ?? "", column ?? "");
}

/**
 * Whether two lines belong together: one op, or a line of Python and what it made.
 *
 * @param {StageLine} chosen @param {StageLine} other @returns {boolean}
 */
export function belongs(chosen, other) {
  if (chosen.keys.length === 0 || other.keys.length === 0)
    return chosen.lines.some((line) => other.lines.includes(line));
  return chosen.keys.some((key) => other.keys.includes(key));
}
