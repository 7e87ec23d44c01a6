/** The card of a poll: students answer, the teacher sees the count, and finally all see the recorded answer. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import * as store from "../../core/store.js";
import * as lesson from "./lesson.js";
import { countWords, language, words } from "./lesson.js";
import { answerWords, readIndex, stepWords } from "./model.js";
import * as state from "./state.js";
import { valueOf } from "../../ui/fields.js";
/** @import {RoomPoll, PollResultsMessage as PollResults} from "../../core/types.js" */

export function PollCard() {
  const poll = state.poll.value;
  if (!poll || state.view.value.hasEnded) return null;
  const isTeacher = state.isTeacher.value;
  return html`<section class="room-card" aria-labelledby="room-question" key=${poll.id} lang=${language.value}>
    <div class="room-question"><h2 id="room-question">${poll.question}</h2>${isTeacher && html`<${Steering} poll=${poll} />`}</div>
    <span class="hidden" role="status">${poll.revealed ? words("resultsShown") : poll.open ? words("questionToClass", poll.question) : words("questionClosed")}</span>
    ${isTeacher ? null : state.isScreen.value ? html`<${OnScreen} poll=${poll} />` : html`<${Answer} poll=${poll} />`}
    ${(poll.revealed || isTeacher) && html`<${Results} poll=${poll} />`}
  </section>`;
}

/** The teacher's controls. @param {{poll: RoomPoll}} props */
function Steering({ poll }) {
  const { results, room } = state.view.value;
  const count = results?.count ?? 0;
  const button = (
    /** @type {string} */ words,
    /** @type {"close_poll"|"reveal_poll"|"discard_poll"} */ type,
    kind = "plain",
  ) => html`<button class=${kind} onClick=${() => state.tell({ type })}>${words}</button>`;
  return html`<span role="status">${words("answersOf", countWords("oneAnswer", "answers", count), countWords("person", "people", room?.members ?? 0))}${!poll.open && !poll.revealed && words("nowClosed")}</span>
    <div class="room-acts">${poll.open && button(words("closeQuestion"), "close_poll")}
      ${!poll.revealed && button(words("showResults"), "reveal_poll", "primary")}
      ${button(words(poll.revealed ? "doneWithPoll" : "discardPoll"), "discard_poll", poll.revealed ? "primary" : "plain")}</div>`;
}

/** @param {{poll: RoomPoll}} props */
function OnScreen({ poll }) {
  if (poll.revealed) return null;
  return html`${poll.kind === "choice" && html`<ol class="room-options">${poll.options.map((option) => html`<li>${option}</li>`)}</ol>`}
    <p class="quiet">${words(poll.open ? "onYourDevice" : "questionClosed")}</p>`;
}

/** @param {{poll: RoomPoll}} props */
function Answer({ poll }) {
  const { sent, isKept } = state.view.value;
  const mine = sent?.poll === poll.id ? sent : null;
  const said = mine && answerWords(mine.value, poll);
  if (!poll.open)
    return html`<p>${said === null ? words("notAnswered") : html`${words("yourAnswer")} <strong>${said}</strong>`}${!poll.revealed && ` ${words("resultsFollow")}`}</p>`;
  const Field = FIELDS[poll.kind];
  return html`<${Field} poll=${poll} mine=${mine?.value ?? null} />
    <p role="status" class="room-sent">${said !== null && html`${words(isKept ? "saved" : "sending")} <strong>${said}</strong>${isKept && html`<span class="quiet"> ${words("canChange")}</span>`}`}</p>`;
}

/** @typedef {{poll: RoomPoll, mine: import("../../core/types.js").PollValue|null}} FieldProps */

/**
 * A typed answer; `read`: the answer, null for none yet, or the problem with the text. Other properties are attributes of the field.
 *
 * @param {{mine: FieldProps["mine"], text: string, setText: (text: string) => void, read: (text: string) => import("../../core/types.js").PollValue|null|{problem: string}} & Record<string, unknown>} props
 */
