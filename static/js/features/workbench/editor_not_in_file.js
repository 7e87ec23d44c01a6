/**
 * Replaces the parts of the editor for writing in a saved page, by static/bundle.mjs. The program cannot be edited
 * there and has run, so there are no diagnostics.
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

/** The number of diagnostics. */
export const diagnosticCount = () => 0;

/** An empty extension. */
export const setDiagnostics = () => ({});
