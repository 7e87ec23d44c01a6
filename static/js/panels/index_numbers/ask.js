/** Answers of the server that change with what a form holds: the last one stays until the next is here. */
import { useEffect, useState } from "preact/hooks";
import { getJson } from "../../api.js";

/** A form waits so long for the next key. */
const PAUSE = 150;

/**
 * @template T
 * @param {string|null} path nothing is asked for null
 * @returns {{answer: T|null, error: string, waiting: boolean}}
 */
export function useAnswer(path) {
  const [answer, setAnswer] = useState(/** @type {T|null} */ (null));
  const [error, setError] = useState("");
  const [waiting, setWaiting] = useState(false);
  useEffect(() => {
    if (path === null) return undefined;
    const stop = new AbortController();
    setWaiting(true);
    const timer = setTimeout(() => {
      getJson(path, stop.signal).then(
        (found) => {
          setAnswer(found);
          setError("");
          setWaiting(false);
        },
        (reason) => {
          if (stop.signal.aborted) return;
          setError(reason.message);
          setWaiting(false);
        },
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [path]);
  return { answer, error, waiting };
}
