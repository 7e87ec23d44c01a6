/** Cards over the text as focused dialogs. */

/** Make a card a dialog that closes on Escape and when it loses the focus. @param {HTMLElement} dom @param {string} label @param {import("@codemirror/view").EditorView} view @param {() => void} close */
export function makeDialog(dom, label, view, close) {
  dom.setAttribute("role", "dialog");
  dom.setAttribute("aria-label", label);
  dom.tabIndex = -1;
  dom.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
    view.focus();
  });
  dom.addEventListener("focusout", (event) => {
    if (!dom.contains(/** @type {Node|null} */ (event.relatedTarget))) setTimeout(close);
  });
}
