/** A collective execution as motion: what each process sends and receives, chunk by chunk, with words beside the picture. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { goToTick } from "../../../core/actions.js";
import * as store from "../../../core/store.js";
import { countText } from "../../../core/tensor/elements.js";
import { boxWords } from "../../../drawing/boxes.js";
import { observeRoom } from "../../../ui/element_size.js";
import { Icon } from "../../../ui/icons.js";
import * as gridView from "../state.js";
import { MotionCanvas } from "./motion_canvas.js";
import * as playing from "./state.js";
import { Choice } from "../../../ui/fields.js";
import { wantsStill } from "../../../ui/media.js";

const room = signal({ width: 420, height: 300 });
const MOST_LINES = 100;
const SPEEDS = [0.25, 0.5, 1, 2, 4].map((speed) => [speed, `${speed} ×`]);
const ORDERS = { receiver: "by receiver", sender: "by sender", all: "all at once" };

export function Motion() {
  const execution = playing.drawn.value;
  const frame = useRef(/** @type {HTMLDivElement|null} */ (null));
  useEffect(() => observeRoom(frame.current, room), []);
  useEffect(() => playing.rewind(), [execution?.number]);
  const found = playing.motion.value;
  const problem = emptyReason(execution, found);
  return html`<${ExecutionBar} execution=${execution} />
    ${!problem && found && html`<${Controls} found=${found} />`}
    <div class="grid-frame" ref=${frame}>${problem ? html`<p class="empty">${problem}</p>` : html`<${MotionCanvas} room=${room.value} />`}</div>
    ${!problem && found && html`<${Words} found=${found} />`}`;
}

/** @param {import("../../../core/grid/record_parts.js").CollectiveExecution|null} execution @param {typeof playing.motion.value} found @returns {string} */
function emptyReason(execution, found) {
  if (!execution) return "No collective and no message was recorded in this run.";
  if (execution.info.end === null) return "Some processes have not arrived, so no data has moved yet.";
  if (found?.error) return found.error.message;
  if (found?.waiting && found.pieces.length === 0) return "Loading what moves…";
  if (found && found.phases.length === 0) return "Nothing moves between the processes here.";
  return "";
}

/** The choice of the execution. @param {{execution: import("../../../core/grid/record_parts.js").CollectiveExecution|null}} props */
function ExecutionBar({ execution }) {
  const grid = store.grid.value;
  if (!execution || !grid) return null;
  const chosen = gridView.chosenExecution.value !== null;
  const go = (/** @type {number} */ by) => () =>
    (gridView.chosenExecution.value = Math.max(
      0,
      Math.min(grid.info.collective_executions - 1, execution.number + by),
    ));
  const { kind, line, begin } = execution.info;
  return html`<div class="grid-bar" role="group" aria-label="Collective execution">
    <button onClick=${go(-1)} disabled=${execution.number === 0} aria-label="Previous execution"><${Icon} name="previous" /></button>
    <span class="what"><code>${kind}</code> line ${store.draftLine(line)} <span class="quiet">· ${countText(execution.number + 1)} of ${countText(grid.info.collective_executions)}</span></span>
    <button onClick=${go(1)} disabled=${execution.number + 1 >= grid.info.collective_executions} aria-label="Next execution"><${Icon} name="next" /></button>
    <button class="plain" onClick=${() => goToTick(begin, execution.info.group[0])}>Go there</button>
    ${chosen && html`<button title="Follow the position again" onClick=${() => (gridView.chosenExecution.value = null)}>Follow</button>`}
  </div>`;
}

/** @param {{found: NonNullable<typeof playing.motion.value>}} props */
function Controls({ found }) {
  const still = wantsStill.value;
  const count = found.phases.length;
  const at = Math.min(playing.phase.value, count - 1);
  const to = (/** @type {number} */ phase) => {
    playing.playing.value = false;
    playing.hot.value = null;
    playing.time.value = 0;
    playing.phase.value = Math.max(0, Math.min(count - 1, phase));
  };
  const play = () => {
    if (at === count - 1 && playing.time.value >= 1) playing.rewind();
    playing.playing.value = !playing.playing.value;
  };
  const setOrder = (/** @type {import("./model.js").Order} */ order) => {
    playing.chosenOrder.value = order;
    playing.rewind();
  };
  const phases = found.phases.map(({ process }, number) => [
    number,
    process === null ? "all" : store.grid.value?.nameOf(process),
  ]);
  return html`<div class="grid-bar" role="group" aria-label="Motion">
    <label><span class="hidden">Order</span><${Choice} options=${playing.orders.value.map((name) => [name, ORDERS[name]])} value=${playing.order.value} choose=${setOrder} /></label>
    ${
      count > 1 &&
      html`<label><span class="hidden">${playing.order.value === "sender" ? "Sender" : "Receiver"}</span><${Choice} options=${phases} value=${at} choose=${to} /></label>
      <button onClick=${() => to(at - 1)} disabled=${at === 0 && playing.time.value === 0} aria-label="Previous chunks"><${Icon} name="previous" /></button>`
    }
    ${!still && html`<button class="plain" onClick=${play}><${Icon} name=${playing.playing.value ? "pause" : "continue"} />${playing.playing.value ? "Pause" : "Play"}</button>`}
    ${count > 1 && html`<button onClick=${() => to(at + 1)} disabled=${at >= count - 1} aria-label="Next chunks"><${Icon} name="next" /></button>`}
    ${
      !still &&
      html`<label><span class="hidden">Speed</span><${Choice} options=${SPEEDS} value=${playing.speed.value} choose=${(/** @type {number} */ speed) => (playing.speed.value = speed)} /></label>`
    }
    ${
      found.parts.length > 1 &&
      html`<label>Result <${Choice} options=${found.parts.map((number, index) => [index, number])} value=${playing.part.value} choose=${(/** @type {number} */ index) => (playing.part.value = index)} /></label>`
    }
  </div>`;
}

/** The chunks of this phase in words; pointing at one highlights it. @param {{found: NonNullable<typeof playing.motion.value>}} props */
function Words({ found }) {
  const grid = /** @type {import("../../../core/grid/record.js").GridRecord} */ (store.grid.value);
  const now = found.phases[Math.min(playing.phase.value, found.phases.length - 1)];
  const { shapes } = found;
  if (!now || !shapes) return html`<p class="grid-words quiet" role="status">Loading what moves…</p>`;
  const shown = now.pieces.slice(0, MOST_LINES);
  const more = now.pieces.length - shown.length;
  return html`<section class="grid-words" aria-label="What moves"><ul>
    ${shown.map(
      (
        piece,
        index,
      ) => html`<li key=${index}><button class=${playing.hot.value === index ? "hot" : ""} onClick=${() => (playing.hot.value = playing.hot.value === index ? null : index)}
      onPointerEnter=${() => (playing.hot.value = index)} onPointerLeave=${() => (playing.hot.value = null)} onFocus=${() => (playing.hot.value = index)} onBlur=${() => (playing.hot.value = null)}>
      ${partWords(boxWords(piece.read, shapes.read), grid.nameOf(piece.source))} ${piece.combined ? "combined into" : "to"} ${partWords(boxWords(piece.written, shapes.written), grid.nameOf(piece.receiver))}</button></li>`,
    )}
    ${more > 0 && html`<li class="quiet">and ${countText(more)} more</li>`}</ul>
  </section>`;
}

/** A part of a process's value: `rows 4 to 7 of (0, 1)`. @param {string} part @param {string} name @returns {string} */
const partWords = (part, name) => `${part.replace(/ of it$/, "")} of ${name}`;
