/** Highlighting, indentation and comments of XLA HLO text, in all its printed forms. */
import { StreamLanguage } from "@codemirror/language";

const HEADS = new Set("HloModule ENTRY ROOT FileNames FunctionNames FileLocations StackFrames".split(" "));
const TYPE = /^(?:pred|[su]\d+|b?f\d+\w*|c64|c128|token|opaque)\[[^\]]*\]/;
const LAYOUT = /^\{(?=[\d:])[\d,\s]*(?::[^{}]*)?\}/;
const DIMENSION_LABELS = /^[\dbf?]{2,}_[\dio?]{2,}->[\dbf?]{2,}/;
/** Also `3x3`, `0_1x2_2` and `nan(0x400001)`. */
const NUMBER = /^-?(?:0x[\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|inf|nan(?:\([^)]*\))?)(?:[x_]-?\d+)*(?![\w.%])/;
const STRING = /^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/;
const NAME = /^%?[A-Za-z_](?:[\w.]|-(?!>))*/;
const STATEMENT = /^(\s*)(?:ROOT\s+)?%?[A-Za-z_][\w.-]*\s+=\s/;
/** The `=` after an attribute's name at the start of a line; after a value's name a type follows. */
const STATED = /^=(?!\s|\(|\w+\[)/;
/** A long list of numbers is one token: hundreds of spans per line would make each step slow. */
const LONG_LIST = /^\{+-?\d[-\d\s,{}]{64,}\}/;
/** Attributes whose values are computations. */
const COMPUTATIONS = new Set(
  (
    "to_apply calls condition body true_computation false_computation branch_computations " +
    "called_computations select scatter"
  ).split(" "),
);

/**
 * `first`: only keywords precede in this line. `head`: the keyword that starts the line, or "computation". `before`:
 * the previous token, a character or "type". `attribute`: the attribute whose value this is.
 *
 * @typedef {{comment: boolean, braces: number, parentheses: number, first: boolean, head: string, before: string,
 *   attribute: string, opcode: string}} State
 * @typedef {import("@codemirror/language").StringStream} Stream
 */

/** @param {Stream} stream @param {State} state @returns {string|null} */
function token(stream, state) {
  if (stream.sol()) beginLine(stream, state);
  if (state.comment || stream.match("/*")) return comment(stream, state);
  if (stream.eatSpace()) return null;
  if (stream.match("//")) return (stream.skipToEnd(), "comment");
  if (stream.match(TYPE)) return after(state, "type", "typeName");
  if (state.before === "type" && stream.match(LAYOUT)) return "typeName";
  if (stream.match(STRING)) return after(state, "string", "string");
  if (state.attribute === "dim_labels" && stream.match(DIMENSION_LABELS)) return after(state, "labels", "atom");
  if (stream.match(LONG_LIST)) return longList(stream, state);
  if (stream.match(NUMBER)) return after(state, "number", "number");
  if (stream.match(NAME)) return name(stream, state);
  if (stream.match(/^(?:->|<=|\.\.\.|[-+*:=<>()[\]{},?])/)) return punctuation(stream.current(), state);
  stream.next();
  return null;
}

/** A line that was too long to parse leaves wrong depths behind: a statement corrects them. @param {Stream} stream @param {State} state */
function beginLine(stream, state) {
  Object.assign(state, { first: true, head: "", before: "", attribute: "" });
  if (state.comment) return;
  const statement = STATEMENT.exec(stream.string);
  if (statement) state.parentheses = 0;
  if (statement && (statement[1] ?? "").length <= 2) state.braces = Math.min(state.braces, 1);
  if (/^[%A-Za-z]/.test(stream.string)) state.braces = state.parentheses = 0;
  if (state.parentheses === 0) state.opcode = "";
}

/** The list up to its closing brace. @param {Stream} stream @param {State} state @returns {string} */
function longList(stream, state) {
  const text = stream.current();
  let [depth, end] = [0, 0];
  for (; end < text.length && (end === 0 || depth > 0); end++)
    depth += text[end] === "{" ? 1 : text[end] === "}" ? -1 : 0;
  stream.backUp(text.length - (depth === 0 ? end : 1));
  return depth === 0 ? after(state, "}", "number") : punctuation("{", state);
}

/** @param {Stream} stream @param {State} state @returns {string} */
function comment(stream, state) {
  state.comment = !stream.match(/^.*?\*\//);
  if (state.comment) stream.skipToEnd();
  return "comment";
}

/** @param {State} state @param {string} before @param {string} style @returns {string} */
function after(state, before, style) {
  state.before = before;
  state.first = false;
  return style;
}

/** @param {string} text @param {State} state @returns {string} */
function punctuation(text, state) {
  if (text === "{") state.braces++;
  if (text === "}") state.braces = Math.max(0, state.braces - 1);
  if (text === "(") state.parentheses++;
  if (text === ")") state.parentheses = Math.max(0, state.parentheses - 1);
  if (text === ")" && state.parentheses === 0) state.opcode = "";
  return after(state, text, text === "..." ? "atom" : "punctuation");
}

/** @param {Stream} stream @param {State} state @returns {string} */
function name(stream, state) {
  const text = stream.current();
  if (state.first && HEADS.has(text)) {
    state.head = text;
    return "keyword";
  }
  const { before, first } = state;
  after(state, "name", "");
  const assigned = stream.match(/^\s*=(?!=)/, false);
  if (first && state.opcode !== "" && !assigned) return tagOfName(text, state); // operands continue from the line above
  if (first && !text.startsWith("%") && stream.match(STATED, false)) return attribute(text, state);
  if (first && (state.head === "HloModule" || !assigned)) return computation(state);
  if (first) return "variableName";
  if (stream.match(/^\s*:/, false)) return "variableName";
  if (assigned && state.opcode === "") return attribute(text, state);
  if (stream.peek() === "(" && (before === "type" || before === ")" || (before === "=" && state.attribute === "")))
    return opcode(text, state);
  return tagOfName(text, state);
}

/** @param {State} state @returns {string} */
function computation(state) {
  state.head ||= "computation";
  return "labelName";
}

/** @param {string} text @param {State} state @returns {string} */
function attribute(text, state) {
  state.attribute = text;
  return "propertyName";
}

/** @param {string} text @param {State} state @returns {string} */
function opcode(text, state) {
  state.opcode = text;
  return "operatorKeyword";
}

/** A name that is neither defined nor followed by anything: an operand, a computation or a word. @param {string} text @param {State} state @returns {string} */
function tagOfName(text, state) {
  if (state.opcode === "constant") return "atom";
  if (state.opcode !== "" || state.attribute === "control-predecessors") return "variableName";
  if (COMPUTATIONS.has(state.attribute)) return "labelName";
  return text.startsWith("%") ? "variableName" : "atom";
}

export const hloProgram = StreamLanguage.define({
  name: "hlo",
  startState: () =>
    /** @type {State} */ ({
      comment: false,
      braces: 0,
      parentheses: 0,
      first: true,
      head: "",
      before: "",
      attribute: "",
      opcode: "",
    }),
  token,
  indent: ({ braces }, textAfter, context) => Math.max(0, braces - (/^\s*\}/.test(textAfter) ? 1 : 0)) * context.unit,
  languageData: {
    commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
    closeBrackets: { brackets: ["(", "[", "{", '"'] },
    indentOnInput: /^\s*\}$/,
  },
});
