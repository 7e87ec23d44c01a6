/**
 * What a pasted text or a dropped file is, as far as its look says.
 *
 * @typedef {{kind: "empty"|"stablehlo"|"hlo"|"unknown", sentence: string, ready: boolean}} Recognised
 */
import { languageOf } from "../editor/recognise_language.js";

/** @param {string} text @returns {Recognised} */
export function recognise(text) {
  const start = withoutComments(text);
  if (start === "") return { kind: "empty", sentence: "", ready: false };
  if (languageOf(text) === "hlo") return { kind: "hlo", ready: true, sentence: `XLA HLO text with ${computations(text)}.` };
  if (/^(module\b|func\.func\b|#[\w.]+ *=|"?builtin\.module)/.test(start) || /\b(stablehlo|func|chlo)\.\w+/.test(start)) {
    const functions = (text.match(/\bfunc\.func\b/g) ?? []).length;
    return { kind: "stablehlo", ready: true, sentence: `StableHLO text with ${functions || "no"} ${functions === 1 ? "function" : "functions"}.` };
  }
  if (/^\{ *lambda\b/.test(start)) return { kind: "unknown", ready: false, sentence: "This looks like a jaxpr. jax.jit(f).lower(…).as_text() prints StableHLO." };
  return { kind: "unknown", ready: true, sentence: "This looks like neither StableHLO nor HLO text. It can be opened all the same, and its errors are shown." };
}

/** One that stands alone is an instruction without a computation around it. @param {string} text @returns {string} */
function computations(text) {
  const heads = text.match(/^(?:ENTRY\s+)?%?[A-Za-z_][\w.-]*\s*(?:\(.*\)\s*->.*)?\{\s*(?:\/\/.*)?$/gm) ?? [];
  return heads.length > 1 ? `${heads.length.toLocaleString("en")} computations` : "one computation";
}

/** What the file is called that a pasted text becomes. @param {string} text @returns {string} */
export const fileName = (text) => (languageOf(text) === "hlo" ? "program.hlo" : "program.mlir");

/** @param {string} text @returns {string} */
const withoutComments = (text) => text.replace(/^\s*\/\/.*$/gm, "").trim();

/** What to say about a file that holds no program; null where it may hold one. @param {string} name @param {Uint8Array} start its first bytes @returns {string|null} */
export function refusal(name, start) {
  const begins = (/** @type {number[]} */ ...bytes) => bytes.every((byte, at) => start[at] === byte);
  if (/\.np[zy]$/i.test(name)) return `${name} holds arrays. Open a program first; its Inputs dialog takes the file.`;
  if (begins(0x4d, 0x4c, 0xef, 0x52)) return `${name} is MLIR bytecode. Print it as text first, for example with jax.export's mlir_module().`;
  if (start.includes(0)) return `${name} is no text.`;
  return null;
}
