/**
 * The server's answers about sources and uses of elements. They never change, so they are cached.
 *
 * @typedef {"back"|"forward"} Direction
 * @typedef {"step"|"all"} Reach
 * @typedef {""|"not_finite"} Only  which elements are followed
 * @typedef {{address: string, elements: string}} Asked  elements as the question spells them; empty: all
 * @typedef {"data"|"index"|"chosen"|"forwarded"|"moved"|"combined"|"inside"|"opaque"} EdgeKind
 */
import { useState } from "preact/hooks";
import { AnswerCache } from "../../core/answers.js";
import { getJson, recordingPath } from "../../core/api.js";
import { asShown } from "../../core/run/value_names.js";
import * as store from "../../core/store.js";
import { useResource } from "../../ui/resource.js";
/** @import {WireSet, ProvenanceNode as Node, ProvenanceEdge as Edge, FormulaTerm as Term, Provenance as Answer} from "../../core/types.js" */

const KEPT = 400;
/** Debounce in milliseconds: a long path is requested where the pointer rests. */
const RESTING = 150;
/** @type {AnswerCache<Answer>} */
const here = new AnswerCache(KEPT);

/** @param {string} key @param {Asked} asked @param {Direction} direction @param {Reach} reach @param {Only} [only] @returns {string} */
export function pathOf(key, { address, elements }, direction, reach, only = "") {
  const query = new URLSearchParams({ address, elements, direction, reach, ...(only && { only }) });
  return `${recordingPath(key)}/provenance?${query}`;
}

/** The number of continuations; the rest of the path is the question. */
const MORE = /&more=\d+$/;

/** @param {string} path @param {AbortSignal} signal @returns {Promise<Answer>} */
async function answerAt(path, signal) {
  const question = path.replace(MORE, "");
  const found = here.get(question);
  if (found) return found;
  const program = store.program.peek();
  const answer = asShown(program, /** @type {Answer} */ (await getJson(path, signal)));
  answer.formula = asShown(program, answer.formula, answer.nodes[0]?.op ?? undefined);
  if (answer.complete) here.keep(question, answer);
  return answer;
}

/**
 * The answer to a question; the previous one stays until it arrives. `further` continues an incomplete answer.
 *
 * @param {string|null} key of the recording @param {Asked|null} asked @param {Direction} direction @param {Reach} reach @param {Only} only
 * @returns {{answer: Answer|null, error: string, busy: boolean, further: () => void}}
 */
export function useAnswer(key, asked, direction, reach, only) {
  const question = key !== null && asked ? pathOf(key, asked, direction, reach, only) : null;
  const [wish, setWish] = useState(
    /** @type {{question: string|null, times: number}} */ ({ question: null, times: 0 }),
  );
  const times = wish.question === question ? wish.times : 0;
  const path = question !== null && times > 0 ? `${question}&more=${times}` : question;
  const { value, error, isLoading } = useResource(path, (signal) => answerAt(/** @type {string} */ (path), signal), {
    pause: reach === "all" ? RESTING : 0,
  });
  return {
    answer: path === null || error ? null : (value ?? null),
    error: error?.message ?? "",
    busy: isLoading,
    further: () => setWish({ question, times: times + 1 }),
  };
}
