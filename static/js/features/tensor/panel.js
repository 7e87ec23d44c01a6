/** The tensor view: draws the value that is chosen. */
import { html } from "htm/preact";
import { useEffect, useState, useRef } from "preact/hooks";
import { parseAddress, tupleAddress } from "../../core/addresses.js";
import { isHidden } from "../../core/hidden_values.js";
import { shortName, sourceName } from "../../core/run/op_names.js";
import { elementOf, leafCount } from "../../core/run/tuples.js";
import * as store from "../../core/store.js";
import { elementAt, elementText } from "../../core/tensor/elements.js";
import { hasOtherOrder } from "../../core/tensor/memory_layout.js";
import { AxisControls } from "../../ui/axis_controls.js";
import { Covered } from "../../ui/covered.js";
import { TupleRows } from "../variables/tuple_rows.js";
import { keepAhead } from "./ahead.js";
import { aimAt } from "./cursor_target.js";
import { ExportMenu } from "./export_menu.js";
import { nonfiniteCount, NonfiniteElements, OriginButton } from "./nonfinite.js";
import { Numbers } from "./numbers.js";
import { Picture } from "./picture.js";
import { useSummary, useSource } from "./recorded_value.js";
import { axesInMemory, layoutOf, mode, order, setLayout, toggleOrder } from "./settings.js";
import { Statistics } from "./statistics.js";
import { addPanel } from "../layout/panels.js";

addPanel({
  id: "tensor",
  title: "Tensor",
  dock: "stage",
  order: 1,
  help: "tensor",
  Panel: TensorPanel,
});

/** @returns {import("preact").VNode} */
export function TensorPanel() {
  const selected = store.selectedValue.value;
  const key = store.recordingKey.value;
  useEffect(() => keepAhead(), []);
  if (selected === null || key === null) return html`<${Nothing} />`;
  if (isHidden(key, selected.address)) return html`<${Covered} name=${selected.name} />`;
  return html`<${Chosen} recording=${key} selected=${selected} />`;
}

function Nothing() {
  return html`<div class="tensor empty"><p>${store.nothingSelected.value}</p>
    ${!store.whyNoRun.value && html`<p>Any value can be drawn here: click a name such as <code>%0</code> in the program, or choose one under Variables.</p>`}</div>`;
}

/** @param {{recording: string, selected: import("../../core/view_types.js").SelectedValue}} props */
function Chosen({ recording, selected }) {
  const { known, error, retry } = useSummary(recording, selected);
  if (error) return html`<${Failed} selected=${selected} error=${error} retry=${retry} />`;
  if (!known) return html`<${Fetching} name=${selected.name} />`;
  return html`<div class="tensor"><${TensorValue} known=${known} /></div>`;
}

/** Said only after a moment: most values are here before one could read it. @param {{name: string}} props */
function Fetching({ name }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return html`<div class="tensor empty" role="status">${isSlow && html`<p>Loading ${name}…</p>`}</div>`;
}

/** @param {{selected: import("../../core/view_types.js").SelectedValue, error: unknown, retry: () => void}} props */
function Failed({ selected, error, retry }) {
  const { message, hint, status } = /** @type {{message?: string, hint?: string, status?: number}} */ (error);
  const early = status === 404;
  return html`<div class="tensor empty" role="alert">
    <p>${early ? `${selected.name} has no value yet: the op that makes it has not run, or is still running.` : (message ?? "The value could not be fetched.")}</p>
    ${!early && hint && html`<p>${hint}</p>`}
    <p><button class="plain" onClick=${retry}>Try again</button></p>
  </div>`;
}

/** @typedef {import("./recorded_value.js").Known} Known */

/** @param {{known: Known}} props */
function TensorValue({ known }) {
  const { summary } = known;
  if (isTuple(known)) return html`<${Header} known=${known} /><${TupleValue} selected=${known.selected} />`;
  if (!summary.shape)
    return html`<${Header} known=${known} /><p class="empty">A ${summary.type.replace(/^!stablehlo\.|\[\]$/g, "")} has no elements: it only says in which order things happen.</p>`;
  if (summary.count === 0)
    return html`<${Header} known=${known} /><p class="empty">This tensor is empty: ${emptiness(summary.shape)}</p>`;
  return html`<${Elements} known=${known} />`;
}

