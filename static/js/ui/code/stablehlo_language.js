/** Highlighting of StableHLO (MLIR) text: tokens, not a grammar. */
import { StreamLanguage } from "@codemirror/language";

const KEYWORDS = new Set(
  (
    "module func public private nested loc dense sparse true false unit applies across init " +
    "reducer cond body do attributes reverse inf nan none"
  ).split(" "),
);
const TYPES = /^(tensor|tuple|token|complex|index|none|memref|vector|(?:[su]i|i|ui|f|bf|tf)\d+(?:E\d+M\d+\w*)?)$/;

/** A long list of numbers is one token: hundreds of spans per line would make each step slow. */
const LONG_LIST = /^\[+-?\d[-+\d\s,.[\]eE]{64,}\]/;

/** The dialect before the name of an op. */
const DIALECT = /^(?:[a-z_]\w*\.)+(?=[a-z_]\w*(?:[\s(]|$))/;

/** `inDialect`: the name of an op follows. @typedef {{afterEquals: boolean, inDialect: boolean}} State */

/** @param {import("@codemirror/language").StringStream} stream @param {State} state @returns {string|null} */
function token(stream, state) {
  if (stream.eatSpace()) return null;
  if (stream.match("//")) return comment(stream);
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return stringToken(stream.current());
  if (stream.match(/^%[-\w.$#]+(?::\d+)?/)) return "variableName";
  if (stream.match(/^@(?:"[^"]*"|[-\w.$]+)/)) return "labelName";
  if (stream.match(/^\^[-\w.$]+/)) return "labelName";
  if (stream.match(/^[#!][-\w.$]+/)) return "macroName";
  if (stream.match(LONG_LIST)) return afterNumber(stream, state);
  if (stream.match(/^-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?![\w])/)) return afterNumber(stream, state);
  if (stream.match(/^\d+(?=x)/) || stream.match(/^(?:\?|x)(?=[?\dfiusbtc])/)) return "typeName";
  if (stream.match(DIALECT)) {
    state.inDialect = true;
    return "namespace";
  }
  if (stream.match(/^[A-Za-z_][-\w.$]*/)) return word(stream, state);
  if (stream.match(/^->|^[-+*:=<>()[\]{},?]/)) {
    state.afterEquals = stream.current() === "=";
    return "punctuation";
  }
  stream.next();
  return null;
}

/** @param {import("@codemirror/language").StringStream} stream @returns {string} */
function comment(stream) {
  stream.skipToEnd();
  return "comment";
}

/** The generic form quotes the names of ops. @param {string} text @returns {string} */
const stringToken = (text) => (/^"[a-z_]+\.[\w.]+"$/.test(text) ? "operatorKeyword" : "string");

/** @param {import("@codemirror/language").StringStream} _stream @param {State} state @returns {string} */
function afterNumber(_stream, state) {
  state.afterEquals = false;
  return "number";
}

/** @param {import("@codemirror/language").StringStream} stream @param {State} state @returns {string|null} */
function word(stream, state) {
  const text = stream.current();
  const { afterEquals, inDialect } = state;
  Object.assign(state, { afterEquals: false, inDialect: false });
  if (inDialect) return "operatorKeyword";
  if (TYPES.test(text)) return "typeName";
  if (/^[a-z_]+\.[\w.]+$/.test(text)) return "operatorKeyword";
  if (text === "call" || text === "return") return "operatorKeyword";
  if (KEYWORDS.has(text)) return "keyword";
  if (/^x?(?:\d+x)*(?:bf|f|i|ui|si)\d/.test(text)) return "typeName";
  if (stream.match(/^\s*=(?!=)/, false)) return "propertyName";
  return afterEquals ? "atom" : null;
}

export const tensorProgram = StreamLanguage.define({
  name: "stablehlo",
  startState: () => /** @type {State} */ ({ afterEquals: false, inDialect: false }),
  token,
  languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", "{", "<", '"'] } },
});
