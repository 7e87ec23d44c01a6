/** Accepts a file of arrays, dropped or chosen, and reports which arrays are used. */
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { sendForm, sessionPath } from "../../core/api.js";
import * as store from "../../core/store.js";
import { matchSentences } from "./plan.js";

/** A file of arrays that was dropped beside the dialog, which takes it when it opens. @type {File|undefined} */
let handed;

/** @param {File} file */
export const handArrays = (file) => void (handed = file);

/** @param {{planned: import("./plan.js").Planned[], upload: import("./plan.js").Upload|null, take: (upload: import("./plan.js").Upload) => void}} props */
export function FileDrop({ planned, upload, take }) {
  const chooser = useRef(/** @type {HTMLInputElement|null} */ (null));
  const [over, setOver] = useState(false);
  const [said, setSaid] = useState("");
  const send = async (/** @type {File|undefined} */ file) => {
    if (!file) return;
    setSaid(`Reading ${file.name}…`);
    try {
      take(await uploadFile(file));
      setSaid("");
    } catch (error) {
      const { message, hint } = /** @type {{message: string, hint?: string}} */ (error);
      setSaid([message, hint].filter(Boolean).join(" "));
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
    <input class="hidden" type="file" tabindex="-1" aria-hidden="true" ref=${chooser}
      onChange=${(/** @type {Event} */ event) => send(/** @type {HTMLInputElement} */ (event.currentTarget).files?.[0])} />
    <button class="plain" onClick=${() => chooser.current?.click()}>Load arrays from a file…</button>
    <span class="quiet">.npz, .npy, .safetensors, .pt, .json or .csv; or drop it here</span>
    <div role="status">${said || (upload && matchSentences(planned, upload).map((sentence) => html`<p key=${sentence}>${sentence}</p>`))}</div>
  </div>`;
}

/** @param {File} file @returns {Promise<import("./plan.js").Upload>} */
async function uploadFile(file) {
  const form = new FormData();
  form.append("file", file);
  const answer = await sendForm(`${sessionPath(store.sessionId.value)}/files`, form);
  return { name: file.name, ...answer };
}
