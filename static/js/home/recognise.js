/**
 * What a pasted text or a dropped file is, as far as its look says.
 *
 * @typedef {{kind: "empty"|"stablehlo"|"hlo"|"unknown", sentence: string, ready: boolean}} Recognised
 */

/** @param {string} text @returns {Recognised} */
export function recognise(text) {
  const start = withoutComments(text);
  if (start === "") return { kind: "empty", sentence: "", ready: false };
  if (/^HloModule\b/.test(start) || /^(ENTRY\b|%?[\w.-]+ \{$)/m.test(start.slice(0, 2000)) && /\bROOT\b/.test(start)) {
    return { kind: "hlo", ready: false, sentence: "This is XLA HLO text, which hloscope does not read yet. In JAX, lower(…).as_text() prints StableHLO." };
  }
  if (/^(module\b|func\.func\b|#[\w.]+ *=|"?builtin\.module)/.test(start) || /\b(stablehlo|func|chlo)\.\w+/.test(start)) {
    const functions = (text.match(/\bfunc\.func\b/g) ?? []).length;
    return { kind: "stablehlo", ready: true, sentence: `StableHLO text with ${functions || "no"} ${functions === 1 ? "function" : "functions"}.` };
  }
  if (/^\{ *lambda\b/.test(start)) return { kind: "unknown", ready: false, sentence: "This looks like a jaxpr. jax.jit(f).lower(…).as_text() prints StableHLO." };
  return { kind: "unknown", ready: true, sentence: "This does not look like StableHLO. It can be opened all the same, and its errors are shown." };
}

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
