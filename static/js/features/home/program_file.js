/** A binary program file: the server reads it, and returns open choices before it creates a session. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { sendFile } from "../../core/api.js";
import { errorText } from "../../core/messages.js";
import { Dialog } from "../../ui/dialog.js";
import { rememberSession } from "../sessions/recents.js";
import { Choice } from "../../ui/fields.js";
/** @import {OpenChoices, OpenedFile} from "../../core/types.js" */

/** @typedef {{sizes: Record<string, number>, platform: string}} Chosen */

/** Whether the server must read a file, by its first bytes: it is compressed, or not text. @param {Uint8Array} start @returns {boolean} */
export function isForServer(start) {
  if ((start[0] === 0x1f && start[1] === 0x8b) || start.includes(0)) return true;
  try {
    // The last character may be incomplete.
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return false;
  } catch {
    return true;
  }
}

/** Upload a file and open its session, or return its open choices. @param {File} file @param {Chosen} [chosen] @returns {Promise<OpenedFile>} */
export async function openProgramFile(file, chosen) {
  /** @type {OpenedFile} */
  const opened = await sendFile(`/api/sessions/from-file${query(chosen)}`, file);
  if (opened.id && opened.url) {
    rememberSession(opened.id, { name: opened.name });
    location.assign(opened.url);
  }
  return opened;
}

/** @param {Chosen} [chosen] @returns {string} */
export function query(chosen) {
  if (!chosen) return "";
  const found = new URLSearchParams();
  for (const [name, size] of Object.entries(chosen.sizes)) found.append("size", `${name}=${size}`);
  if (chosen.platform) found.append("platform", chosen.platform);
  return `?${found}`;
}

/** The choices that a file leaves open, with proposals. @param {{file: File, name: string, notes: string[], choices: OpenChoices, close: () => void}} props */
export function ChoicesDialog({ file, name, notes, choices, close }) {
  const [sizes, setSizes] = useState(() => Object.fromEntries(choices.sizes.map(({ name, size }) => [name, size])));
  const [platform, setPlatform] = useState(choices.platform);
  const [said, setSaid] = useState("");
  const [isOpening, setOpening] = useState(false);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setOpening(true);
    setSaid("");
    try {
      await openProgramFile(file, { sizes, platform });
    } catch (error) {
      setSaid(errorText(error));
    }
    setOpening(false);
  };
  const footer = html`<button class="primary" type="submit" form="open-choices" disabled=${isOpening}>${isOpening ? "Opening…" : "Open in the debugger"}</button>`;
  return html`<${Dialog} title=${`Open ${name}`} close=${close} footer=${footer}>
    <form id="open-choices" class="open-choices" onSubmit=${submit}>
      <p>${notes[0]} ${leavesOpen(choices)}</p>
      ${choices.sizes.map(
        ({ name }) => html`<label key=${name}><span><code>${name}</code></span>
        <input type="number" min="1" step="1" required value=${sizes[name]}
          onInput=${(/** @type {Event} */ event) => setSizes({ ...sizes, [name]: /** @type {HTMLInputElement} */ (event.currentTarget).valueAsNumber })} /></label>`,
      )}
      ${
        choices.platforms.length > 1 &&
        html`<label><span>Platform</span>
        <${Choice} options=${choices.platforms.map((each) => [each, each])} value=${platform} choose=${setPlatform} /></label>`
      }
      <p class="alarm" role="status">${said}</p>
    </form>
  </${Dialog}>`;
}

/** @param {OpenChoices} choices @returns {string} */
function leavesOpen({ sizes, platforms }) {
  const open = [sizes.length === 1 ? "a size" : sizes.length > 1 && "sizes", platforms.length > 1 && "the platform"];
  return `It leaves ${open.filter(Boolean).join(" and ")} open; the fields contain a valid proposal.`;
}
