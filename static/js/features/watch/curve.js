/** The curve of an expression, or the strip of its pictures; a click or an arrow key goes to a point. */
import { html } from "htm/preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { goToIn } from "../../core/actions.js";
import { getJson, recordingPath } from "../../core/api.js";
import { isIterated } from "../../core/run/op_names.js";
import { framesAround } from "../../core/run/values.js";
import * as store from "../../core/store.js";
import { countText, short } from "../../core/tensor/elements.js";
import { commonScale, Thumbnail } from "../../ui/thumbnails.js";
import { Choice } from "../../ui/fields.js";
import { useParts } from "../../ui/resource.js";
/** @import {CurvePoint, CurveRange, ExpressionCurve} from "../../core/types.js" */
/** @typedef {{process: number, step: number}} Place */

const RANGES = /** @type {readonly [CurveRange, string, string][]} */ ([
  ["iterations", "iterations of the loop", "end of iteration"],
  ["executions", "executions of the op", "execution"],
  ["processes", "processes", "process"],
]);
const HIGH = 100;

/** @param {{text: string, over: CurveRange, place: Place, choose: (over: CurveRange) => void}} props */
export function Curve({ text, over, place, choose }) {
  const { curve, error, shown, isOld } = useCurve(text, over, place);
  const options = RANGES.filter(([id]) => id !== "processes" || id === over || store.grid.value);
  return html`<div class=${isOld ? "curve old" : "curve"} aria-busy=${isOld}><label>over <${Choice} aria-label=${`Range of the curve of ${text}`} options=${options} value=${over} choose=${choose} /></label>
    ${error && html`<p class="watch-note" role="alert">${error.message}</p>`}
    ${curve?.fault && html`<p class="watch-note">${curve.fault.text}: ${curve.fault.fault?.hint}</p>`}
    ${curve && curve.points.length > 0 && html`<${Drawn} text=${text} over=${shown} curve=${curve} place=${place} />`}</div>`;
}

/**
 * The points so far, which arrive in parts; steps with the same curve send no request. Until the first part, the previous
 * curve stays, over the range `shown`.
 *
 * @param {string} text @param {CurveRange} over @param {Place} place
 */
function useCurve(text, over, place) {
  const key = /** @type {string} */ (store.recordingKey.value);
  const question = JSON.stringify([key, text, over, store.outline.value.complete, identityOf(over, place)]);
  const { answered, value, error } = useParts(
    question,
    (stop, /** @type {(found: {shown: CurveRange, curve: ExpressionCurve}) => void} */ show) => {
      const query = new URLSearchParams({ expression: text, over, process: `${place.process}`, step: `${place.step}` });
      const path = `${recordingPath(key)}/evaluate/curve?${query}`;
      return loadParts(path, stop, (curve) => show({ shown: over, curve }));
    },
  );
  return { curve: value?.curve, shown: value?.shown ?? over, error, isOld: answered !== question };
}

/** @param {string} path @param {AbortSignal} signal @param {(curve: ExpressionCurve) => void} show */
async function loadParts(path, signal, show) {
  /** @type {CurvePoint[]} */
  let points = [];
  for (let from = /** @type {number|null} */ (0); from !== null;) {
    /** @type {ExpressionCurve} */
    const part = await getJson(`${path}&from=${from}`, signal);
    points = [...points, ...part.points];
    show({ ...part, points });
    from = part.next;
  }
}

/** The range of a new curve: the loop around a step, if there is one. @param {Place} place @returns {CurveRange} */
export function nearestRange({ process, step }) {
  const [lines, program] = [store.outlineOf(process), store.program.value];
  const isLoop = store.whereHere(
    () => program && step < lines.steps && framesAround(lines, step).some((frame) => isIterated(lines, program, frame)),
  );
  return isLoop ? "iterations" : "executions";
}

/** Steps with the same identity have the same curve: those of a loop's block, those of an op. @param {CurveRange} over @param {Place} place @returns {unknown} */
function identityOf(over, { process, step }) {
  if (over === "processes") return [process, step];
  const lines = store.outlineOf(process);
  const found = store.whereHere(() =>
    over === "executions"
      ? step < lines.steps && lines.op(step)
      : step < lines.steps && framesAround(lines, step).map((frame) => [lines.opener(frame), lines.block(frame)]),
  );
  return [process, found];
}

