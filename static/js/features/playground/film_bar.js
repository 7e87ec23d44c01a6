/** The player of the film: play forwards and backwards at a speed, single beats, a slider, and the film as a file. */
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { begin } from "../../core/idle.js";
import { pointBox } from "../../core/indexing/regions.js";
import { elementOf, numberOf } from "../../core/tensor/axes.js";
import { countText, counted } from "../../core/tensor/elements.js";
import { download } from "../../ui/export.js";
import { Icon } from "../../ui/icons.js";
import { Menu } from "../../ui/menu.js";
import { useKeys } from "../index_map/player.js";
import { drawMoment, stageOf, themeOf } from "./film_stage.js";
import { filmSvg, filmVideo, scenesOf, videoKind } from "./film_files.js";
import { Choice, valueOf } from "../../ui/fields.js";
import { watchSizes } from "../../ui/element_size.js";
import { wantsStill } from "../../ui/media.js";
/** @import {PictureState} from "../../ui/tensor_grid/state.js" */
/** @import {Film} from "./film.js" */
/** @import {Names} from "./film_stage.js" */

/** Beats per second. */
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32];

/** @param {{film: Film, state: PictureState, name: string, names: Names, title: string}} props */
export function FilmBar({ film, state, name, names, title }) {
  const [speed, setSpeed] = useState(2);
  const [direction, setDirection] = useState(/** @type {-1|0|1} */ (0));
  const reduced = wantsStill.value;
  const at = film.position.value;
  useEffect(() => setDirection(0), [film]);
  usePlaying(film, direction * speed, reduced, () => setDirection(0));
  useSelection(film, state, at?.element ?? null);
  const step = (/** @type {1|-1} */ way) => {
    setDirection(0);
    if (way > 0) film.stepForward();
    else film.stepBack();
  };
  const play = (/** @type {1|-1} */ way) => {
    if (direction === way) return setDirection(0);
    if (way > 0 && isAtEnd(film)) film.seek(0);
    return setDirection(way);
  };
  useKeys({ next: () => step(1), previous: () => step(-1), play: () => play(1), pin: () => state.togglePin() });
  if (film.count === 0) return null;
  const chosen = at?.element ?? numberOfChosen(film, state);
  return html`<div class="index-playing film-bar" role="group" aria-label=${`Elements of ${name}, one after another`}>
    <button onClick=${() => step(-1)} title="Undo the last movement" aria-label="Previous movement"><${Icon} name="previous" /></button>
    <button onClick=${() => play(-1)} aria-pressed=${direction < 0} title="Play backwards: elements move back to the operands" aria-label=${direction < 0 ? "Pause" : "Play backwards"}><span class="mirrored"><${Icon} name=${direction < 0 ? "pause" : "continue"} /></span></button>
    <button class="film-play" onClick=${() => play(1)} aria-pressed=${direction > 0} title="Play: elements move from the operands to the result" aria-label=${direction > 0 ? "Pause" : "Play"}><${Icon} name=${direction > 0 ? "pause" : "continue"} /></button>
    <button onClick=${() => step(1)} title="The next movement" aria-label="Next movement"><${Icon} name="next" /></button>
    <label class="quiet"><span class="hidden">Movements per second</span><${Choice} options=${SPEEDS.map((each) => [each, `${each}/s`])} value=${speed} choose=${setSpeed} /></label>
    <input type="range" min="0" max=${Math.max(0, film.count - 1)} value=${chosen ?? 0} aria-label=${`Element of ${name}`} aria-valuetext=${chosen === null ? "the whole result" : `${name}[${elementOf(film.shape, chosen).join(", ")}]`}
      onInput=${(/** @type {Event} */ event) => (setDirection(0), film.seek(Number(valueOf(event))))} />
    <span class="quiet count">${chosen === null ? counted(film.count, "element") : `${countText(chosen + 1)} of ${countText(film.count)}`}</span>
    ${at && html`<button onClick=${() => (setDirection(0), (film.position.value = null))} title="Show the whole result again">Whole result</button>`}
    <${Save} film=${film} names=${names} title=${title} />
    ${film.failure.value && html`<span role="alert" class="alarm">${film.failure.value}</span>`}
    <${Overlay} film=${film} names=${names} />
  </div>`;
}

/** @param {Film} film */
function isAtEnd(film) {
  const [at, end] = [film.position.peek(), film.end];
  return at !== null && at.element === end.element && at.beat === end.beat && at.phase === 1;
}

/** @param {Film} film @param {PictureState} state @returns {number|null} */
function numberOfChosen(film, state) {
  const chosen = state.selected.value;
  return chosen?.side === "result" && chosen.number === film.result ? numberOf(film.shape, chosen.at) : null;
}

