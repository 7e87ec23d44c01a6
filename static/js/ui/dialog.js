/** A modal dialog of the browser, which traps the focus and closes on Escape. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icons.js";

/** @param {{title: string, close: () => void, children?: import("preact").ComponentChildren, footer?: import("preact").ComponentChildren}} props */
export function Dialog({ title, close, children, footer }) {
  const dialog = useRef(/** @type {HTMLDialogElement|null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  return html`<dialog ref=${dialog} aria-labelledby="dialog-title" onClose=${close}>
    <header><h2 id="dialog-title">${title}</h2><button onClick=${() => dialog.current?.close()}><${Icon} name="close" /><span class="hidden">Close</span></button></header>
    <div class="body">${children}</div>
    ${footer && html`<footer>${footer}</footer>`}
  </dialog>`;
}
