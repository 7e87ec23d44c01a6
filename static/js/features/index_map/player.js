/** The player: chooses the elements of a result one after another. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { begin } from "../../core/idle.js";
import { pointBox } from "../../core/indexing/regions.js";
import { countOf, elementOf, numberOf } from "../../core/tensor/axes.js";
import { countText, counted } from "../../core/tensor/elements.js";
import { Icon } from "../../ui/icons.js";
import { wantsStill } from "../../ui/media.js";
/** @import {PictureState} from "../../ui/tensor_grid/state.js" */

/** @typedef {{next: () => void, previous: () => void, play: () => void, pin: () => void}} Player */

/** The picture that page-wide keys control: the one drawn last. */
export const currentPlayer = signal(/** @type {Player|null} */ (null));

const SPEEDS = [1, 2, 5, 10, 30];

/** @param {{state: PictureState, shape: number[], name: string, result?: number}} props */
export function ElementPlayer({ state, shape, name, result = 0 }) {
  const total = countOf(shape);
  const [speed, setSpeed] = useState(2);
  const reduced = wantsStill.value;
  const chosen = state.selected.value;
  const at = chosen?.side === "result" && chosen.number === result ? numberOf(shape, chosen.at) : null;
  const go = (/** @type {number} */ number) => {
    const index = elementOf(shape, ((number % total) + total) % total);
    state.hovered.value = null;
    state.select({ side: "result", number: result, boxes: [pointBox(index)], at: index });
  };
  const next = () => go(at === null ? 0 : at + 1);
  const previous = () => go(at === null ? total - 1 : at - 1);
  const [playing, play] = usePlaying(next, speed, reduced);
  useKeys({ next, previous, play, pin: () => state.togglePin() });
  if (total === 0) return null;
  return html`<div class="index-playing" role="group" aria-label=${`Elements of ${name}, one after another`}>
    <button onClick=${previous} title="The previous element" aria-label="The previous element"><${Icon} name="previous" /></button>
    <button onClick=${play} aria-disabled=${reduced} title=${reduced ? "Your system requests reduced motion: step element by element" : "Go through all elements"} aria-label=${playing ? "Pause" : "Play"}><${Icon} name=${playing ? "pause" : "continue"} /></button>
    <button onClick=${next} title="The next element" aria-label="The next element"><${Icon} name="next" /></button>
    <label class="quiet"><span class="hidden">Elements per second</span><select onChange=${(/** @type {Event} */ event) => setSpeed(Number(/** @type {HTMLSelectElement} */ (event.currentTarget).value))}>
      ${SPEEDS.map((each) => html`<option value=${each} selected=${each === speed}>${each}/s</option>`)}</select></label>
    <input type="range" min="0" max=${Math.max(0, total - 1)} value=${at ?? 0} aria-label=${`Element of ${name}`} aria-valuetext=${at === null ? "none yet" : `${name}[${elementOf(shape, at).join(", ")}]`}
      onInput=${(/** @type {Event} */ event) => go(Number(/** @type {HTMLInputElement} */ (event.currentTarget).value))} />
    <span class="quiet count">${at === null ? `${counted(total, "element")}` : `${countText(at + 1)} of ${countText(total)}`}</span>
  </div>`;
}

/** Whether the player runs, and a function that starts or stops it. @param {() => void} next @param {number} speed @param {boolean} reduced @returns {[boolean, () => void]} */
function usePlaying(next, speed, reduced) {
  const [playing, setPlaying] = useState(false);
  const latest = useRef(next);
  latest.current = next;
  // A layout effect: a later one would choose one more element after the button shows the pause.
  useLayoutEffect(() => {
    if (!playing) return undefined;
    const end = begin();
    const timer = setInterval(() => latest.current(), 1000 / speed);
    return () => {
      clearInterval(timer);
      end();
    };
  }, [playing, speed]);
  useEffect(() => {
    if (reduced) setPlaying(false);
  }, [reduced]);
  return [playing, () => setPlaying((before) => !before && !reduced)];
}

/** Let page-wide keys control this picture while it is the one drawn last. @param {Player} player */
export function useKeys(player) {
  const latest = useRef(player);
  latest.current = player;
  useEffect(() => {
    const mine = {
      next: () => latest.current.next(),
      previous: () => latest.current.previous(),
      play: () => latest.current.play(),
      pin: () => latest.current.pin(),
    };
    currentPlayer.value = mine;
    return () => {
      if (currentPlayer.peek() === mine) currentPlayer.value = null;
    };
  }, []);
}
