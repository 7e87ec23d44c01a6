/** A modal dialog of the browser, which traps the focus and closes on Escape. */
import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icons.js";

/** @param {{title: import("preact").ComponentChild, close: () => void, children?: import("preact").ComponentChildren, footer?: import("preact").ComponentChildren}} props */
export function Dialog({ title, close, children, footer }) {
  const dialog = useRef(/** @type {HTMLDialogElement|null} */ (null));
  // Before the next key is handled, which is meant for the dialog.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return html`<dialog ref=${dialog} aria-labelledby="dialog-title" onClose=${close}>
    <header><h2 id="dialog-title">${title}</h2><button onClick=${() => dialog.current?.close()}><${Icon} name="close" /><span class="hidden">Close</span></button></header>
    <div class="body">${children}</div>
    ${footer && html`<footer>${footer}</footer>`}
  </dialog>`;
}
