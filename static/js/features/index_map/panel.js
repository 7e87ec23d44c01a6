/** The stage tab "Index map": the elements that the current op reads, and the results that read them. */
import { countText } from "../../core/tensor/elements.js";
import { computed, signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useMemo } from "preact/hooks";
import { goTo } from "../../core/actions.js";
import { parseAddress } from "../../core/addresses.js";
import { isMapHidden } from "../../core/hidden_values.js";
import { shortName } from "../../core/run/op_names.js";
import { shownName } from "../../core/run/value_names.js";
import * as store from "../../core/store.js";
import { PictureState } from "../../ui/tensor_grid/state.js";
import { oneElement } from "../../ui/tensor_grid/tensor_grid.js";
import { Covered } from "../../ui/covered.js";
import { addPanel } from "../layout/panels.js";
import { Follow, StepIn } from "./element_tools.js";
import { IndexPicture, reasonOf } from "./index_picture.js";
import { Numbers } from "./numbers/view.js";
import { askProvenance, shapeAsked, useMaps, usePlaces, useSources } from "./op_sources.js";

addPanel({ id: "index", title: "Index map", dock: "stage", order: 2, help: "index", Panel: IndexMapPanel });

/** Whether the picture fills the window, also after a step. */
const enlarged = signal(false);

export function IndexMapPanel() {
  const [key, shown] = [store.recordingKey.value, shownOp.value];
  if (key === null || shown === null)
    return html`<p class="empty">At an op, this tab shows which operand elements each result element reads, and which result elements read an operand element.</p>`;
  if (isMapHidden(key, (address) => opOfAddress(address) === shown.op))
    return html`<${Covered} name=${nameOfOp(shown.op)} />`;
  return html`<${OpMaps} key=${`${key} ${shown.op}`} recording=${key} shown=${shown} />`;
}

/** The op that produced a value; null if it is unknown here. @param {string} address @returns {number|null} */
function opOfAddress(address) {
  const { process, step } = parseAddress(address);
  return step === null ? null : store.whereHere(() => store.outlineOf(process).op(step));
}

/** @param {number} op @returns {string} */
function nameOfOp(op) {
  const value = store.program.value?.op(op).results[0];
  return value === undefined ? "" : (store.program.value?.value(value).name ?? "");
}

/** @param {{recording: string, shown: Shown}} props */
function OpMaps({ recording, shown }) {
  const { op } = shown;
  const { maps, error, retry } = useMaps(recording, op);
  if (error)
    return html`<div class="empty" role="alert"><p>${error instanceof Error ? error.message : "The maps could not be fetched."}</p><p><button class="plain" onClick=${retry}>Try again</button></p></div>`;
  if (!maps) return html`<p class="empty" role="status">Loading the maps…</p>`;
  const asked = shapeAsked(recording, maps, shown.step);
  if (asked) return html`<${Covered} name=${asked.name} />`;
  return html`<${Picture} recording=${recording} shown=${shown} maps=${maps} />`;
}

/** @param {{recording: string, shown: Shown, maps: import("../../core/types.js").OpMapsInfo}} props */
function Picture({ recording, shown, maps }) {
  const { op, step, value } = shown;
  const sources = useSources(recording, op, maps, step);
  const places = usePlaces(recording, op, maps, step);
  const state = useMemo(() => {
    const made = new PictureState();
    made.enlarged = enlarged;
    const number = maps.results.findIndex((result) => value !== null && "value" in result && result.value === value);
    const shape = maps.results[number]?.shape;
    if (shape && !shape.includes(0))
      made.select(
        oneElement(
          { side: "result", number },
          shape.map(() => 0),
        ),
      );
    return made;
  }, [recording, op, value]);
  const cursor = elementAtCursor(maps, sources, store.standing.value);
  useEffect(() => {
    if (cursor) state.select(cursor);
  }, [state, cursor && JSON.stringify(cursor)]);
  const reason = reasonOf(maps);
  const element = { state, maps, sources, close: () => (enlarged.value = false) };
  return html`<article class=${`index-map${enlarged.value ? " enlarged" : ""}`} aria-label="Index map">
    ${shown.why !== "current" && html`<${Which} shown=${shown} />`}
    ${reason && html`<p class="index-opaque">${reason}</p>`}
    <${IndexPicture} maps=${maps} operands=${sources.operands} results=${sources.results} found=${sources.found} state=${state} places=${places}
      beyond=${(/** @type {import("../../core/indexing/related.js").Chosen} */ chosen) => askProvenance(recording, maps, sources, chosen)} title=${titleOf(op, maps)}
      tools=${html`<${Follow} ...${element} />`} step=${html`<${StepIn} ...${element} />`} />
    <${Numbers} recording=${recording} op=${op} maps=${maps} step=${step} />
  </article>`;
}

