/** The dialog that saves the run as a page: its content, and the space for values. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { getBytes, sessionPath } from "../../core/api.js";
import { say } from "../../core/messages.js";
import * as store from "../../core/store.js";
import { bytesText } from "../../core/tensor/elements.js";
import { closeDialog } from "../../core/view_actions.js";
import { Dialog } from "../../ui/dialog.js";
import { download } from "../../ui/export.js";

/** Maximum compressed bytes of the elements of large values, which take a third more in the page; null: the server's default. */
const ROOMS = /** @type {const} */ ([
  { budget: null, text: "up to 0.5 MiB" },
  { budget: 8 << 20, text: "up to 11 MiB" },
  { budget: 64 << 20, text: "up to 86 MiB" },
]);

export function SavePage() {
  const [room, setRoom] = useState(0);
  const [said, setSaid] = useState("");
  const [isMaking, setMaking] = useState(false);
  const save = async () => {
    setMaking(true);
    setSaid("Creating the page…");
    try {
      const page = await fetchPage(ROOMS[room]?.budget ?? null);
      download(new Blob([page], { type: "text/html" }), fileName());
      say({ kind: "info", text: `Saved ${fileName()}, ${bytesText(page.byteLength)}.` });
      closeDialog();
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
      setMaking(false);
    }
  };
  return html`<${Dialog} title="Save as a page" close=${closeDialog}>
    <p>One file that opens in any browser, offline, to step through this run. hloscope opens it again.</p>
    <p>The file contains the program, its inputs, all steps with the statistics and a small picture of every value, small values whole, and your source files that the program names.</p>
    <fieldset class="page-room"><legend>Elements of larger values</legend>${ROOMS.map(
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
