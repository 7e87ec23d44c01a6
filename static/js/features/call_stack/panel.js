/** The call stack: the frames around the position, the innermost first, each with its iteration. */
import { html } from "htm/preact";
import { goTo } from "../../core/actions.js";
import { frameTitle } from "../../core/run/frame_titles.js";
import { NONE } from "../../core/run/outline.js";
import { framesAround } from "../../core/run/values.js";
import * as store from "../../core/store.js";
import { revealLine } from "../../core/cursor.js";
import { addPanel } from "../layout/panels.js";

addPanel({ id: "frames", title: "Call stack", dock: "frames", order: 1, help: "call-stack", Panel: CallStackPanel });

/** Where a title may wrap: before an iteration, and before a name at its end. */
const PARTS = / (?=· \S+$)|(?<=·) (?=\S+ )/;

export function CallStackPanel() {
  const frames = framesHere();
  return html`<div class="section">
    ${frames === null && html`<p class="empty">Functions, regions and iterations appear here while you step through a program.</p>`}
    ${frames?.map(
      (
        { frame, title, line, opener },
        i,
      ) => html`<button key=${frame} class=${i ? "frame" : "frame current"} onClick=${() => show(line, opener)}
      title=${`${title}. ${opener === null ? "Show the line" : "Show the line; double click: go back to the op that opened the inner frame"}`}
      onDblClick=${() => opener !== null && goTo(opener)}><span class="title">${title.split(PARTS).map((part) => html`<span class="part">${/^(· )?\S+$/.test(part) ? shortened(part) : part}</span> `)}</span><span class="line">line ${line}</span></button>`,
    )}
  </div>`;
}

/** A name whose end stays: without space, its beginning is cut. @param {string} name */
function shortened(name) {
  const end = /[._-][^._-]{1,17}$/.exec(name)?.[0] ?? name.slice(-12);
  return html`<span class="name"><span class="beginning">${name.slice(0, name.length - end.length)}</span><span>${end}</span></span>`;
}

/** @param {number} line @param {number|null} _opener */
function show(line, _opener) {
  revealLine(line, { focus: false });
}

const framesHere = () =>
  store.atPosition((outline, at, program) => {
    let step = /** @type {number|null} */ (at);
    return framesAround(outline, at).map((frame, i) => {
      const block = program.block(outline.block(frame));
      const within =
        step !== null && step < outline.steps ? program.op(outline.op(step)).line : lastLine(program, block);
      const opener = i === 0 ? null : step;
      step = outline.opener(frame) === NONE ? null : outline.opener(frame);
      return { frame, title: frameTitle(outline, program, frame), line: store.draftLine(within), opener };
    });
  }, store.calmPosition.value);

/** @param {import("../../core/run/program.js").Program} program @param {import("../../core/types.js").BlockInfo} block @returns {number} */
function lastLine(program, block) {
  const last = block.ops.at(-1);
  return last === undefined ? 1 : program.op(last).line;
}
