/**
 * What the server says of where elements come from and where they go. It never changes, so what came once is kept.
 *
 * @typedef {import("./sets.js").WireSet} WireSet
 * @typedef {"back"|"forward"} Direction
 * @typedef {"step"|"all"} Reach
 * @typedef {{address: string, elements: string}} Asked  elements as the question spells them; empty: all
 * @typedef {{id: number, address: string|null, process: number, kind: "result"|"argument"|"output", step: number|null, frame: number|null,
 *   op: number|null, value: number|null, name: string, type: string, tick: number, elements: WireSet,
 *   end: null|"input"|"constant"|"opaque"|"output"|"outside", reason: string|null, input: {number: number, name: string}|null,
 *   outputs: number[]}} Node
 * @typedef {"data"|"index"|"chosen"|"handed on"|"moved"|"combined"|"inside"|"opaque"} EdgeKind
 * @typedef {{read: number, made: number, kind: EdgeKind, operand: number|null, words: string|null, elements: WireSet}} Edge
 * @typedef {{operand?: number, name?: string, address?: string|null, index?: number[], value?: string, role?: string, factors?: Term[]}} Term
 * @typedef {{text: string, numbers: string|null, form: string, terms: Term[], count: number, value: string, note: string|null}} Formula
 * @typedef {{address: string, direction: Direction, reach: Reach, complete: boolean, reason: string|null, elements: WireSet,
 *   nodes: Node[], edges: Edge[], inputs: number[], ends: number[], waiting: number[], unlooked: number,
 *   values: number, steps: number, omitted: number, formula: Formula|null}} Answer
 */
import { useEffect, useState } from "preact/hooks";
import { getJson, recordingPath } from "../api.js";

const KEPT = 400;
/** Milliseconds: a long walk is asked for where a pointer rests, not for all that it comes by. */
const RESTING = 150;
/** @type {Map<string, Answer>} */
const here = new Map();

/** @param {string} key @param {Asked} asked @param {Direction} direction @param {Reach} reach @returns {string} */
export function pathOf(key, { address, elements }, direction, reach) {
  const query = new URLSearchParams({ address, elements, direction, reach });
  return `${recordingPath(key)}/provenance?${query}`;
}

/** How often a walk was gone on with: the rest of the path is the question. */
const MORE = /&more=\d+$/;

/** @param {string} path @param {AbortSignal} signal @returns {Promise<Answer>} */
async function answerAt(path, signal) {
  const question = path.replace(MORE, "");
  const found = here.get(question);
  if (found) return found;
  const answer = /** @type {Answer} */ (await getJson(path, signal));
  if (here.size >= KEPT) here.delete(/** @type {string} */ (here.keys().next().value));
  if (answer.complete) here.set(question, answer);
  return answer;
}

/**
 * The answer to a question; the one before stays until it is here. An answer that took too long is gone on with by `further`.
 *
 * @param {string|null} key of the recording @param {Asked|null} asked @param {Direction} direction @param {Reach} reach
 * @returns {{answer: Answer|null, error: string, busy: boolean, further: () => void}}
 */
export function useAnswer(key, asked, direction, reach) {
  const question = key !== null && asked ? pathOf(key, asked, direction, reach) : null;
  const [wish, setWish] = useState(/** @type {{question: string|null, times: number}} */ ({ question: null, times: 0 }));
  const times = wish.question === question ? wish.times : 0;
  const path = question !== null && times > 0 ? `${question}&more=${times}` : question;
  const [found, setFound] = useState(/** @type {{path: string|null, answer: Answer|null, error: string}} */ ({ path: null, answer: null, error: "" }));
  useEffect(() => {
    const stop = new AbortController();
    if (path === null) return setFound({ path, answer: null, error: "" });
    const ask = () => answerAt(path, stop.signal).then(
      (answer) => stop.signal.aborted || setFound({ path, answer, error: "" }),
      (reason) => stop.signal.aborted || setFound({ path, answer: null, error: reason.message }));
    const timer = setTimeout(ask, reach === "all" ? RESTING : 0);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [path]);
  return { ...found, busy: found.path !== path, further: () => setWish({ question, times: times + 1 }) };
}
