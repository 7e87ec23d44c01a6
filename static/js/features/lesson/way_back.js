/** In a session that steps through an exercise's edited program: the way back to the lesson. */
import { html } from "htm/preact";
import { recall } from "../../core/preferences.js";
import * as store from "../../core/store.js";

export function WayBack() {
  const address = recall(`lesson-of.${store.sessionId.value}`);
  if (!address?.startsWith("/")) return null;
  return html`<section class="room-bar" aria-label="Lesson"><span>Your version of an exercise's program.</span>
    <a class="primary" href=${address}>Back to the lesson</a></section>`;
}
