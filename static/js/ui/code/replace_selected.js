/** Typing over a selection, within the Content-Security-Policy. */

/**
 * Replace the selection with typed text. By default Chromium keeps the look of the selection in a style attribute,
 * which the policy forbids and reports.
 *
 * @param {InputEvent} event @param {import("@codemirror/view").EditorView} view @returns {boolean}
 */
export function replaceSelected(event, view) {
  const { inputType, data, isComposing } = event;
  if (inputType !== "insertText" || !data || isComposing || view.state.selection.main.empty) return false;
  if ('([{"'.includes(data)) return false; // closeBrackets wraps the selection in these
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}
