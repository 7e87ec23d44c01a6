/** What the page of a read-only link says of itself, and the way out of it: a copy of one's own. */
import { html } from "htm/preact";
import { ApiError, sendJson } from "../../core/api.js";
import { reportError, say } from "../../core/messages.js";
import { positionUrl } from "../../core/position_url.js";
import * as store from "../../core/store.js";
import { room } from "../room/state.js";
import { openDialog } from "../../core/view_actions.js";

export function ReadOnlyNote() {
  // A room has its own way to a copy, for which nobody signs in.
  if (!store.readOnly.value || room.value !== null) return null;
  if (document.body.classList.contains("embedded")) return html`<${OutOfFrame} />`;
  return html`<span class="read-only"><span title="You opened this session by a read-only link: you can step through it but not change it.">read only</span>
    <button class="plain" data-rove tabindex="-1" title="Make a session of your own, with this program and these inputs" onClick=${copySession}>Make a copy</button></span>`;
}

/** In a page of another site: the way to the whole page, in a tab of its own. */
function OutOfFrame() {
  const url = positionUrl();
  url.pathname = url.pathname.replace(/^\/embed\//, "/s/");
  return html`<a class="read-only" href=${url.href} target="_blank" rel="noopener" data-rove tabindex="-1">Open in hloscope</a>`;
}

/** A session of one's own with the program and the inputs of this one, at the same step. */
export async function copySession() {
  try {
    const body = { copy_of: store.sessionId.peek(), run: store.run.peek()?.number };
    const { url } = await sendJson("/api/sessions", body);
    location.assign(`${url}?step=${store.position.peek()}`);
  } catch (error) {
    if (!(error instanceof ApiError && error.kind === "token")) return reportError(error);
    say({
      kind: "error",
      text: "Sign in to a hloscope to make a copy. The link with the program opens it in your own.",
    });
    openDialog("share");
  }
}