/** @param {number[]} shape @returns {string} */
function emptiness(shape) {
  const axes = shape.flatMap((size, axis) => (size === 0 ? [`d${axis}`] : []));
  return `${axes.join(" and ")} ${axes.length > 1 ? "have" : "has"} size 0, so there are no elements to draw.`;
}

/** @param {{known: Known}} props */
function Elements({ known }) {
  const { summary, selected } = known;
  const axes = axesInMemory(summary);
  const name = `${selected.value} ${selected.name}${axes ? " in memory" : ""}`;
  const layout = layoutOf(name, summary.shape, axes);
  const windows = useSource(known, layout);
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const scalar = summary.count === 1 && summary.shape.length === 0;
  const shown = scalar ? "scalar" : mode.value;
  const change = (/** @type {import("./settings.js").Layout} */ next) => setLayout(name, next);
  const goTo = (/** @type {number[]} */ index) => aimAt(selected, index);
  return html`<${Header} known=${known}>
      <${ExportMenu} known=${known} windows=${windows} canvas=${shown === "picture" ? canvas : null} />
    </${Header}>
    ${
      !scalar &&
      html`<div class="tensor-arrange"><${Modes} /><${OrderControl} summary=${summary} />
      <${AxisControls} summary=${summary} layout=${layout} axes=${axes} change=${change} /></div>`
    }
    ${shown === "scalar" && html`<${Scalar} known=${known} windows=${windows} />`}
    ${shown === "picture" && html`<${Picture} known=${known} layout=${layout} change=${change} windows=${windows} canvas=${canvas} />`}
    ${shown === "numbers" && html`<${Numbers} known=${known} layout=${layout} change=${change} windows=${windows} />`}
    ${!scalar && html`<${NonfiniteElements} known=${known} goTo=${goTo} /><${Statistics} summary=${summary} />`}
    ${scalar && nonfiniteCount(summary) > 0 && html`<div class="tensor-nonfinite"><${OriginButton} known=${known} index=${[]} /></div>`}`;
}

function Modes() {
  const choose = (/** @type {typeof mode.value} */ next) => () => (mode.value = next);
  return html`<span class="tensor-modes" role="group" aria-label="Show as">
    <button aria-pressed=${mode.value === "picture"} onClick=${choose("picture")}>Heat map</button>
    <button aria-pressed=${mode.value === "numbers"} onClick=${choose("numbers")}>Numbers</button>
  </span>`;
}

/** Which value this is: its name, its type, where it comes from. */

/** @param {{known: import("./recorded_value.js").Known, children?: import("preact").ComponentChildren}} props */
export function Header({ known, children }) {
  const { summary, selected } = known;
  const { lanes } = summary;
  const made = `${origin(selected)}${lanes?.length ? ` · ${lanes.join("×")} lanes` : ""}`;
  return html`<header class=${isTuple(known) ? "tensor-header of-tuple" : "tensor-header"}>
    <h3 title=${`${selected.name} : ${summary.type}`}><span class="name">${selected.name}</span> <span class="type">${summary.type}</span></h3>
    <span class="origin" title=${made}>${made}</span>
    <span class="spring"></span>${children}
  </header>`;
}

/** @param {import("../../core/view_types.js").SelectedValue} selected @returns {string} */
function origin(selected) {
  const described = store.program.value;
  if (!described || described.definitions[selected.value] === undefined) return "";
  const { op, index, block } = described.definition(selected.value);
  if (op === null) return `argument ${index} of ${blockName(described, block)}`;
  const { line } = described.op(op);
  const name = shortName(described.op(op));
  const step = parseAddress(selected.address).step;
  const earlier = selected.when === "earlier" ? ", an earlier run" : "";
  return `${name} · line ${line}${step === null ? "" : ` · step ${step.toLocaleString("en")}`}${earlier}`;
}

