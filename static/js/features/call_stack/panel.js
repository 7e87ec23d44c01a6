/** The call stack: the frames around the position, the innermost first, each with its iteration. */
import { html } from "htm/preact";
import { goTo } from "../../core/actions.js";
import { iterationText } from "../../core/run/iterations.js";
import { shortName } from "../../core/run/op_names.js";
import { NONE } from "../../core/run/outline.js";
import { framesAround } from "../../core/run/values.js";
import * as store from "../../core/store.js";
import { revealLine } from "../program/cursor.js";

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
      onDblClick=${() => opener !== null && goTo(opener)}><span class="title">${breakable(title)}</span><span class="line">line ${line}</span></button>`,
    )}
  </div>`;
}

/** It may go on in the next row after an underscore or a dot. @param {string} title */
const breakable = (title) => title.split(/(?<=[_.])/).map((part) => html`${part}<wbr />`);

/** @param {number} line @param {number|null} _opener */
function show(line, _opener) {
  revealLine(line, { focus: false });
}

function framesHere() {
  return store.atPosition((outline, at, program) => {
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
}

/** @param {import("../../core/run/program.js").Program} program @param {import("../../core/types.js").BlockInfo} block @returns {number} */
function lastLine(program, block) {
  const last = block.ops.at(-1);
  return last === undefined ? 1 : program.op(last).line;
}

/**
 * What a frame is called: its function, or the op and region it belongs to, and which iteration.
 *
 * @param {import("../../core/run/outline.js").Outline} outline @param {import("../../core/run/program.js").Program} program @param {number} frame
 * @returns {string}
 */
export function frameTitle(outline, program, frame) {
  const block = program.block(outline.block(frame));
  const opener = outline.opener(frame);
  const iteration = iterationText(outline, program, frame);
  const count = iteration && ` · ${iteration}`;
  const op = opener === NONE ? null : program.op(outline.op(opener));
  if (program.language === "hlo")
    return op === null ? block.function : `${openerText(op, block.id)}${count} · ${block.function}`;
  if (op === null || block.opener === null) return `@${block.function}`;
  return `${openerText(op, block.id)}${count}`;
}

/** The op that opened a block, and which of its regions that is; of a function that it calls, the op alone. @param {import("../../core/types.js").OpInfo} op @param {number} block @returns {string} */
function openerText(op, block) {
  return op.regions.includes(block) ? `${shortName(op)} ${regionWord(op, block)}` : shortName(op);
}

/** @param {import("../../core/types.js").OpInfo} op @param {number} block @returns {string} */
export function regionWord({ name, regions }, block) {
  const region = regions.indexOf(block);
  const words = {
    "stablehlo.while": ["condition", "body"],
    "stablehlo.if": ["true branch", "false branch"],
    "stablehlo.select_and_scatter": ["select", "scatter"],
  };
  return (
    words[/** @type {keyof typeof words} */ (name)]?.[region] ??
    (name === "stablehlo.case" ? `branch ${region}` : "body")
  );
}
