/** What is dropped on the Compare tab becomes the other run: values of another engine, or a program. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { droppedFolder } from "../../core/dropped_folder.js";
import { reportError, say } from "../../core/messages.js";
import { makeZip } from "../../core/zip.js";
import { addValues } from "./engine.js";
import { addProgram } from "./state.js";

const VALUES = /\.(npz|zip)$/i;
const PROGRAM = /\.(mlir|hlo|txt|stablehlo)$/i;

/** Around the tab. @param {{children: import("preact").ComponentChildren}} props */
export function DropTarget({ children }) {
  const [isOver, setOver] = useState(false);
  const drag = (/** @type {DragEvent} */ event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };
  const leave = (/** @type {DragEvent} */ event) => {
    const target = /** @type {HTMLElement} */ (event.currentTarget);
    if (!target.contains(/** @type {Node|null} */ (event.relatedTarget))) setOver(false);
  };
  const drop = (/** @type {DragEvent} */ event) => {
    setOver(false);
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    void take(event.dataTransfer);
  };
  return html`<div class=${`compare-drop ${isOver ? "over" : ""}`} onDragOver=${drag} onDragLeave=${leave} onDrop=${drop}>${children}</div>`;
}

/** @param {DataTransfer} dropped */
async function take(dropped) {
  const folder = droppedFolder(dropped); // at once: later a browser tells nothing of it
  const [file] = dropped.files;
  try {
    if (folder) await addValues(new File([await makeZip(await folder.read())], `${folder.name}.zip`));
    else if (file && VALUES.test(file.name)) await addValues(file);
    else if (file && PROGRAM.test(file.name)) await addProgram(file);
    else if (file)
      say({
        kind: "error",
        text: `${file.name} cannot be compared: values come as .npz or as a folder of probes or a .zip of it, a program as .mlir, .hlo or .txt.`,
      });
  } catch (error) {
    reportError(error);
  }
}