/** Move with the clock; with reduced motion, a whole beat at a time. @param {Film} film @param {number} speed beats per second, negative for backwards @param {boolean} reduced @param {() => void} stop */
function usePlaying(film, speed, reduced, stop) {
  useLayoutEffect(() => {
    if (speed === 0) return undefined;
    const end = begin();
    let before = performance.now();
    let frame = 0;
    const move = (/** @type {number} */ beats) => {
      const goes = film.move(beats);
      if (!goes) stop();
      return goes;
    };
    const tick = (/** @type {number} */ now) => {
      const beats = ((now - before) / 1000) * speed;
      if (!reduced || Math.abs(beats) >= 1) {
        before = now;
        const at = film.position.peek();
        // With reduced motion every position is the end of a beat.
        if (reduced && at && at.phase > 0 && at.phase < 1) film.position.value = { ...at, phase: 1 };
        if (!move(reduced ? Math.sign(speed) : beats)) return;
      }
      frame = requestAnimationFrame(tick);
    };
    if (reduced) {
      if (speed > 0) film.stepForward();
      else film.stepBack();
    }
    frame = requestAnimationFrame(tick);
    return () => {
      cancelAnimationFrame(frame);
      end();
    };
  }, [film, speed, reduced]);
}

/** The element of the film is selected, so that the maps show its elements; another selection ends the film. @param {Film} film @param {PictureState} state @param {number|null} element */
function useSelection(film, state, element) {
  const own = useRef(/** @type {unknown} */ (null));
  useEffect(() => {
    if (element === null) return;
    const index = elementOf(film.shape, element);
    state.hovered.value = null;
    state.select({ side: "result", number: film.result, boxes: [pointBox(index)], at: index });
    own.current = state.selected.peek();
  }, [film, element]);
  const chosen = state.selected.value;
  useEffect(() => {
    if (film.position.peek() !== null && own.current !== null && chosen !== own.current) film.position.value = null;
  }, [chosen]);
}

/** A canvas over the tensors. @param {{film: Film, names: Names}} props */
function Overlay({ film, names }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const at = film.position.value;
  const version = film.arrived.value;
  useEffect(() => {
    const sides = sidesOf(canvas.current);
    if (!canvas.current || !sides) return undefined;
    if (at) paint(canvas.current, sides, film, names);
    return watchSizes([sides], () => canvas.current && paint(canvas.current, sides, film, names));
  }, [film, at, version, names]);
  return html`<canvas class="film" ref=${canvas} hidden=${at === null} aria-hidden="true"></canvas>`;
}

/** @param {Element|null} inside */
const sidesOf = (inside) =>
  /** @type {HTMLElement|null} */ (inside?.closest(".index-picture")?.querySelector(".index-sides") ?? null);

/** @param {HTMLCanvasElement} canvas @param {HTMLElement} sides @param {Film} film @param {Names} names */
function paint(canvas, sides, film, names) {
  const at = film.position.peek();
  const context = canvas.getContext("2d");
  const around = canvas.offsetParent?.getBoundingClientRect();
  if (!at || !context || !around) return;
  const { left, top, width, height } = sides.getBoundingClientRect();
  Object.assign(canvas.style, {
    left: `${left - around.left}px`,
    top: `${top - around.top}px`,
    width: `${width}px`,
    height: `${height}px`,
  });
  const density = Math.max(1, devicePixelRatio);
  [canvas.width, canvas.height] = [Math.round(width * density), Math.round(height * density)];
  context.scale(density, density);
  drawMoment(context, stageOf(sides, names), film, at, themeOf(sides));
}

/** @param {{film: Film, names: Names, title: string}} props */
function Save({ film, names, title }) {
  const [busy, setBusy] = useState("");
  const holder = useRef(/** @type {HTMLSpanElement|null} */ (null));
  const stem = `film-${title.replace(/[^\w.-]+/g, "_")}`;
  const save = async (/** @type {"svg"|"video"} */ as) => {
    const sides = sidesOf(holder.current);
    if (!sides || busy) return;
    const before = film.position.peek();
    film.position.value = null;
    setBusy("Collecting movements…");
    try {
      const scenes = await scenesOf(film);
      const last = (scenes.at(-1)?.element ?? 0) + 1;
      const part =
        last < film.count ? [`The film ends after ${countText(last)} of ${countText(film.count)} elements.`] : [];
      const kind = videoKind();
      if (as === "svg") download(await filmSvg(sides, film, scenes, names, title, [title, ...part]), `${stem}.svg`);
      else if (kind) {
        setBusy("Recording…");
        download(await filmVideo(sides, film, scenes, names, [title, ...part], kind.type), `${stem}.${kind.ending}`);
      }
    } finally {
      film.position.value = before;
      setBusy("");
    }
  };
  const items = () => {
    const kind = videoKind();
    return [
      { text: "Animated SVG", title: "Plays in a loop in browsers and slides", run: () => void save("svg") },
      kind
        ? {
            text: `Video (${kind.ending.toUpperCase()})`,
            title: "Recorded in real time",
            run: () => void save("video"),
          }
        : { text: "Video: this browser cannot record one", off: true },
    ];
  };
  return html`<span ref=${holder}><${Menu} label="Save the film" class="quiet" content=${busy || "Save film ▾"} items=${items} /></span>`;
}