function TypedAnswer({ mine, text, setText, read, ...attributes }) {
  const [problem, setProblem] = useState("");
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    const answer = read(text.trim());
    const isWrong = answer !== null && typeof answer === "object" && "problem" in answer;
    setProblem(isWrong ? answer.problem : "");
    if (answer !== null && !isWrong) state.answerPoll(answer);
  };
  return html`<form class="room-answer" onSubmit=${send}><input type="text" autocomplete="off" autocapitalize="off" spellcheck="false" ...${attributes} value=${text}
      onInput=${(/** @type {Event} */ event) => setText(valueOf(event))} /><button class="primary" type="submit" aria-disabled=${text === ""}>${words(mine === null ? "answer" : "changeAnswer")}</button></form>
    ${problem && html`<p class="alarm" role="alert">${problem}</p>`}`;
}

/** @param {FieldProps} props */
function NumberField({ mine }) {
  const [text, setText] = useState(typeof mine === "string" ? mine : "");
  return html`<${TypedAnswer} mine=${mine} text=${text} setText=${setText} read=${(/** @type {string} */ said) => said || null} maxlength="40" aria-labelledby="room-question" placeholder="3, -1.5e3, NaN, true" />`;
}

/** @param {FieldProps} props */
function ChoiceField({ poll, mine }) {
  return html`<div class="room-options" role="radiogroup" aria-labelledby="room-question">${poll.options.map(
    (option, at) =>
      html`<label key=${at}><input type="radio" name="room-answer" checked=${mine === at} onChange=${() => state.answerPoll(at)} /><span>${option}</span></label>`,
  )}</div>`;
}

/** The element is clicked in the picture of the value, or its index is typed. @param {FieldProps} props */
function CellField({ poll, mine }) {
  const [text, setText] = useState(Array.isArray(mine) ? mine.join(", ") : "");
  const selected = store.selectedValue.value;
  const isThere = selected?.address === poll.target?.address;
  const standing = store.standing.value;
  const chosen = standing !== null && standing.address === poll.target?.address ? standing.index.join(", ") : "";
  useEffect(() => {
    if (chosen) setText(chosen);
  }, [chosen]);
  const read = (/** @type {string} */ said) => {
    const sizes = isThere ? selected?.shape : null;
    const found = readIndex(said, sizes?.every((size) => size !== null) ? /** @type {number[]} */ (sizes) : null);
    return "index" in found ? found.index : found;
  };
  return html`<p class="quiet">${words(isThere ? "clickElement" : "valueNotShown")}</p>
    <${TypedAnswer} mine=${mine} text=${text} setText=${setText} read=${read} aria-label=${words("indexOf")} placeholder="1, 0" />`;
}

/** The sizes of a shape, typed as in a lesson. @param {FieldProps} props */
function ShapeField({ mine }) {
  const [text, setText] = useState(Array.isArray(mine) ? `(${mine.join(", ")})` : "");
  const read = (/** @type {string} */ said) => lesson.readList(said) ?? { problem: words("shape") };
  return html`<${TypedAnswer} mine=${mine} text=${text} setText=${setText} read=${read} maxlength="80" aria-labelledby="room-question" placeholder="(3, 4)" />`;
}

/** The answer is the position of the page. @param {FieldProps} props */
function StepField({ poll, mine }) {
  const run = poll.lesson_ask === null ? null : (lesson.askOf(poll.lesson_ask)?.run ?? null);
  const [process, step] = [store.process.value, store.position.value];
  const isThere = run === null || store.run.value?.number === run;
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isThere) state.answerPoll([process, step]);
  };
  return html`<form class="room-answer" onSubmit=${send}><p class="quiet">${isThere ? (process ? words("goThereOf", step, process) : words("goThere", step)) : words("aboutRun", run)}</p>
    <button class="primary" type="submit" aria-disabled=${!isThere}>${words(mine === null ? "here" : "hereInstead")}</button></form>`;
}

