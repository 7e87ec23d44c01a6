/** Outlines to step in, made of rows. */
import { CHUNK, NONE, Outline } from "../../static/js/core/run/outline.js";

/** An outline of [op, frame, depth] rows and [block, parent, opener, iteration] frames. */
export function outlineOf(steps, frames, { done = true, complete = done } = {}) {
  const outline = new Outline();
  const columns = (rows, from, arrays) => {
    const part = rows.slice(from, from + CHUNK);
    return Buffer.concat(arrays.map((Type, column) => Buffer.from(new Type(part.map((row) => row[column])).buffer)));
  };
  const bytes = (buffer) => buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
  for (let from = 0; from < steps.length; from += CHUNK) {
    outline.addSteps(from / CHUNK, bytes(columns(steps, from, [Uint32Array, Uint32Array, Uint16Array])));
  }
  for (let from = 0; from < frames.length; from += CHUNK) {
    outline.addFrames(from / CHUNK, bytes(columns(frames, from, [Uint32Array, Uint32Array, Uint32Array, Uint32Array])));
  }
  return Object.assign(outline, { done, complete });
}

/**
 * Ops: 0 constant, 1 while (2 condition: compare, 3 return; 4 body: call @f, 5 return), 6 return; @f: 7 add, 8 return.
 * Blocks: 0 main, 1 condition, 2 body, 3 @f.
 */
export function loop(iterations) {
  const steps = [
    [0, 0, 0],
    [1, 0, 0],
  ];
  const frames = [[0, NONE, NONE, NONE]];
  for (let i = 0; i <= iterations; i++) {
    frames.push([1, 0, 1, i]);
    steps.push([2, frames.length - 1, 1], [3, frames.length - 1, 1]);
    if (i === iterations) break;
    frames.push([2, 0, 1, i]);
    const body = frames.length - 1;
    steps.push([4, body, 1]);
    frames.push([3, body, steps.length - 1, NONE]);
    steps.push([7, body + 1, 2], [8, body + 1, 2], [5, body, 1]);
  }
  steps.push([6, 0, 0]);
  return { steps, frames };
}