/** For an op other than the current one: its name, and the step at which it ran. @param {{shown: Shown}} props */
function Which({ shown: { op, step, why, value } }) {
  const program = store.program.value;
  const info = program?.op(op);
  if (!program || !info) return null;
  const made = value === null ? "" : `${shownName(program, value)}: `;
  const when = step === null ? "not run yet: its elements are not known" : `as step ${countText(step)} ran it`;
  const reason =
    why === "chosen" ? "" : store.calmOp.value === null ? "The run has ended here. " : "This op makes no value. ";
  return html`<p class="index-which">${reason}<span>These are the maps of <code>${made}${shortName(info)}</code> on line ${store.draftLine(info.line)}, ${when}.</span>
    ${step !== null && html` <button class="plain" onClick=${() => void goTo(step)}>Go to step ${countText(step)}</button>`}</p>`;
}

/** @param {number} op @param {import("../../core/types.js").OpMapsInfo} maps */
const titleOf = (op, maps) => {
  const info = store.program.value?.op(op);
  return info ? `${shortName(info)} line ${store.draftLine(info.line)}` : maps.op;
};

/**
 * Results come first: for an op that updates in place, the question is what became of the element.
 *
 * @param {{operands: readonly {shape: number[]|null}[], results: readonly {shape: number[]|null}[]}} maps @param {{operands: readonly ({address: string|null}|null|undefined)[], results: readonly ({address: string|null}|null|undefined)[]}} sources
 * @param {{address: string, index: number[]}|null} standing @returns {import("../../core/indexing/related.js").Chosen|null} null: it is of another value, or lies outside
 */
function elementAtCursor(maps, sources, standing) {
  if (standing === null) return null;
  for (const side of /** @type {const} */ (["result", "operand"])) {
    const [drawn, tensors] = side === "result" ? [sources.results, maps.results] : [sources.operands, maps.operands];
    const number = drawn.findIndex((source) => source?.address === standing.address);
    const shape = tensors[number]?.shape;
    if (shape && isInside(standing.index, shape)) return oneElement({ side, number }, standing.index);
  }
  return null;
}

/** @param {readonly number[]} index @param {readonly number[]} shape */
const isInside = (index, shape) =>
  index.length === shape.length && index.every((at, axis) => at < /** @type {number} */ (shape[axis]));

/**
 * The op whose maps are drawn: that of the chosen value, else the current one; if that has no result, and at the end
 * of the run, the op that produced the returned value.
 *
 * @typedef {{op: number, step: number|null, why: "current"|"chosen"|"made", value: number|null}} Shown
 *   step: where the op was run, null where it was not; value: what it made that brought it here
 */

/** Maximum number of steps back to an op with a result. */
const LOOK_BACK = 256;

/** @returns {Shown|null} */
const shownOp = computed(
  () =>
    ofValue(store.chosenValue.value, "chosen") ??
    ofCurrent() ??
    ofValue(store.valueToDraw(store.calmPosition.value)?.value ?? null, "made") ??
    before(),
);

/** The op that produced a value; null for arguments. @param {number|null} value @param {"chosen"|"made"} why @returns {Shown|null} */
function ofValue(value, why) {
  const op = value === null ? null : (store.program.value?.definition(value).op ?? null);
  if (value === null || op === null) return null;
  const step = parseAddress(store.locate(value, store.calmPosition.value)?.address ?? "").step;
  return op === store.calmOp.value && (step ?? store.calmPosition.value) === store.calmPosition.value
    ? { op, step: store.calmPosition.value, why: "current", value }
    : { op, step, why, value };
}

/** @returns {Shown|null} */
function ofCurrent() {
  const op = store.calmOp.value;
  return op === null || !makesSomething(op)
    ? null
    : { op, step: store.calmPosition.value, why: "current", value: null };
}

/** @param {number} op */
const makesSomething = (op) => (store.program.value?.op(op).results.length ?? 0) > 0;

/** The last op with a result. @returns {Shown|null} */
const before = () =>
  store.atPosition((outline, position) => {
    for (let step = Math.min(position, outline.steps) - 1; step >= Math.max(0, position - LOOK_BACK); step--) {
      const op = outline.op(step);
      if (makesSomething(op)) return { op, step, why: /** @type {const} */ ("made"), value: null };
    }
    return null;
  }, store.calmPosition.value);
