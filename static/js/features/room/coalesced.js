/** Send the first call immediately, and of later calls within the interval only the last. */

/** @template {unknown[]} A @param {number} ms @param {(...asked: A) => void} act @returns {(...asked: A) => void} */
export function coalesced(ms, act) {
  let isPausing = false;
  /** @type {A|null} */
  let last = null;
  const go = (/** @type {A} */ asked) => {
    isPausing = true;
    setTimeout(end, ms);
    act(...asked);
  };
  function end() {
    isPausing = false;
    const asked = last;
    last = null;
    if (asked) go(asked);
  }
  return (...asked) => {
    if (isPausing) last = asked;
    else go(asked);
  };
}
