/** Accepts a file or folder dropped on a session's page, and asks before it replaces the session. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import * as store from "../../core/store.js";
import { chooseInputs } from "../../core/view_actions.js";
import { Dialog } from "../../ui/dialog.js";
import { handArrays } from "../inputs/file_drop.js";
import { isSaved, refusal, useDrop, useProgram } from "./paste.js";
import { ChoicesDialog } from "./program_file.js";

export function Dropped() {
  const { said, isOpening, take, takeFolder, asked, setAsked } = useProgram();
  const [dropped, setDropped] = useState(/** @type {{name: string, open: () => void}|null} */ (null));
  const takeFile = async (/** @type {File|undefined} */ file) => {
    if (!file) return;
    if (refusal(file.name) && !(await isSaved(file))) giveArrays(file);
    else setDropped({ name: file.name, open: () => void take(file, true) });
  };
  const isOver = useDrop(takeFile, (folder) => setDropped({ name: folder.name, open: () => void takeFolder(folder) }));
  const close = () => setDropped(null);
  if (asked) return html`<${ChoicesDialog} ...${asked} close=${() => setAsked(null)} />`;
  if (dropped) return html`<${Question} ...${dropped} said=${said} isOpening=${isOpening} close=${close} />`;
  return isOver ? html`<div class="drop-layer"><div class="drop-mark whole"></div></div>` : null;
}

/** Arrays are inputs of this program. @param {File} file */
function giveArrays(file) {
  handArrays(file);
  chooseInputs(null);
}

/** @param {{name: string, open: () => void, said: string, isOpening: boolean, close: () => void}} props */
function Question({ name, open, said, isOpening, close }) {
  const footer = html`<button onClick=${close}>Stay here</button>
    <button class="primary" disabled=${isOpening} onClick=${open}>${isOpening ? "Opening…" : "Open"}</button>`;
  return html`<${Dialog} title=${`Open ${name}?`} close=${close} footer=${footer}>
    <p>It opens in place of ${store.sessionName.value || "this program"}, which keeps its text and stays in the list of sessions.</p>
    <p role="status">${said}</p><//>`;
}
