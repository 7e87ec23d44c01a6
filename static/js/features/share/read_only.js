/** The notice on the page of a read-only link, and the button that makes a copy. */
import { html } from "htm/preact";
import { ApiError, sendJson } from "../../core/api.js";
import { reportError, say } from "../../core/messages.js";
import { positionUrl } from "../../core/position_url.js";
import * as store from "../../core/store.js";
import { room } from "../room/state.js";
import { openDialog } from "../../core/view_actions.js";

export function ReadOnlyNote() {
  // A room makes copies without sign-in.
  if (!store.readOnly.value || room.value !== null) return null;
  if (document.body.classList.contains("embedded")) return html`<${OutOfFrame} />`;
  return html`<span class="read-only"><span title="You opened this session by a read-only link: you can step through it but not change it.">read only</span>
    <button class="plain" data-rove tabindex="-1" title="Make a session of your own, with this program and these inputs" onClick=${copySession}>Make a copy</button></span>`;
}

/** In a frame on another site: a link to the full page in a new tab. */
function OutOfFrame() {
  const url = positionUrl();
  url.pathname = url.pathname.replace(/^\/embed\//, "/s/");
  return html`<a class="read-only" href=${url.href} target="_blank" rel="noopener" data-rove tabindex="-1">Open in hloscope</a>`;
}

/** Create a session with the same program, inputs and step. */
export async function copySession() {
  try {
    const body = { copy_of: store.sessionId.peek(), run: store.run.peek()?.number };
    const { url } = await sendJson("/api/sessions", body);
    location.assign(`${url}?step=${store.position.peek()}`);
  } catch (error) {
    if (!(error instanceof ApiError && error.kind === "token")) return reportError(error);
    say({
      kind: "error",
      text: "Sign in to an hloscope server to make a copy. The link with the program opens it in your own.",
    });
    openDialog("share");
  }
}