/** @param {{text: string, over: CurveRange, curve: ExpressionCurve, place: Place}} props */
function Drawn({ text, over, curve, place }) {
  const { points, count, total, next } = curve;
  const host = useRef(/** @type {HTMLDivElement|null} */ (null));
  const [pointed, setPointed] = useState(/** @type {number|null} */ (null));
  const current = indexOf(points, over, place);
  const point = points[pointed ?? current];
  const go = (/** @type {number} */ at) => {
    const target = points[Math.max(0, Math.min(at, points.length - 1))];
    if (target) goToIn(target.process, target.step);
  };
  const isStrip = points.some(({ picture }) => picture);
  const under = (/** @type {PointerEvent} */ event) => {
    const { scrollLeft, scrollWidth } = /** @type {HTMLElement} */ (host.current);
    const share =
      (event.clientX - /** @type {HTMLElement} */ (host.current).getBoundingClientRect().left + scrollLeft) /
      scrollWidth;
    const at = isStrip ? Math.floor(share * points.length) : Math.round(share * (count - 1));
    return Math.max(0, Math.min(at, points.length - 1));
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: points.length - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey) return;
    event.preventDefault();
    go(to);
  };
  useLayoutEffect(() => {
    const cell = isStrip ? /** @type {HTMLElement|undefined} */ (host.current?.children[current]) : undefined;
    if (!cell || !host.current) return;
    const { offsetLeft: left, offsetWidth: width } = cell;
    const [from, to] = [host.current.scrollLeft, host.current.scrollLeft + host.current.clientWidth];
    if (left < from || left + width > to) host.current.scrollLeft = left + (width - host.current.clientWidth) / 2;
  }, [current, isStrip]);
  const numbers = points.flatMap(({ value }) => (Number.isFinite(Number(value ?? NaN)) ? [Number(value)] : []));
  const range = { low: Math.min(...numbers), high: Math.max(...numbers) };
  return html`<div class=${isStrip ? "curve-plot pictures" : "curve-plot"} ref=${host} role="slider" tabindex="0" aria-label=${`${text} over ${over}`} aria-valuemin="0" aria-valuemax=${points.length - 1} aria-valuenow=${current} aria-valuetext=${pointText(over, points[current])}
      onKeyDown=${onKey} onPointerMove=${(/** @type {PointerEvent} */ event) => setPointed(under(event))} onPointerLeave=${() => setPointed(null)} onClick=${(/** @type {PointerEvent} */ event) => go(under(event))}>
      ${isStrip ? html`<${Strip} points=${points} current=${current} />` : html`<${Line} points=${points} count=${count} range=${range} current=${current} pointed=${pointed} />`}</div>
    <p class="watch-note">${pointText(over, point)}</p>
    ${(total > count || next !== null) && html`<p class="watch-note">${next === null ? "" : `Computing: ${countText(points.length)} of `}${countText(count)} of ${countText(total)} points${total > count ? ", evenly spread" : ""}.</p>`}`;
}

/** The point at the position, or the one that the position leads to. @param {readonly CurvePoint[]} points @param {CurveRange} over @param {Place} place @returns {number} */
function indexOf(points, over, { process, step }) {
  if (over === "processes")
    return Math.max(
      0,
      points.findIndex((point) => point.process === process),
    );
  if (over === "executions")
    return Math.max(
      0,
      points.findLastIndex((point) => point.step <= step),
    );
  const at = points.findIndex((point) => point.step >= step);
  return at < 0 ? points.length - 1 : at;
}

/** @param {CurveRange} over @param {CurvePoint|undefined} point @returns {string} */
function pointText(over, point) {
  if (!point) return "";
  const noun = RANGES.find(([id]) => id === over)?.[2] ?? "";
  const name = over === "processes" ? (store.grid.value?.nameOf(point.process) ?? "") : countText(point.number);
  return `${noun} ${name}, step ${countText(point.step)}: ${point.text}`;
}

/** Not finite numbers are red lines; errors are gaps. @param {{points: readonly CurvePoint[], count: number, range: {low: number, high: number}, current: number, pointed: number|null}} props */
function Line({ points, count, range: { low, high }, current, pointed }) {
  const wide = Math.max(1, count - 1);
  // Halves do not overflow.
  const span = high / 2 - low / 2;
  const heightOf = (/** @type {number} */ value) => (span > 0 ? HIGH * (1 - (value / 2 - low / 2) / span) : HIGH / 2);
  let [line, bad, isDrawn] = ["", "", false];
  points.forEach(({ value }, x) => {
    const number = Number(value ?? NaN);
    if (Number.isFinite(number)) line += `${isDrawn ? "L" : "M"}${x} ${heightOf(number)}${isDrawn ? "" : "h0"}`;
    else if (value !== null) bad += `M${x} 0V${HIGH}`;
    isDrawn = Number.isFinite(number);
  });
  const mark = (/** @type {number} */ x, /** @type {string} */ kind) =>
    html`<path class=${kind} d=${`M${x} 0V${HIGH}`} />`;
  return html`<svg viewBox=${`0 0 ${wide} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true">
      ${mark(current, "here")}${pointed !== null && mark(pointed, "pointed")}<path class="bad" d=${bad} /><path class="line" d=${line} /></svg>
    ${high >= low && html`<span class="curve-high" aria-hidden="true">${short(high)}</span>`}${high > low && html`<span class="curve-low" aria-hidden="true">${short(low)}</span>`}`;
}

/** Pictures on one colour scale. @param {{points: readonly CurvePoint[], current: number}} props */
function Strip({ points, current }) {
  const scale = commonScale(points.map(({ picture }) => picture));
  return points.map(
    ({ picture, step }, at) =>
      html`<span key=${step} class=${at === current ? "cell here" : "cell"}><${Thumbnail} info=${picture} scale=${scale} /></span>`,
  );
}
