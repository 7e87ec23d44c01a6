/** The dialog that saves the run as a page: its content, and the space for values. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { getBytes, sessionPath } from "../../core/api.js";
import * as store from "../../core/store.js";
import { closeDialog } from "../../core/view_actions.js";
import { Dialog } from "../../ui/dialog.js";
import { download } from "../../ui/export.js";

/** Maximum bytes of values; null: the server's default. */
const ROOMS = /** @type {const} */ ([
  { budget: null, text: "less than 1 MB for most runs: only summaries of large values" },
  { budget: 8 << 20, text: "up to about 12 MB" },
  { budget: 64 << 20, text: "up to about 90 MB" },
]);

export function SavePage() {
  const [room, setRoom] = useState(0);
  const [said, setSaid] = useState("");
  const [isMaking, setMaking] = useState(false);
  const save = async () => {
    setMaking(true);
    setSaid("Creating the page…");
    try {
      download(new Blob([await fetchPage(ROOMS[room]?.budget ?? null)], { type: "text/html" }), fileName());
      closeDialog();
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
      setMaking(false);
    }
  };
  return html`<${Dialog} title="Save as a page" close=${closeDialog}>
    <p>One file that opens in any browser, offline, to step through this run. hloscope opens it again.</p>
    <p>The file contains the program, its inputs, all steps, and your source files that the program names.</p>
    <fieldset class="page-room"><legend>Size</legend>${ROOMS.map(
      ({ text }, number) =>
        html`<label><input type="radio" name="page-room" checked=${room === number} onChange=${() => setRoom(number)} />${text}</label>`,
    )}</fieldset>
    <p><button class="primary" aria-disabled=${isMaking} onClick=${() => isMaking || save()}>Save</button> <span role="status">${said}</span></p><//>`;
}

/** @param {number|null} budget @returns {Promise<ArrayBuffer>} */
function fetchPage(budget) {
  const query = new URLSearchParams({ step: String(store.position.peek()) });
  if (budget !== null) query.set("budget", String(budget));
  return getBytes(`${sessionPath(store.sessionId.peek())}/runs/${store.run.peek()?.number}/page?${query}`);
}

const fileName = () => `${(store.sessionName.peek() || "program").replace(/\.\w+$/, "")}.html`;