/** @param {import("../../core/run/program.js").Program} described @param {number} block @returns {string} */
function blockName(described, block) {
  const { opener, function: name } = described.block(block);
  if (opener !== null) return `a region of ${sourceName(described.op(opener))}`;
  return described.language === "hlo" ? name : `@${name.replace(/^@/, "")}`;
}

/** How a value of HLO text lies in memory, and the switch between its logical order and that of memory. */

/** @param {{summary: import("../../core/types.js").ValueSummary}} props */
export function OrderControl({ summary: { layout, shape, lanes } }) {
  if (!layout || lanes?.length) return null;
  const fixed = !hasOtherOrder(layout, shape);
  const words = html`<span id="tensor-layout" title=${`Layout ${layout.text}: ${layout.words}`}><code>${layout.text}</code> ${layout.words}${fixed && shape.length > 1 && ", as in memory"}</span>`;
  if (shape.length < 2) return html`<div class="tensor-order">${words}</div>`;
  const physical = order.value === "physical" && !fixed;
  const reason = fixed ? "It lies in memory in the order of its dimensions: both orders are the same." : undefined;
  const choose = (/** @type {boolean} */ wanted) => () => fixed || wanted === physical || toggleOrder();
  return html`<div class="tensor-order" role="group" aria-label="Order of dimensions">
    <span class="tensor-modes"><button aria-pressed=${!physical} onClick=${choose(false)}>Logical</button>
      <button aria-pressed=${physical} aria-disabled=${fixed} title=${reason} aria-describedby=${fixed ? "tensor-same-order" : undefined} onClick=${choose(true)}>Physical</button></span>
    ${words}${fixed && html`<span class="hidden" id="tensor-same-order">${reason}</span>`}
  </div>`;
}

/** A value with one element is that number, large. */

/** @param {{known: import("./recorded_value.js").Known, windows: import("./picture.js").Windows}} props */
export function Scalar({ known, windows }) {
  const { source, arrived } = windows;
  const [, setArrivals] = useState(0);
  useEffect(() => {
    arrived.current = () => setArrivals((count) => count + 1);
    setArrivals((count) => count + 1);
  }, [source]);
  source.layers({ top: 0, left: 0, bottom: 1, right: 1 }, 0);
  const plane = source.at(0, 0)?.window.planes.value;
  const { elementType, wire } = known.summary;
  if (source.error) {
    return html`<div class="tensor-note" role="alert">${source.error instanceof Error ? source.error.message : "The value could not be fetched."}
      <button class="plain" onClick=${() => source.retry()}>Try again</button></div>`;
  }
  return html`<p class="tensor-scalar">${plane ? elementText(elementAt(plane, wire, 0), elementType, wire) : "…"}</p>`;
}

/** A tuple in the tensor view: what is in it, each part to be looked at by itself. */

/** @param {{selected: import("../../core/view_types.js").SelectedValue, purpose?: string}} props */
export function TupleValue({ selected, purpose = "to draw it" }) {
  const whole = store.program.value?.values[selected.value]?.elements ?? null;
  const elements = selected.path.length > 0 ? (elementOf(whole, selected.path)?.elements ?? null) : whole;
  if (!elements) return null;
  const address = tupleAddress(selected.address, selected.path);
  const inside = { value: selected.value, address, elements, path: selected.path };
  return html`<div class="tensor-tuple"><p class="quiet">${sentence(elements)} Choose one ${purpose}.</p>
    <${TupleRows} inside=${inside} name=${selected.name} /></div>`;
}

/** @param {import("../../core/types.js").TupleElement[]} elements @returns {string} */
function sentence(elements) {
  const leaves = leafCount(elements);
  const count = `A tuple of ${elements.length} ${elements.length === 1 ? "element" : "elements"}`;
  return leaves === elements.length ? `${count}.` : `${count}, ${leaves} with those of the tuples in it.`;
}

/** @param {{selected: import("../../core/view_types.js").SelectedValue}} known @returns {boolean} */
export function isTuple({ selected }) {
  const whole = store.program.value?.values[selected.value]?.elements ?? null;
  return whole !== null && (selected.path.length === 0 || elementOf(whole, selected.path)?.elements !== null);
}
