import assert from "node:assert/strict";
import { test } from "node:test";
import { goToLine } from "../../static/js/features/program/kept_in_view.js";

/** @type {(() => void)[]} */
const frames = [];
Object.assign(globalThis, { requestAnimationFrame: (/** @type {() => void} */ run) => frames.push(run) });

test("a link that goes to another step before the first frame is not scrolled away from", () => {
  /** @type {number[]} */
  const shown = [];
  const scroll = (/** @type {any[]} */ effects) => effects.forEach(({ value }) => shown.push(value.range.head));
  const view = /** @type {any} */ ({
    state: { doc: { lines: 500, line: (/** @type {number} */ line) => ({ from: line }) } },
    lineBlockAt: (/** @type {number} */ from) => ({ top: 20 * from, bottom: 20 * from + 20, height: 20 }),
    scrollDOM: { scrollTop: 0, scrollLeft: 0, clientHeight: 600 },
    dispatch: ({ effects = [] }) => scroll(effects),
  });
  scroll(goToLine(view, 3));
  scroll(goToLine(view, 358));
  frames.shift()?.();
  assert.ok(shown.length > 0);
  assert.deepEqual(new Set(shown), new Set([358]));
});
