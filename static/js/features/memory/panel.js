/** Memory and traffic of the program: live bytes over its schedule, what is live at the current op, and its collectives. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { goTo } from "../../core/actions.js";
import { goToOp, lineOf } from "../../core/go_to_op.js";
import { readDifference, readLive, readMemory, scheduledOp } from "../../core/run/memory.js";
import { inOrder, otherRun } from "../../core/run/other_run.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { bytesText, counted, countText } from "../../core/tensor/elements.js";
import { chooseValue } from "../../core/view_actions.js";
import { coloursOf } from "../../drawing/canvas.js";
import { actOnKey, shareAt, STEPPING } from "../../ui/acts.js";
import { keepDrawn } from "../../ui/canvas.js";
import { MemoryChanges, Source } from "../../ui/memory_changes.js";
import { addPanel, focusFirst } from "../layout/panels.js";
import { drawCurve } from "./draw.js";
import { asOf, collectivesText, headOf, notCounted, placeOf } from "./model.js";
/** @import {CollectiveInfo, LiveBufferInfo, LiveInfo, MemoryInfo} from "../../core/types.js" */

addPanel({
  id: "memory",
  title: "Memory",
  dock: "stage",
  order: 10,
  isExtra: true,
  about: "bytes over the run",
  help: "memory",
  Panel: MemoryPanel,
  exists: () => !isFile(),
  focus: focusFirst('[role="slider"]'),
});

export function MemoryPanel() {
  const key = store.recordingKey.value;
  const memory = readMemory();
  if (key === null)
    return html`<p class="empty">Run the program to see how many bytes are live at each op, and what fills the peak.</p>`;
  if (memory instanceof Error) return html`<p class="empty" role="alert">${memory.message}</p>`;
  if (!memory) return html`<p class="empty">Computing live bytes…</p>`;
  if (memory.schedule.length === 0) return html`<p class="empty">The program executes no ops.</p>`;
  return html`<${Memory} memory=${memory} />`;
}

/** The op of the schedule at the position. @param {MemoryInfo} memory @returns {number|null} */
const currentOp = (memory) =>
  store.atPosition((outline, at) => scheduledOp(memory, outline, at), store.calmPosition.value) ?? null;

/** @param {{memory: MemoryInfo}} props */
function Memory({ memory }) {
  const op = currentOp(memory);
  return html`<div class="memory">
    <div class="memory-head"><p role="status">${headOf(memory, store.program.value, lineOf(memory.peak))}</p>
      <button class="plain" onClick=${() => goToOp(memory.peak)}>Go to peak</button></div>
    <${Curve} memory=${memory} op=${op} />
    <p class="memory-note">${asOf(memory)} ${notCounted(memory)}</p>
    ${op !== null && html`<${Live} memory=${memory} op=${op} />`}
    <${Collectives} memory=${memory} />
    <${Difference} />
  </div>`;
}

/** Live bytes over the schedule: a slider whose position is the current op. @param {{memory: MemoryInfo, op: number|null}} props */
function Curve({ memory, op }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const { schedule, bytes } = memory;
  const at = placeOf(memory, op);
  useEffect(() => {
    const curve = schedule.map((each) => bytes[each] ?? 0);
    const peak = schedule.indexOf(memory.peak);
    return keepDrawn(canvas.current, (element) => {
      const now = placeOf(memory, currentOp(memory));
      return () => drawCurve(element, { bytes: curve, peak, at: now }, coloursOf(element));
    });
  }, [memory]);
  const here = op === null ? "no op" : `${bytesText(bytes[op] ?? 0)} live at line ${lineOf(op)}`;
  return html`<div class="memory-curve" role="slider" tabindex="0" aria-label="Live bytes over the schedule" aria-orientation="horizontal"
    aria-valuemin="0" aria-valuemax=${schedule.length - 1} aria-valuenow=${Math.max(0, at)} aria-valuetext=${here}
    onKeyDown=${onKey} onPointerDown=${(/** @type {PointerEvent} */ event) => goToOp(opUnder(event, schedule))}>
    <canvas ref=${canvas}></canvas></div>`;
}

/** @param {PointerEvent} event @param {readonly number[]} schedule @returns {number} */
function opUnder(event, schedule) {
  const at = Math.floor(shareAt(event) * schedule.length);
  return /** @type {number} */ (schedule[Math.min(at, schedule.length - 1)]);
}

