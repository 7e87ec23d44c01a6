/**
 * Idle state of the page: `<html>` has the attribute `data-idle` exactly while no request, drawing or animation is
 * pending. Requests, debounced questions and frames of drawings start here. Tests and scripts wait for the attribute,
 * never for a time.
 */
import { options } from "preact";

/** Frames without changes before the page counts as idle: effects run after the frame that renders them. */
const STILL_FRAMES = 2;

const STIRRING = [
  ...["click", "dblclick", "pointerdown", "pointermove", "pointerup", "keydown", "keyup", "input", "change", "focusin"],
  ...["wheel", "scroll", "resize", "popstate", "hashchange", "dragover", "drop", "paste", "transitionrun"],
];

const root = globalThis.document?.documentElement;
let underWay = 0;
let stillFrames = 0;
let isWatching = false;

/** Mark the page busy until the returned function is called. @returns {() => void} */
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

/** `setTimeout` that keeps the page busy. @param {() => void} act @param {number} ms @returns {() => void} cancels it */
export function afterPause(act, ms) {
  const end = begin();
  const timer = setTimeout(() => endAfter(act, end), ms);
  return () => {
    clearTimeout(timer);
    end();
  };
}

/** `requestAnimationFrame` that keeps the page busy. @param {(now: number) => void} draw @returns {() => void} cancels it */
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
 * Act now, or in the next frame if this frame already acted: steps faster than the frame rate draw only what a frame
 * can show. @param {() => void} act @returns {void}
 */
export function oncePerFrame(act) {
  if (isFrameDue) return void waiting.add(act);
  act();
}

/** Whether a step was drawn that no frame has shown yet. @returns {boolean} */
export const isFrameAwaited = () => isFrameDue;

/** Draw everything until the next frame together with it. */
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

/** A change: the page becomes idle only some frames later. */
function stir() {
  if (!root) return;
  stillFrames = 0;
  root.removeAttribute("data-idle");
  // Ending a task counts as a change.
  if (isWatching || underWay > 0) return;
  isWatching = true;
  // One answer often starts the next request: checking in each frame would cost time.
  setTimeout(watch);
}

/** Check after the next frame, unless a new task started. */
function watch() {
  if (underWay > 0) isWatching = false;
  else requestAnimationFrame(() => setTimeout(look));
}

function look() {
  isWatching = underWay === 0 && (isFading() || ++stillFrames < STILL_FRAMES);
  if (isWatching) watch();
  else if (underWay === 0) root?.setAttribute("data-idle", "");
}

/** Whether a finite transition or animation is running. @returns {boolean} */
function isFading() {
  const found = document
    .getAnimations()
    .some(({ playState, effect }) => playState === "running" && Number(effect?.getComputedTiming().endTime) < Infinity);
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
