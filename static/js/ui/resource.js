/** Server data for components: requested when the question changes; the previous answer stays meanwhile. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { LatestAnswer } from "../core/answers.js";
import { getJson } from "../core/api.js";

/** Debounce of a form while the user types, in milliseconds. */
export const TYPING_MS = 150;

/**
 * The answer to a question, and the state of the last request.
 *
 * `answered` is the question of `value` and `error`; `isLoading`: a newer one is pending.
 *
 * @template T
 * @typedef {{answered: string|null, value: T|undefined, error: Error|null, isLoading: boolean, retry: () => void}} Resource
 */

/**
 * @template T
 * @param {string|null} question the key of the question: a new key sends a request, null sends none
 * @param {(stop: AbortSignal) => Promise<T>} load sends the request; its signal is aborted when the question changes
 * @param {{pause?: number, known?: {get: (question: string) => T|undefined}}} [options] pause: debounce in
 *   milliseconds; known: cached answers, by question
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
 * Several answers, each as soon as it arrives. Unchanged questions are not sent again.
 *
 * @template T
 * @param {readonly (string|null)[]} questions null sends no request
 * @param {(at: number, stop: AbortSignal) => Promise<T>} load sends the question with this index
 * @returns {readonly (T|undefined)[]} undefined: pending, not sent, or refused; the same array while nothing changes
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
 * An answer that arrives in parts; the one to the question before stays until the first part.
 *
 * @template T
 * @param {string|null} question null sends none @param {(stop: AbortSignal, show: (value: T) => void) => Promise<void>} load shows the answer as far as it is here
 * @returns {{answered: string|null, value: T|undefined, error: Error|null}}
 */
export function useParts(question, load) {
  const [found, setFound] = useState(
    /** @type {{answered: string|null, value: T|undefined, error: Error|null}} */ ({
      answered: null,
      value: undefined,
      error: null,
    }),
  );
  useEffect(() => {
    if (question === null) return undefined;
    const stop = new AbortController();
    const set = (/** @type {T|undefined} */ value, /** @type {Error|null} */ error) =>
      stop.signal.aborted || setFound({ answered: question, value, error });
    load(stop.signal, (value) => set(value, null)).catch((error) => set(undefined, error));
    return () => stop.abort();
  }, [question]);
  return found;
}

/** The JSON at a path; while it is loading, nothing of the path before. @param {string|null} path @returns {{value: any, error: Error|null}} */
export function useJsonAt(path) {
  const { answered, value, error } = useJson(path);
  return path !== null && answered === path ? { value, error } : { value: undefined, error: null };
}

/** The JSON at a path. @param {string|null} path @param {{pause?: number}} [options] @returns {Resource<any>} */
export const useJson = (path, options) =>
  useResource(path, (stop) => getJson(/** @type {string} */ (path), stop), options);
