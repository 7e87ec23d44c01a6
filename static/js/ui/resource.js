/** What a component shows of the server: asked for when the question changes, and the answer before stays meanwhile. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { LatestAnswer } from "../core/answers.js";
import { getJson } from "../core/api.js";

/** While somebody types, a form waits so many milliseconds for the next key. */
export const TYPING_MS = 150;

/**
 * The answer to a question, and what became of the last one.
 *
 * `answered` is the question that `value` and `error` belong to; `isLoading` that it is not the current one.
 *
 * @template T
 * @typedef {{answered: string|null, value: T|undefined, error: Error|null, isLoading: boolean, retry: () => void}} Resource
 */

/**
 * @template T
 * @param {string|null} question says what is asked for: another one is asked anew, null is not asked
 * @param {(stop: AbortSignal) => Promise<T>} load asks; what it was given is aborted when the question changes
 * @param {{pause?: number, known?: {get: (question: string) => T|undefined}}} [options] milliseconds to wait for the next
 *   question, as while somebody types; answers that are here already, by question
 * @returns {Resource<T>}
 */
export function useResource(question, load, { pause = 0, known } = {}) {
  const [attempt, setAttempt] = useState(0);
  const latest = useMemo(() => /** @type {LatestAnswer<T>} */ (new LatestAnswer()), []);
  const ask = useRef(load);
  ask.current = load;
  const here = question === null ? undefined : known?.get(question);
  const isHere = here !== undefined;
  useEffect(() => {
    if (question === null || isHere) return undefined;
    latest.ask(question, (stop) => ask.current(stop), pause);
    return () => latest.stop();
  }, [question, isHere, attempt]);
  const { question: answered, value, error } = latest.outcome.value;
  const retry = () => {
    latest.outcome.value = { question: null, value, error: null };
    setAttempt(attempt + 1);
  };
  if (isHere) return { answered: question, value: here, error: null, isLoading: false, retry };
  return { answered, value, error, isLoading: question !== null && question !== answered, retry };
}

/**
 * Several answers, each as soon as it is here. Those to questions that stay are not asked for again.
 *
 * @template T
 * @param {readonly (string|null)[]} questions null is not asked
 * @param {(at: number, stop: AbortSignal) => Promise<T>} load asks the question of that number
 * @returns {readonly (T|undefined)[]} undefined: on its way, not asked, or refused; the same array while nothing changes
 */
export function useResources(questions, load) {
  const [answers, setAnswers] = useState(/** @type {ReadonlyMap<string, T>} */ (new Map()));
  const name = JSON.stringify(questions);
  useEffect(() => {
    const stop = new AbortController();
    const keep = (/** @type {string} */ question, /** @type {T} */ value) =>
      setAnswers((before) => new Map([...before].filter(([other]) => questions.includes(other))).set(question, value));
    questions.forEach((question, at) => {
      if (question === null || answers.has(question)) return;
      load(at, stop.signal).then(
        (value) => stop.signal.aborted || keep(question, value),
        () => undefined,
      );
    });
    return () => stop.abort();
  }, [name]);
  return useMemo(
    () => questions.map((question) => (question === null ? undefined : answers.get(question))),
    [answers, name],
  );
}

/**
 * The JSON at a path.
 *
 * @param {string|null} path @param {{pause?: number}} [options] @returns {Resource<any>}
 */
export const useJson = (path, options) =>
  useResource(path, (stop) => getJson(/** @type {string} */ (path), stop), options);
