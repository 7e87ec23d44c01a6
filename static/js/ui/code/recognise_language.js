/**
 * Detect the language of a program from its first tokens after blanks and comments.
 *
 * @typedef {"stablehlo"|"hlo"} Language
 */

const SKIPPED = /(?:\s+|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))*/y;
const NAME = String.raw`%?[A-Za-z_][\w.-]*`;
const TYPE = String.raw`\(?\s*\(*(?:pred|[su]\d+|b?f\d+\w*|c64|c128|token|opaque)\[`;
const HLO = [
  /^HloModule\b/,
  /^ENTRY\b/,
  // `region_0.1 {` and `%add (a: f32[], b: f32[]) -> f32[] {`
  new RegExp(String.raw`^(?!(?:builtin\.)?module\b)${NAME}\s*\{`),
  new RegExp(String.raw`^${NAME}\s*\(\s*(?:\)\s*->|${NAME}\s*:)`),
  // `ROOT %sum = f32[4]{0} add(`
  new RegExp(String.raw`^(?:ROOT\s+)?${NAME}\s*=\s*(?:${TYPE}|\(\s*\)|${NAME}\()`),
];
/** Comments may be long; detection reads no further. */
const LOOKED_AT = 50_000;

/** @param {string} text @returns {Language} */
export function languageOf(text) {
  SKIPPED.lastIndex = 0;
  const start = text.slice(0, LOOKED_AT);
  const skipped = SKIPPED.exec(start)?.[0].length ?? 0;
  const begins = start.slice(skipped, skipped + 2000);
  return HLO.some((form) => form.test(begins)) ? "hlo" : "stablehlo";
}
