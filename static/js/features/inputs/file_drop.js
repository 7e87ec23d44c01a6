/** Accepts a file of arrays, dropped or chosen, and reports which arrays are used. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { errorText } from "../../core/messages.js";
import { uploadArrays } from "../../core/tensor/compared.js";
import { FileButton } from "../../ui/fields.js";
import { matchSentences } from "./plan.js";

/** A file of arrays that was dropped beside the dialog, which takes it when it opens. @type {File|undefined} */
let handed;

/** @param {File} file */
export const handArrays = (file) => void (handed = file);

/** @param {{planned: import("./plan.js").Planned[], upload: import("./plan.js").Upload|null, take: (upload: import("./plan.js").Upload) => void}} props */
export function FileDrop({ planned, upload, take }) {
  const [over, setOver] = useState(false);
  const [said, setSaid] = useState("");
  const send = async (/** @type {File|undefined} */ file) => {
    if (!file) return;
    setSaid(`Reading ${file.name}…`);
    try {
      take({ name: file.name, ...(await uploadArrays(file)) });
      setSaid("");
    } catch (error) {
      setSaid(errorText(error));
    }
  };
  useEffect(() => {
    void send(handed);
    handed = undefined;
  }, []);
  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(false);
    send(event.dataTransfer?.files[0]);
  };
  const drag = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(true);
  };
  return html`<div class=${`drop ${over ? "over" : ""}`} onDragOver=${drag} onDragLeave=${() => setOver(false)} onDrop=${drop}>
    <${FileButton} label="A file of arrays" take=${send}>Load arrays from a file…<//>
    <span class="quiet">.npz, .npy, .safetensors, .pt, .json or .csv; or drop it here</span>
    <div role="status">${said || (upload && matchSentences(planned, upload).map((sentence) => html`<p key=${sentence}>${sentence}</p>`))}</div>
  </div>`;
}
