/**
 * What each argument will get. Plain data.
 *
 * @typedef {import("../../types.js").InputSpec} InputSpec
 * @typedef {{name: string, type: string, location: string|null, input: InputSpec}} Planned
 * @typedef {{name: string, dtype: string, shape: number[]}} FileArray
 * @typedef {{name: string, file: string, arrays: FileArray[], matches: {argument: number, array: string}[]}} Upload
 */

/** What is made of a seed or of nothing, with its name on the control. */
export const GENERATED = /** @type {const} */ ([
  ["normal", "normal"], ["uniform", "uniform"], ["zeros", "zeros"], ["ones", "ones"], ["iota", "iota (0, 1, 2, …)"],
]);

/** @param {string} kind @returns {Extract<InputSpec, {seed: number}>} */
export function defaultSpec(kind) {
  return { kind: /** @type {any} */ (kind), seed: 0 };
}

/** Inputs of the run before go to arguments of the same name and type. @param {{name: string, type: string}[]} wanted @param {import("../../types.js").Argument[]} before @returns {Planned[]} */
export function planFor(wanted, before) {
  return wanted.map(({ name, type }) => {
    const known = before.find((argument) => argument.name === name && argument.type === type);
    return { name, type, location: known?.location ?? null, input: known?.input ?? defaultSpec("normal") };
  });
}

/** Every argument that the file has an array for takes it. @param {Planned[]} planned @param {Upload} upload @returns {Planned[]} */
export function fromFile(planned, { file, matches }) {
  return planned.map((item, at) => {
    const found = matches.find(({ argument }) => argument === at);
    return found ? { ...item, input: { kind: "file", file, array: found.array } } : item;
  });
}

/** What of the file was used, as sentences. @param {Planned[]} planned @param {Upload} upload @returns {string[]} */
export function matchSentences(planned, { name, arrays, matches }) {
  const fed = new Set(matches.map(({ argument }) => argument));
  const used = new Set(matches.map(({ array }) => array));
  const missing = planned.filter((_, at) => !fed.has(at)).map((item) => item.name);
  const spare = arrays.filter((array) => !used.has(array.name)).map((array) => array.name);
  return [
    `${name} has ${arrays.length} ${arrays.length === 1 ? "array" : "arrays"}; ${fed.size} of ${planned.length} inputs are taken from it.`,
    ...(missing.length ? [`No array fits ${missing.join(", ")}: kept as before. Name arrays in_0, in_1, … or as the arguments.`] : []),
    ...(spare.length ? [`Not used: ${spare.join(", ")}.`] : []),
  ];
}

/** A program that holds this literal alone: what is wrong with the literal is wrong with it. @param {string} text @param {string} type @returns {string} */
export function literalProgram(text, type) {
  const trimmed = text.trim();
  const literal = /^dense\b/.test(trimmed) ? trimmed.replace(/\s*:\s*tensor<[^>]*>+\s*$/, "") : `dense<${trimmed}>`;
  return `func.func @main() -> ${type} {\n  %0 = stablehlo.constant ${literal} : ${type}\n  return %0 : ${type}\n}\n`;
}