/** The field for an answer. @type {Record<import("../../core/types.js").AskKind, import("preact").FunctionComponent<FieldProps>>} */
const FIELDS = { number: NumberField, choice: ChoiceField, cell: CellField, shape: ShapeField, step: StepField };

/** @typedef {{label: string, count: number, right: boolean|null}} Bar */

const MOST_CELLS = 6;
/** Fewer answers are hidden, but in a class of fewer members. */
const FEWEST_SHOWN = 5;

/** @param {{poll: RoomPoll}} props */
function Results({ poll }) {
  const { results, room } = state.view.value;
  if (!results) return null;
  // In a smaller class they appear with the results.
  const isHidden = poll.revealed || (room?.members ?? 0) >= FEWEST_SHOWN;
  const bars = barsOf(results, poll);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return html`${poll.revealed && html`<${Truth} results=${results} poll=${poll} />`}
    ${
      bars.length > 0 &&
      html`<ol class="room-bars" aria-label=${words("classAnswers")}>${bars.map(
        ({ label, count, right }) => html`<li class=${right ? "right" : ""} key=${label}>
        <span class="label">${label}</span><span class="track"><span class="bar" style=${{ width: `${(100 * count) / most}%` }}></span></span>
        <span class="count">${count}${right && html`<span aria-hidden="true"> ✓</span><span class="hidden"> ${words("rightMark")}</span>`}</span></li>`,
      )}</ol>`
    }
    ${bars.length === 0 && results.count > 0 && isHidden && html`<p class="quiet">${words("fewAnswers")}</p>`}
    ${results.heat && html`<p class="quiet">${words("discs")}</p>`}`;
}

/** @param {PollResults} results @param {RoomPoll} poll @returns {Bar[]} */
function barsOf({ histogram, choices, heat, truth }, { kind, options }) {
  if (histogram) {
    const { bins } = histogram;
    const others = histogram.other > 0 ? [{ label: words("otherAnswers"), count: histogram.other, right: null }] : [];
    return [...(kind === "step" ? bins.map((bin) => ({ ...bin, label: stepOf(bin.label) })) : bins), ...others];
  }
  if (choices)
    return choices.map((count, at) => ({
      label: options[at] ?? String(at),
      count,
      right: truth ? truth.options.includes(at) : null,
    }));
  const right = new Set((truth?.cells ?? []).map(String));
  return [...(heat ?? [])]
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_CELLS)
    .map(({ element, count }) => ({
      label: `[${element.join(", ")}]`,
      count,
      right: truth ? right.has(String(element)) : null,
    }));
}

/** The server names a position in English, by its step and process. @param {string} label @returns {string} */
function stepOf(label) {
  const [step = 0, process = 0] = (label.match(/\d+/g) ?? []).map(Number);
  return stepWords([process, step]);
}

/** @param {{results: PollResults, poll: RoomPoll}} props */
function Truth({ results, poll }) {
  const { truth, count } = results;
  if (!truth) return html`<p>${countWords("oneAnswer", "answers", count)}. ${words("undecided")}</p>`;
  return html`<p class="room-truth">${words("recordedAnswer")} <strong>${truthWords(truth, poll)}</strong>; <span class="quiet">${countWords("wasRight", "wereRight", truth.right, truth.right, countWords("oneAnswer", "answers", count))}</span></p>`;
}

/** @param {import("../../core/types.js").PollTruth} truth @param {RoomPoll} poll @returns {string} */
function truthWords({ shown, options, cells }, poll) {
  if (poll.kind === "cell") {
    const named = cells.slice(0, 4).map((cell) => `[${cell.join(", ")}]`);
    return cells.length > 4
      ? named.join(", ") + words("more", cells.length - 4)
      : named.join(", ") || words("noElement");
  }
  if (poll.kind === "step") return cells.map(stepWords).join(words("or"));
  return shown ?? (options.map((at) => poll.options[at]).join(", ") || words("noOption"));
}