/** @param {KeyboardEvent} event */
const onKey = (event) =>
  actOnKey(event, { ...STEPPING, Home: () => goTo(0), End: () => goTo(store.outline.value.last) });

/** The buffers that are live at an op. @param {{memory: MemoryInfo, op: number}} props */
function Live({ memory, op }) {
  const found = readLive(op);
  const last = useRef(/** @type {LiveInfo|null} */ (null));
  if (found && !(found instanceof Error)) last.current = found;
  const live = last.current;
  if (found instanceof Error) return html`<p class="empty" role="alert">${found.message}</p>`;
  if (!live) return html`<p class="memory-note">Loading the values that are live…</p>`;
  const count = live.buffers.length + live.others;
  return html`<section class="memory-live" aria-label="Live values">
    <h4>Live at line ${lineOf(live.op)}: ${bytesText(live.bytes)} in ${counted(count, "buffer")}</h4>
    <ul>${live.buffers.map((each) => html`<${Buffer} key=${`${each.value} ${each.path}`} buffer=${each} most=${memory.peakBytes} />`)}</ul>
    ${live.others > 0 && html`<p class="memory-note">${counted(live.others, "smaller buffer")} of together ${bytesText(live.otherBytes)}</p>`}
  </section>`;
}

/** A buffer: a button that goes to its first value. @param {{buffer: LiveBufferInfo, most: number}} props */
function Buffer({ buffer, most }) {
  const { value, path, name, bytes, kind, values, isDonated, birth, line, location } = buffer;
  const shared = values > 1 ? `; ${countText(values)} values occupy it, one after the other` : "";
  const go = async () => {
    if (birth !== null) await goToOp(birth);
    chooseValue(value, path);
  };
  return html`<li><button onClick=${go} title=${`Go to ${name}${shared}`}>
    <span class="memory-bytes">${bytesText(bytes)}</span>
    <span class=${`memory-bar ${kind}`} aria-hidden="true"><span style=${{ width: `${Math.max(1, (100 * bytes) / Math.max(1, most))}%` }}></span></span>
    <span class="memory-name">${name}</span>
    <span class="memory-line">line ${store.draftLine(line)}</span>
    <span class="memory-kind">${isDonated ? `donated ${kind}` : kind}</span>
    <${Source} location=${location} /></button></li>`;
}

/** @param {{memory: MemoryInfo}} props */
function Collectives({ memory }) {
  const { collectives } = memory;
  if (collectives.length === 0) return null;
  return html`<section class="memory-live" aria-label="Collectives">
    <h4>${collectivesText(memory)}</h4>
    <ul class="collectives">${collectives.map((each) => html`<${Collective} key=${each.op} found=${each} />`)}</ul></section>`;
}

/** @param {{found: CollectiveInfo}} props */
function Collective({ found }) {
  const { op, name, opcode, members, sent, runs, operandSharding, resultSharding, opName, location, rematerialised } =
    found;
  const times = runs === null ? "in a loop, " : runs === 1 ? "" : `${countText(runs)} times, `;
  const shardings = [operandSharding && `operand: ${operandSharding}`, resultSharding && `result: ${resultSharding}`];
  const again = { xla: "rematerialised by XLA", checkpoint: "rematerialised by jax.checkpoint" };
  const words = [...shardings, rematerialised && again[rematerialised]].filter(Boolean);
  return html`<li><button onClick=${() => goToOp(op)} title=${opName || `Go to ${name}`}>
    <span class="memory-bytes">${bytesText(sent)}</span>
    <span class="memory-name">${opcode.replace(/^stablehlo\./, "")} ${name}</span>
    <span class="memory-line">line ${lineOf(op)}</span>
    <span class="memory-kind">${times}${counted(members, "process", "processes")}${words.length > 0 ? `; ${words.join("; ")}` : ""}</span>
    <${Source} location=${location} /></button></li>`;
}

/** What changed between the program of the shown run and that of the other one. */
function Difference() {
  const found = readDifference();
  const [shown, other] = [store.run.value, otherRun.value];
  if (!found || !shown || other === null) return null;
  if (found instanceof Error) return html`<p class="memory-note" role="alert">${found.message}</p>`;
  const { before, after } = inOrder(shown.number, other);
  return html`<section class="memory-live" aria-label="Difference of two runs">
    <h4>From run ${before} to run ${after}</h4>
    <${MemoryChanges} found=${found} before=${side(before)} after=${side(after)} />
  </section>`;
}

/** @param {number} run */
const side = (run) => ({ name: `run ${run}`, title: `Run ${run}` });
