/** Typing over a selection, within the page's policy. */

/**
 * Text typed over a selection. Left to itself Chromium keeps the selection's look in a style attribute, which the
 * page's policy forbids and reports.
 *
 * @param {InputEvent} event @param {import("@codemirror/view").EditorView} view @returns {boolean}
 */
export function replaceSelected(event, view) {
  const { inputType, data, isComposing } = event;
  if (inputType !== "insertText" || !data || isComposing || view.state.selection.main.empty) return false;
  if ('([{"'.includes(data)) return false; // closeBrackets puts these around the selection
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}
