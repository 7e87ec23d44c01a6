/** An exercise of a lesson: the student edits its program in the main editor; the server runs and checks it. */
import { html } from "htm/preact";
import { computed, signal } from "@preact/signals";
import { sendJson } from "../../core/api.js";
import { remember } from "../../core/preferences.js";
import { showTab } from "../../core/view_actions.js";
import { Icon } from "../../ui/icons.js";
import { withCode } from "../../ui/with_code.js";
import { Hints, Result } from "./outcome.js";
import { Refused } from "./refused.js";
import * as state from "./state.js";
import { language, words } from "./words.js";
/** @import {ChangeBlock, ChangeResult} from "../../core/types.js" */

/** @typedef {{checked?: ChangeResult, problem?: import("./refused.js").Refusal}} Outcome */

/** The exercise of the shown step. */
export const shownChange = computed(() => {
  const blocks = state.shownPage.value?.page.blocks ?? [];
  return blocks.flatMap((block) => (block.kind === "change" ? [block] : []))[0] ?? null;
});

/** What came of the last check of an exercise, by its id. */
export const outcomes = signal(/** @type {Readonly<Record<string, Outcome>>} */ ({}));
export const isRunning = signal(false);

/** Run and check a program. @param {ChangeBlock} change @param {string} text */
export async function check({ id }, text) {
  if (isRunning.peek()) return;
  isRunning.value = true;
  const outcome = await checked(id, text);
  outcomes.value = { ...outcomes.peek(), [id]: outcome };
  isRunning.value = false;
}

/** @param {string} id @param {string} text @returns {Promise<Outcome>} */
async function checked(id, text) {
  try {
    /** @type {ChangeResult} */
    const found = await sendJson(
      `${state.exercises.checkPath(state.currentStep.peek() ?? "")}?language=${encodeURIComponent(state.lesson.peek()?.language ?? "en")}`,
      { text },
      { headers: state.exercises.headers() },
    );
    if (state.answerTo(id).state === "right") state.keepAnswer(id, { said: text });
    else state.answer(id, found.passed, text);
    return { checked: found };
  } catch (error) {
    return { problem: /** @type {Error} */ (error) };
  }
}

/** Beside the text of the lesson. @param {{change: ChangeBlock}} props */
export function Exercise({ change: { id, text: given, hints, right_html: right } }) {
  const { checked: found, problem } = outcomes.value[id] ?? {};
  if (!state.exercises.canCheck)
    return html`<p class="quiet" lang=${language.value}>${words("signedInOnly")}</p>
      <pre class="lesson-program" tabindex="0">${given}</pre>
      ${state.answerTo(id).state === "open" && html`<p class="lesson-acts"><${Hints} id=${id} hints=${hints} /><button lang=${language.value} onClick=${() => state.giveUp(id)}>${words("skip")}</button></p>`}
      <${Result} id=${id} hints=${hints} wrong=${null} right=${right} />`;
  return html`<p class="lesson-acts" lang=${language.value}><button class="primary" onClick=${() => showTab("own")}><${Icon} name="view" />${words("change")}</button>
      ${state.answerTo(id).state === "open" && html`<${Hints} id=${id} hints=${hints} />`}</p>
    <div class="lesson-result">${problem && html`<p class="alarm"><${Refused} error=${problem} /></p>`}
      ${found && html`<p class=${found.passed ? "lesson-passed" : "lesson-wrong"} lang=${language.value}>${found.passed ? words("passes") : withCode(found.message)}</p>`}</div>
    <${Result} id=${id} hints=${hints} wrong=${null} right=${right} />`;
}

/** Step through the edited program in a session, with the inputs and grid of the lesson. @param {ChangeBlock} change @param {string} text */
export async function openOwn(change, text) {
  location.assign(await (state.exercises.copy ?? ownCopy)(change, text));
}

/** The session leads back to the lesson. @param {ChangeBlock} change @param {string} text @returns {Promise<string>} */
async function ownCopy({ name, entry, inputs, grid }, text) {
  const { id, url } = await sendJson("/api/sessions", { text, name, entry, inputs, grid });
  remember(`lesson-of.${id}`, location.pathname + location.search + location.hash);
  return url;
}
