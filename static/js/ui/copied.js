/** Text for the clipboard, which browsers give only to secure pages, and only if the user allows it. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";

/** Copy a text. @param {string} text @returns {Promise<boolean>} whether it was possible */
export async function isCopied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A link with a button that copies it. @param {{label: string, address: string, copy: string, copied: string, refused: string}} props */
export function LinkToCopy({ label, address, copy, copied, refused }) {
  const [said, setSaid] = useState("");
  const act = async () => setSaid((await isCopied(address)) ? copied : refused);
  return html`<div class="share-link"><input readonly aria-label=${label} value=${address} onFocus=${selectAll} />
    <button onClick=${act}>${copy}</button><span role="status">${said}</span></div>`;
}

/** @param {FocusEvent} event */
export const selectAll = (event) => /** @type {HTMLInputElement} */ (event.currentTarget).select();
