/**
 * In place of the editor's parts for writing, in a page that is a file: static/bundle.mjs puts this there. Nobody writes in it,
 * and its program was run: what is wrong with a text is never shown.
 */
/** @type {never[]} */
const none = [];
const nothing = () => none;

export {
  none as closeBracketsKeymap,
  none as lintKeymap,
  nothing as closeBrackets,
  nothing as forEachDiagnostic,
  nothing as lintGutter,
  none as setDiagnosticsEffect,
};

/** How much is wrong. */
export const diagnosticCount = () => 0;

/** A change of nothing. */
export const setDiagnostics = () => ({});
