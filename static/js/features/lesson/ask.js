/** A question of a lesson: the answer is compared with the recording. */
import { countText } from "../../core/tensor/elements.js";
import { isHidden } from "../../core/hidden_values.js";
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import * as store from "../../core/store.js";
import { Icon } from "../../ui/icons.js";
import { RichText } from "../../ui/rich_text.js";
import { judge, judgeStep, truthText } from "./answers.js";
import { Hints, Result } from "./outcome.js";
import { showPlace } from "./places.js";
import * as state from "./state.js";
import { language, words } from "./words.js";
/** @import {AskBlock} from "../../core/types.js" */

/** @typedef {{ask: AskBlock, text: string, setText: (text: string) => void, name: string, isOver: boolean}} FieldProps */

/** @param {{ask: AskBlock}} props */
export function Ask({ ask }) {
  if (state.heldAsk.value === ask.id)
    return html`<div class="lesson-ask"><div class="lesson-question"><${RichText} text=${ask.html} /></div>
      <p class="quiet" lang=${language.value}>${words("askedByClass")}</p></div>`;
  return html`<${OpenAsk} ask=${ask} />`;
}

/** @param {{ask: AskBlock}} props */
function OpenAsk({ ask }) {
  const answered = state.answerTo(ask.id);
  const [text, setText] = useState(answered.said);
  const [wrong, setWrong] = useState(/** @type {import("./outcome.js").Wrong} */ (null));
  const isOver = answered.state !== "open";
  const name = `ask-${ask.id.replaceAll(/[^\w-]/g, "-")}`;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isOver) return;
    const verdict = ask.ask === "step" ? judgeStep(ask, here()) : judge(ask, text);
    if (verdict.problem !== undefined) return setWrong({ problem: verdict.problem });
    setWrong(verdict.right ? null : { html: verdict.html, times: (wrong?.times ?? 0) + 1 });
    state.answer(ask.id, verdict.right, ask.ask === "step" ? `${here().process}, ${here().step}` : text);
  };
  const change = (/** @type {string} */ next) => {
    setText(next);
    setWrong(null);
  };
  return html`<form class=${`lesson-ask ${answered.state}`} aria-labelledby=${name} onSubmit=${submit}>
    <div class="lesson-question" id=${name}><${RichText} text=${ask.html} /></div>
    <${FIELDS[ask.ask]} ask=${ask} text=${text} setText=${change} name=${name} isOver=${isOver} />
    ${
      !isOver &&
      html`<p class="lesson-acts" lang=${language.value}><button class="primary" type="submit">${words(ask.ask === "step" ? "here" : "answer")}</button>
      <${Hints} id=${ask.id} hints=${ask.hints} /><button type="button" onClick=${() => state.giveUp(ask.id)}>${words("showAnswer")}</button></p>`
    }
    <${Result} id=${ask.id} hints=${ask.hints} wrong=${wrong} right=${ask.right_html} truth=${html`<${Truth} ask=${ask} />`}
      says=${answered.state === "right" && ask.ask === "choice" ? ask.options.find(({ right }) => right)?.says_html : ""} />
    ${isOver && ask.place && html`<p class="lesson-look"><button type="button" class="plain" lang=${language.value} onClick=${() => ask.place && void showPlace(ask.place)}><${Icon} name="view" />${words("show")}</button></p>`}
  </form>`;
}

const here = () => ({ run: store.run.peek()?.number ?? 0, process: store.process.peek(), step: store.position.peek() });

/** The field for an answer. @type {Record<AskBlock["ask"], import("preact").FunctionComponent<FieldProps>>} */
const FIELDS = { number: TextField, shape: TextField, cell: CellField, choice: Options, step: Place };

/** All digits, where the number must be exact. */
const WHOLE = 15;

/** The placeholder of the field. @param {AskBlock} ask @returns {string} */
function example({ ask, number_kind: kind, digits }) {
  if (ask === "shape") return words("aShape");
  if (ask === "cell") return words("anIndex");
  if (kind === "truth") return words("aTruth");
  return digits !== null && digits < WHOLE ? words("toDigits", digits) : words("aNumber");
}

/** @param {FieldProps} props */
function TextField({ ask, text, setText, name, isOver }) {
  return html`<input type="text" autocomplete="off" autocapitalize="off" spellcheck="false" aria-labelledby=${name} value=${text} readonly=${isOver} placeholder=${example(ask)}
    onInput=${(/** @type {Event} */ event) => setText(/** @type {HTMLInputElement} */ (event.currentTarget).value)} />`;
}

/** An element of a value: typed, or chosen in the picture. @param {FieldProps} props */
function CellField(props) {
  const { ask, setText, isOver } = props;
  const standing = store.standing.value;
  const isThere = standing?.address === ask.address && store.run.value?.number === ask.run;
  const chosen = isThere ? standing.index.join(", ") : "";
  useEffect(() => {
    if (chosen && !isOver) setText(chosen);
  }, [chosen]);
  const show = () =>
    void (
      ask.place &&
      showPlace({
        ...ask.place,
        ...(store.run.value?.number === ask.run && here()),
        tab: "tensor",
        value: ask.value,
        path: [],
        element: null,
      })
    );
  return html`<p class="lesson-field"><${TextField} ...${props} />
    ${!isOver && ask.value !== null && !isHidden(store.recordingKey.value ?? "", ask.address ?? "") && html`<button type="button" class="plain" lang=${language.value} onClick=${show}>${words("choose")}</button>`}</p>`;
}

/** @param {FieldProps} props */
function Options({ ask, text, setText, name, isOver }) {
  return html`<div class="lesson-options" role="radiogroup" aria-labelledby=${name}>${ask.options.map(
    (
      option,
      at,
    ) => html`<label key=${at}><input type="radio" name=${name} value=${at} checked=${text === String(at)} disabled=${isOver && text !== String(at)}
      onChange=${() => setText(String(at))} /><span><${RichText} text=${option.html} inline=${true} /></span></label>`,
  )}</div>`;
}

/** The answer is the position of the page. @param {FieldProps} props */
function Place({ isOver }) {
  if (isOver) return null;
  const step = countText(store.position.value);
  const said = store.grid.value ? words("goThereOf", step, store.process.value) : words("goThere", step);
  return html`<p class="quiet" lang=${language.value}>${said}</p>`;
}

/** The answer, for students who give up. @param {{ask: AskBlock}} props */
function Truth({ ask }) {
  if (ask.ask === "choice")
    return html`<${RichText} text=${ask.options.find(({ right }) => right)?.html ?? ""} inline=${true} />`;
  if (ask.ask === "step" && Array.isArray(ask.truth)) return words("atStep", ask.truth.join(words("or")));
  return html`<code>${truthText(ask, words("or"))}</code>${ask.ask === "cell" && (ask.cells?.length ?? 0) > 4 && words("more", (ask.cells?.length ?? 0) - 4)}`;
}
