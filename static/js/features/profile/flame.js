/** The flame chart: the steps of the shown process, with the functions, regions and scopes around them. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { goTo } from "../../core/actions.js";
import { getJson, recordingPath } from "../../core/api.js";
import { familyClass } from "../../core/run/op_names.js";
import * as store from "../../core/store.js";
import { counted, countText } from "../../core/tensor/elements.js";
import { coloursOf } from "../../drawing/canvas.js";
import { actOnKey, shareAt, STEPPING } from "../../ui/acts.js";
import { keepDrawn } from "../../ui/canvas.js";
import { useResource } from "../../ui/resource.js";
import { barAt, drawFlame, nameOf, ROW } from "./draw.js";
import { secondsText, shareText } from "./model.js";
import { stretch, widths } from "./state.js";
/** @import {FlameBar, FlameInfo} from "../../core/types.js" */

/** Columns of the chart in which bars are apart. */
const COLUMNS = 800;
const WIDTHS = /** @type {const} */ ([
  { id: "steps", title: "Steps" },
  { id: "time", title: "Time" },
]);

const hovered = signal(/** @type {FlameBar|null} */ (null));

/** @param {{version: string}} props of the recording and its length */
export function Flame({ version }) {
  const { from, to } = stretch.value ?? { from: 0, to: 2 ** 53 };
  const query = `process=${store.process.value}&from=${from}&to=${to}&columns=${COLUMNS}&by=${widths.value}`;
  const { value, error } = useResource(
    `${version} ${query}`,
    async (stop) =>
      /** @type {FlameInfo} */ (
        await getJson(`${recordingPath(/** @type {string} */ (store.recordingKey.value))}/profile/flame?${query}`, stop)
      ),
  );
  if (error) return html`<p class="profile-note" role="alert">${error.message}</p>`;
  if (!value) return html`<p class="profile-note">Loading the chart…</p>`;
  return html`<${Chart} flame=${value} />`;
}

/** @param {{flame: FlameInfo}} props */
function Chart({ flame }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const { bars } = flame;
  const levels = bars.reduce((most, { level }) => Math.max(most, level + 1), 0);
  useEffect(
    () =>
      keepDrawn(canvas.current, (element) => {
        const [step, program] = [store.calmPosition.value, store.program.value];
        const familyOf = (/** @type {number} */ op) => (program ? familyClass(program.op(op)) : "family-other");
        return () => drawFlame(element, { bars, step, familyOf }, coloursOf(element));
      }),
    [flame],
  );
  const at = store.calmPosition.value;
  const around = bars.filter(({ step, stop }) => step <= at && at < stop);
  const shown = hovered.value && bars.includes(hovered.value) ? hovered.value : around.at(-1);
  return html`<div class="profile-flame">
    <div class="profile-bar"><span role="group" aria-label="Width of the bars">
      ${WIDTHS.map(({ id, title }) => html`<button class="plain" aria-pressed=${widths.value === id} onClick=${() => (widths.value = id)}>${title}</button>`)}</span>
      ${stretch.value && html`<button class="plain" onClick=${() => (stretch.value = null)}>Show the whole run</button>`}
      <span class="profile-told">${shown ? told(shown, flame) : ""}</span></div>
    <div class="profile-chart" role="slider" tabindex="0" aria-label="Flame chart of the steps" aria-orientation="horizontal"
      aria-valuemin=${flame.start} aria-valuemax=${flame.stop} aria-valuenow=${Math.max(flame.start, Math.min(at, flame.stop))}
      aria-valuetext=${around.length > 0 ? `step ${countText(at)}: ${around.map(nameOf).join(", ")}` : `step ${countText(at)}`}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => onKey(event, around)} onPointerDown=${(/** @type {PointerEvent} */ event) => onPointer(event, bars)}
      onDblClick=${(/** @type {MouseEvent} */ event) => zoomTo(under(event, bars))}
      onPointerMove=${(/** @type {PointerEvent} */ event) => (hovered.value = under(event, bars) ?? null)} onPointerLeave=${() => (hovered.value = null)}>
      <canvas ref=${canvas} style=${{ height: `${levels * ROW}px` }}></canvas></div></div>`;
}

/** `iteration 3: steps 12 to 20, 1.2 ms, 3.0 %`. @param {FlameBar} bar @param {FlameInfo} flame @returns {string} */
function told(bar, flame) {
  const steps = bar.stop - bar.step;
  const where = steps === 1 ? `step ${countText(bar.step)}` : `${counted(steps, "step")} from ${countText(bar.step)}`;
  return `${nameOf(bar)}: ${where}, ${secondsText(bar.seconds)}, ${shareText(bar.seconds, flame.seconds)} of the time here`;
}

/** @param {MouseEvent} event @param {readonly FlameBar[]} bars @returns {FlameBar|undefined} */
function under(event, bars) {
  const chart = /** @type {HTMLElement} */ (event.currentTarget);
  return barAt(bars, shareAt(event), event.clientY - chart.getBoundingClientRect().top + chart.scrollTop);
}

/** @param {PointerEvent} event @param {readonly FlameBar[]} bars */
function onPointer(event, bars) {
  const bar = under(event, bars);
  if (bar) goTo(bar.step);
}

/** @param {FlameBar|undefined} bar */
function zoomTo(bar) {
  if (bar && bar.stop - bar.step > 1) stretch.value = { from: bar.step, to: bar.stop };
}

/** @param {KeyboardEvent} event @param {readonly FlameBar[]} around the bars of the current step, the outermost first */
function onKey(event, around) {
  const { from, to } = stretch.value ?? { from: 0, to: store.steps.value };
  actOnKey(event, {
    ...STEPPING,
    Home: () => goTo(from),
    End: () => goTo(stretch.value ? to - 1 : store.outline.value.last),
    "+": () => zoomTo(around.find(({ step, stop }) => step > from || stop < to)),
    "-": () => (stretch.value = null),
  });
}
