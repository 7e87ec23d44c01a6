/**
 * Says when the page is idle: `<html>` has the attribute `data-idle` exactly while nothing is asked for, nothing is
 * about to be drawn and nothing moves. What takes time begins here: requests, questions that wait for the next key,
 * frames of drawings. Tests and scripts wait for the attribute instead of for so many milliseconds.
 */
import { options } from "preact";

/** Frames without anything new before the page counts as idle: effects of a drawing run after its frame. */
const STILL_FRAMES = 2;

const STIRRING = [
  ...["click", "dblclick", "pointerdown", "pointermove", "pointerup", "keydown", "keyup", "input", "change", "focusin"],
  ...["wheel", "scroll", "resize", "popstate", "hashchange", "dragover", "drop", "paste", "transitionrun"],
];

const root = globalThis.document?.documentElement;
let underWay = 0;
let stillFrames = 0;
let isWatching = false;

/** Something is under way until the function that this gives is called. @returns {() => void} */
export function begin() {
  let hasEnded = false;
  underWay++;
  stir();
  return () => {
    if (hasEnded) return;
    hasEnded = true;
    underWay--;
    stir();
  };
}

/** `setTimeout` for what the page waits for. @param {() => void} act @param {number} ms @returns {() => void} cancels it */
export function afterPause(act, ms) {
  const end = begin();
  const timer = setTimeout(() => endAfter(act, end), ms);
  return () => {
    clearTimeout(timer);
    end();
  };
}

/** `requestAnimationFrame` for what is drawn. @param {(now: number) => void} draw @returns {() => void} cancels it */
export function onFrame(draw) {
  const end = begin();
  const frame = requestAnimationFrame((now) => endAfter(() => draw(now), end));
  return () => {
    cancelAnimationFrame(frame);
    end();
  };
}

let isFrameDue = false;
/** @type {Set<() => void>} */
const waiting = new Set();

/**
 * Act now, or with the next frame where that was done since the last one already: of steps that come quicker than frames,
 * only those are drawn that a frame shows. @param {() => void} act @returns {void}
 */
export function oncePerFrame(act) {
  if (isFrameDue) return void waiting.add(act);
  act();
}

/** Whether a step was drawn that no frame shows yet. @returns {boolean} */
export const isFrameAwaited = () => isFrameDue;

/** Whatever is drawn from now on until the next frame, is drawn with it. */
export function awaitFrame() {
  if (isFrameDue || !globalThis.requestAnimationFrame) return;
  isFrameDue = true;
  const end = begin();
  requestAnimationFrame(() => {
    isFrameDue = false;
    const acts = [...waiting];
    waiting.clear();
    for (const act of acts) act();
    end();
  });
}

/** @param {() => void} act @param {() => void} end */
function endAfter(act, end) {
  try {
    act();
  } finally {
    end();
  }
}

/** Something has changed: the page is idle again only some frames later. */
function stir() {
  if (!root) return;
  stillFrames = 0;
  root.removeAttribute("data-idle");
  // Whoever ends it stirs.
  if (isWatching || underWay > 0) return;
  isWatching = true;
  // Often one answer leads to the next question: a frame just for looking would be work.
  setTimeout(watch);
}

/** Look behind the next frame, unless something is under way again. */
function watch() {
  if (underWay > 0) isWatching = false;
  else requestAnimationFrame(() => setTimeout(look));
}

function look() {
  isWatching = underWay === 0 && (isFading() || ++stillFrames < STILL_FRAMES);
  if (isWatching) watch();
  else if (underWay === 0) root?.setAttribute("data-idle", "");
}

/** Whether a transition or an animation that ends is running. @returns {boolean} */
function isFading() {
  const found = document
    .getAnimations()
    .some(({ playState, effect }) => playState === "running" && effect?.getComputedTiming().iterations !== Infinity);
  if (found) stillFrames = 0;
  return found;
}

if (root) {
  for (const type of STIRRING) addEventListener(type, stir, { capture: true, passive: true });
  const render = Promise.resolve();
  options.debounceRendering = (draw) => {
    stir();
    render.then(() => oncePerFrame(draw));
  };
  stir();
}
