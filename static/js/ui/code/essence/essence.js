/** The essence of a line: its short form. Pure functions of one line, cached. */
import { hloEssence } from "./hlo_essence.js";
import { withPieces } from "./scanning.js";
import { stablehloEssence } from "./stablehlo_essence.js";
/** @import {Language} from "../recognise_language.js" */
/** @import {Piece} from "./scanning.js" */

const READERS = { stablehlo: stablehloEssence, hlo: hloEssence };
/** Longer lines are literals: they are cut, because parsing them would take long. */
const LONGEST_LINE = 20_000;
/** Maximum number of cached lines. */
const KEPT = 4_000;

/** @type {Record<Language, Map<string, readonly Piece[]>>} */
const read = { stablehlo: new Map(), hlo: new Map() };

/** The replacements in a line, in order. @param {string} line @param {Language} language @returns {readonly Piece[]} */
export function essenceOf(line, language) {
  const known = read[language].get(line);
  if (known) return known;
  const pieces = line.length > LONGEST_LINE ? cutLine(line) : READERS[language](line);
  if (read[language].size > KEPT) read[language].clear();
  read[language].set(line, pieces);
  return pieces;
}

/** @param {string} line @returns {Piece[]} */
const cutLine = (line) => [{ from: 200, to: line.length, text: " …" }];

/** @param {string} line @param {Language} language @returns {string} */
export const essenceText = (line, language) => withPieces(line, essenceOf(line, language));
