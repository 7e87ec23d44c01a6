/** Why it is not known which elements an op reads. */

/** @type {[RegExp, string][]} */
const REASONS = [
  [/rng/, "Its numbers are random: they hang on the state of the generator, not on elements of the operands."],
  [/custom_call/, "Code outside of the program makes the results, and nothing says which elements it reads."],
  [/infeed/, "Its results come from outside of the program, through the infeed queue."],
  [/recv/, "Its results come from another process or from the host, over a channel."],
];

/** @param {import("../../indexing/picture.js").Maps} maps @returns {string|null} */
export function reasonOf({ op, maps, operands, results }) {
  const unknown = maps.some(({ map }) => map.kind === "undefined");
  if (!unknown) return null;
  const open = [...operands, ...results].filter(({ shape, type }) => shape === null && /tensor<.*\?|<=/.test(type)).map(({ name }) => name);
  if (open.length > 0) return `The sizes of ${open.join(", ")} are known only once the run has come here, so there are no maps yet.`;
  return REASONS.find(([pattern]) => pattern.test(op))?.[1] ?? "Nothing says which elements this op reads, so any may belong to any other.";
}
