/** The language of the text in an editor, detected from its beginning after each change. */
import { indentOnInput } from "@codemirror/language";
import { Compartment, EditorState, Facet } from "@codemirror/state";
import { longDictionaries } from "./dictionary_folds.js";
import { foldedParts, folding, hloLocations, mlirLocations } from "./folded_parts.js";
import { hloFolding, longLiterals } from "./hlo_folds.js";
import { hloProgram } from "./hlo_language.js";
import { languageOf } from "./recognise_language.js";
import { tensorProgram } from "./stablehlo_language.js";
/** @import {Language} from "./recognise_language.js" */

/** The language of the editor's text. @type {Facet<Language, Language>} */
export const programLanguage = Facet.define({ combine: ([language]) => language ?? "stablehlo" });

const EXTENSIONS = {
  stablehlo: [
    tensorProgram,
    programLanguage.of("stablehlo"),
    folding,
    foldedParts.of(mlirLocations),
    foldedParts.of(longDictionaries),
  ],
  hlo: [
    hloProgram,
    programLanguage.of("hlo"),
    folding,
    hloFolding,
    foldedParts.of(hloLocations),
    foldedParts.of(longLiterals),
    indentOnInput(),
  ],
};
/** Maximum length of the text that detection reads. */
const BEGINNING = 50_000;

/** @param {import("@codemirror/state").Text} doc */
const begins = (doc) => languageOf(doc.sliceString(0, BEGINNING));

/** @param {string} text what the editor begins with @returns {import("@codemirror/state").Extension} */
export function languageByContent(text) {
  const compartment = new Compartment();
  return [
    compartment.of(EXTENSIONS[languageOf(text)]),
    EditorState.transactionExtender.of(({ docChanged, newDoc, startState }) => {
      if (!docChanged) return null;
      const language = begins(newDoc);
      const known = compartment.get(startState) === EXTENSIONS[language];
      return known ? null : { effects: compartment.reconfigure(EXTENSIONS[language]) };
    }),
  ];
}
