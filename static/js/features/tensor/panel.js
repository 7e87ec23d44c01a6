/** The tensor view: draws the selected value. */
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { arrayAt, differenceAt, isComputed, parseAddress, tupleAddress } from "../../core/addresses.js";
import { npyPath } from "../../core/api.js";
import { isAnythingHidden, isHidden } from "../../core/hidden_values.js";
import { reportError } from "../../core/messages.js";
import { aheadWords, isAhead } from "../../core/run/ahead.js";
import { shortName } from "../../core/run/op_names.js";
import { shownName } from "../../core/run/value_names.js";
import { elementOf, leafCount } from "../../core/run/tuples.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { drawnOf, shownInstead } from "../../core/tensor/compared.js";
import { withoutPlanes } from "../../core/tensor/axes.js";
import {
  bitsOf,
  bytesText,
  counted,
  countText,
  digitsOf,
  elementAt,
  elementText,
  fittedText,
} from "../../core/tensor/elements.js";
import { csvText, mlirText, numpyText } from "../../core/tensor/literals.js";
import { hasOtherOrder } from "../../core/tensor/memory_layout.js";
import { FIRST_ZOOM } from "../../drawing/camera.js";
import { cssColour, textColourOn } from "../../drawing/colour_maps.js";
import { paint } from "../../drawing/paint.js";
import { AxisControls } from "../../ui/axis_controls.js";
import { Covered } from "../../ui/covered.js";
import {
  allElements,
  copyText,
  download,
  fileName,
  listText,
  pngOf,
  shownElements,
  svgOf,
  tooMany,
} from "../../ui/export.js";
import { Menu } from "../../ui/menu.js";
import { addPanel } from "../layout/panels.js";
import { TupleRows } from "../variables/tuple_rows.js";
import { ImageView, imageOf } from "./images.js";
import { keepAhead } from "./ahead.js";
import { Bits } from "./bits.js";
import { useColours } from "./colour_scale.js";
import { aimAt } from "./cursor_target.js";
import { PinMenu, InsteadBar } from "./difference.js";
import { nonfiniteCount, NonfiniteElements } from "./nonfinite.js";
import { OriginButton } from "./origin.js";
import { Numbers } from "./numbers.js";
import { Picture } from "./picture.js";
import { PinnedValues } from "./pinned.js";
import { useSource, useSummary } from "./recorded_value.js";
import { StepInButton } from "./step_in.js";
import { axesInMemory, layoutOf, mode, order, setLayout, statisticsOpen, toggleOrder } from "./settings.js";
import { watchSizes } from "../../ui/element_size.js";
/** @import {Known} from "./recorded_value.js" */

addPanel({ id: "tensor", title: "Tensor", dock: "stage", order: 1, help: "tensor", Panel: TensorPanel });

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
  const shown = isAnythingHidden() || selected.shape === null ? null : shownInstead.value;
  const drawn = drawnOf(selected, shown);
  const { known, error, retry } = useSummary(recording, drawn);
  const goTo = (/** @type {number[]} */ index) => aimAt(drawn, index);
  const bar =
    shown && html`<${InsteadBar} shown=${shown} selected=${selected} known=${error ? null : known} goTo=${goTo} />`;
  if (error)
    return html`<div class="tensor">${bar}<${Failed} selected=${selected} error=${error} retry=${retry} /></div>`;
  if (!known) return html`<${Fetching} name=${selected.name} />`;
  return html`<div class=${isAhead(selected.address) ? "tensor ahead" : "tensor"}>${bar}<${TensorValue} known=${known} /></div>`;
}

/** After a moment: most values arrive before it could be read. @param {{name: string}} props */
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
  const { message, hint, status, kind } = /** @type {Partial<import("../../core/api.js").ApiError>} */ (error);
  const early = status === 404 && kind !== "not_in_file";
  return html`<div class="tensor empty" role="alert">
    <p>${early ? `${selected.name} has no value yet: the op that makes it has not run, or is still running.` : (message ?? "The value could not be fetched.")}</p>
    ${!early && hint && html`<p>${hint}</p>`}
    ${kind !== "not_in_file" && html`<p><button class="plain" onClick=${retry}>Try again</button></p>`}
  </div>`;
}

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
  const kept = layoutOf(name, summary.shape, axes);
  // A table shows one plane.
  const layout = mode.value !== "numbers" ? kept : { ...kept, slice: withoutPlanes(kept.slice) };
  const windows = useSource(known, layout);
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const scalar = summary.count === 1 && summary.shape.length === 0;
  const image = imageOf(summary);
  const shown = scalar ? "scalar" : mode.value === "image" && !image ? "picture" : mode.value;
  const change = (/** @type {import("../../core/tensor/axes.js").Layout} */ next) => setLayout(name, next);
  const goTo = (/** @type {number[]} */ index) => aimAt(selected, index);
  const pinned = html`<${PinnedValues} known=${known} layout=${layout} />`;
  return html`<${Header} known=${known}>
      <${PinMenu} recording=${known.key} selected=${store.selectedValue.value ?? selected} />
      <${ExportMenu} known=${known} slice=${layout.slice} windows=${windows} canvas=${shown === "picture" ? canvas : null} />
    </${Header}>
    ${
      !scalar &&
      html`<div class="tensor-arrange"><${Modes} shown=${shown} hasImage=${image !== null} /><${OrderControl} summary=${summary} />
      ${shown !== "image" && html`<${AxisControls} summary=${summary} layout=${layout} axes=${axes} change=${change} planes=${shown === "picture"} />`}</div>`
    }
    ${shown === "scalar" && html`<${Scalar} known=${known} windows=${windows} />`}
    ${shown === "picture" && html`<${Picture} known=${known} layout=${layout} change=${change} windows=${windows} canvas=${canvas} beside=${pinned} />`}
    ${shown !== "picture" && html`<div class="tensor-pictures small">${pinned}</div>`}
    ${shown === "numbers" && html`<${Numbers} known=${known} layout=${layout} change=${change} windows=${windows} />`}
    ${shown === "image" && html`<${ImageView} known=${known} axes=${image} />`}
    ${!scalar && !differenceAt(summary.address) && html`<${NonfiniteElements} known=${known} goTo=${goTo} />`}
    ${!scalar && html`<${Statistics} summary=${summary} />`}
    ${scalar && nonfiniteCount(summary) > 0 && html`<div class="tensor-nonfinite"><${OriginButton} known=${known} index=${[]} /></div>`}`;
}

/** @param {{shown: string, hasImage: boolean}} props */
function Modes({ shown, hasImage }) {
  const choose = (/** @type {typeof mode.value} */ next) => () => (mode.value = next);
  return html`<span class="tensor-modes" role="group" aria-label="Show as">
    <button aria-pressed=${shown === "picture"} onClick=${choose("picture")}>Heat map</button>
    <button aria-pressed=${shown === "numbers"} onClick=${choose("numbers")}>Numbers</button>
    ${hasImage && html`<button aria-pressed=${shown === "image"} title="Show the channels of each pixel as a colour" onClick=${choose("image")}>Image</button>`}
  </span>`;
}

/** The value: its name, its type, and the op that produced it. */

/** @param {{known: Known, children?: import("preact").ComponentChildren}} props */
export function Header({ known, children }) {
  const { summary, selected } = known;
  const { lanes } = summary;
  const made = `${origin(selected)}${lanes?.length ? ` · ${lanes.join("×")} lanes` : ""}`;
  return html`<header class=${isTuple(known) ? "tensor-header of-tuple" : "tensor-header"}>
    <h3 title=${`${selected.name} : ${summary.type}`}><span class="name">${selected.name}</span> <span class="type">${summary.type}</span></h3>
    <span class="origin" title=${made}>${instead(selected)}${made}</span>
    ${isAhead(selected.address) && html`<span class="ahead-word" title=${aheadWords(selected.name)}>ahead</span>`}
    <span class="spring"></span>${children}
  </header>`;
}

/** The chosen value that is not drawn, because it has no value yet. @param {import("../../core/view_types.js").SelectedValue} selected @returns {string} */
function instead({ value }) {
  const [program, chosen, drawn] = [store.program.value, store.chosenValue.value, store.selectedValue.value];
  if (!program?.values[chosen ?? -1] || drawn?.value === chosen || value !== drawn?.value) return "";
  return `drawn in place of ${shownName(program, chosen ?? 0)}, which has no value yet · `;
}

/** @param {import("../../core/view_types.js").SelectedValue} selected @returns {string} */
function origin(selected) {
  const described = store.program.value;
  if (!described || described.values[selected.value] === undefined) return "";
  const { op, index, block } = described.definition(selected.value);
  if (op === null) return `argument ${index} of ${blockName(described, block)}`;
  const { line } = described.op(op);
  const name = shortName(described.op(op));
  const step = parseAddress(selected.address).step;
  const earlier = selected.when === "earlier" ? ", an earlier execution" : "";
  return `${name} · line ${line}${step === null ? "" : ` · step ${countText(step)}`}${earlier}`;
}

/** @param {import("../../core/run/program.js").Program} described @param {number} block @returns {string} */
function blockName(described, block) {
  const { opener, function: name } = described.block(block);
  if (opener !== null) return `a region of ${shortName(described.op(opener))}`;
  return described.language === "hlo" ? name : `@${name.replace(/^@/, "")}`;
}

/** The memory layout of a value of HLO text, and the switch between logical and physical order. */

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

/** A value with one element is shown as a large number. */

/** @param {{known: Known, windows: import("./picture.js").Windows}} props */
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
  return html`<p class="tensor-scalar">${plane ? elementText(elementAt(plane, wire, 0), elementType, wire) : "…"}</p>
    <div class="tensor-scalar-tools"><${StepInButton} selected=${known.selected} index=${[]} /></div>
    <${Bits} known=${known} element=${plane ? { plane, at: 0 } : null} index=${[]} />`;
}

/** A tuple in the tensor view: its elements, each of which can be selected. */

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
  const count = `A tuple of ${counted(elements.length, "element")}`;
  return leaves === elements.length ? `${count}.` : `${count}, ${leaves} with those of the tuples in it.`;
}

/** @param {{selected: import("../../core/view_types.js").SelectedValue}} known @returns {boolean} */
export function isTuple({ selected }) {
  const whole = store.program.value?.values[selected.value]?.elements ?? null;
  return whole !== null && (selected.path.length === 0 || elementOf(whole, selected.path)?.elements !== null);
}

/** @typedef {{name: string, text: string, whole?: string, alarming?: boolean}} Fact  whole: all digits */

/** A button shows what does not fit on the line. @param {{summary: import("../../core/types.js").ValueSummary}} props */
function Statistics({ summary }) {
  const list = useRef(/** @type {HTMLElement|null} */ (null));
  const isCut = useIsCut(list);
  const isOpen = statisticsOpen.value;
  const facts = factsOf(summary);
  return html`<section class="tensor-statistics" aria-label="Statistics">
    <div class=${isOpen ? "lines" : "lines one"}><dl ref=${list}>${facts.map(drawFact)}</dl></div>
    ${(isCut || isOpen) && html`<button aria-expanded=${isOpen} aria-label="All statistics" title=${facts.map(({ name, text, whole }) => `${name} ${whole ?? text}`).join("\n")} onClick=${() => (statisticsOpen.value = !isOpen)}>…</button>`}
  </section>`;
}

/** @param {Fact} fact */
const drawFact = ({ name, text, whole, alarming }) =>
  html`<div key=${name} class=${alarming ? "alarming" : ""} title=${whole && whole !== text ? `${name} ${whole}` : undefined}><dt>${name}</dt><dd>${text}</dd></div>`;

/** Whether a list wraps. @param {{current: HTMLElement|null}} list @returns {boolean} */
function useIsCut(list) {
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    const watched = list.current;
    if (!watched) return undefined;
    const line = () => /** @type {HTMLElement|null} */ (watched.firstElementChild)?.offsetHeight ?? 0;
    return watchSizes([watched], () => setCut(watched.offsetHeight > 1.5 * line()));
  }, []);
  return isCut;
}

/** The most important ones first: the line may not have space for all. @param {import("../../core/types.js").ValueSummary} summary @returns {Fact[]} */
function factsOf({ statistics, count, elementType, wire }) {
  const size = bytesText(Math.ceil((count * bitsOf(elementType)) / 8));
  const facts = [
    { name: "elements", text: countText(count) },
    { name: "bytes", text: size },
  ];
  const numbers = count > 0 && statistics ? numbersOf(statistics, elementType, wire.components === 2) : [];
  return [...numbers.filter(({ alarming }) => alarming), ...numbers.filter(({ alarming }) => !alarming), ...facts];
}

/** @param {Record<string, string|number|null>} statistics @param {string} elementType @param {boolean} isComplex @returns {Fact[]} */
function numbersOf(statistics, elementType, isComplex) {
  const count = (/** @type {string} */ name) => Number(statistics[name] ?? 0);
  // These count finite elements only, of which there may be none.
  const number = (/** @type {string} */ name, /** @type {string} */ type) => ({
    name: isComplex ? `|${name}|` : name,
    ...digitsOf(statistics["min"] === "NaN" ? null : statistics[name], type),
  });
  /** @type {[string, number][]} */
  const special = [
    ["NaN", count("nan")],
    ["+Inf", count("posinf")],
    ["-Inf", count("neginf")],
  ];
  const own = isComplex ? "f64" : elementType;
  const isFinite = special.every(([, found]) => found === 0);
  return [
    number("min", own),
    number("max", own),
    number("mean", "f64"),
    number("std", "f64"),
    { name: "zeros", text: countText(count("zeros")) },
    // Omit counts of zero.
    ...(isFinite
      ? [{ name: "non-finite", text: "0" }]
      : special.map(([name, found]) => ({ name, text: countText(found), alarming: found > 0 }))),
  ];
}

/** @type {[string, string, (elements: import("../../core/tensor/literals.js").Elements) => string][]} */
const COPIES = [
  ["Copy", "Copy the elements that are shown, as text", listText],
  ["Copy as NumPy", "Copy the elements that are shown as an array of NumPy", numpyText],
  ["Copy as MLIR", "Copy the elements that are shown as a dense literal", mlirText],
  ["Copy as CSV", "Copy the elements that are shown as lines with commas", csvText],
];

/** The menu that copies and downloads the value, and its picture if one is drawn. @param {{known: Known, slice: import("../../core/tensor/axes.js").Slice, windows: import("./picture.js").Windows, canvas: {current: HTMLCanvasElement|null}|null}} props */
function ExportMenu({ known, slice, windows, canvas }) {
  const { summary, selected, key } = known;
  const { colourScale } = useColours(known);
  const title = `${selected.name} : ${summary.type}${axesInMemory(summary) ? ", in the order of memory" : ""}`;
  const place = isComputed(summary.address) ? "computed" : summary.address;
  const nameOf = (/** @type {string} */ ending) => fileName(selected.name, place, ending);
  const isOfPair = differenceAt(summary.address) || arrayAt(summary.address);
  const png = async () => {
    if (!canvas?.current) return;
    const shot = await pngOf({ title, canvas: canvas.current, colourScale });
    if (shot) download(shot, nameOf("png"));
  };
  const svg = () => {
    if (!canvas?.current) return;
    const cells = cellsOf(windows.source, summary, colourScale, canvas.current);
    download(svgOf({ title, canvas: canvas.current, colourScale }, cells), nameOf("svg"));
  };
  const pictures = [
    { text: "PNG", title: "Download the picture as it is drawn", run: png },
    { text: "SVG", title: "Download the picture for documents", run: svg },
  ];
  const npy = {
    text: ".npy",
    title: "Download the value for NumPy",
    href: npyPath(key, summary.address),
    download: nameOf("npy"),
  };
  const items = () => [
    ...COPIES.map(([text, title, write]) => ({
      text,
      title,
      run: () => void copySlice(known, windows, slice, write).catch(reportError),
    })),
    ...(isFile() || isOfPair ? [] : [npy]),
    ...(canvas ? pictures : []),
  ];
  return html`<${Menu} label="Export" class="quiet" content="Export ▾" items=${items} title="Copy the value, or download it or its picture" />`;
}

/** Copy the shown slice; of all planes at once, the whole value. @param {Known} known @param {import("./picture.js").Windows} windows @param {import("../../core/tensor/axes.js").Slice} slice @param {(elements: import("../../core/tensor/literals.js").Elements) => string} write */
async function copySlice({ key, summary }, { source }, slice, write) {
  const elements = slice.planes ? await allElements(key, summary) : shownElements(source, summary);
  return elements ? copyText(write(elements)) : tooMany();
}

/** Maximum number of elements drawn as rectangles. */
const MOST_RECTANGLES = 4096;

/**
 * A small picture as rectangles with numbers; null if it is large or not loaded.
 *
 * @param {import("../../core/tensor/window_source.js").WindowSource} source @param {import("../../core/types.js").ValueSummary} summary
 * @param {import("../../drawing/paint.js").ColourScale} colourScale @param {HTMLCanvasElement} canvas
 * @returns {import("../../ui/export.js").Cell[]|null}
 */
function cellsOf(source, summary, colourScale, canvas) {
  const { height, width } = source.picture;
  const layer = source.at(0, 0);
  if (!layer || layer.request.level > 0 || height * width > MOST_RECTANGLES || !layer.window.planes.value) return null;
  return rectangles(
    layer.window,
    summary,
    colourScale,
    Math.min(canvas.clientWidth / width, canvas.clientHeight / height, FIRST_ZOOM),
  );
}

/** @param {import("../../core/view_types.js").ValueWindow} window @param {import("../../core/types.js").ValueSummary} summary @param {import("../../drawing/paint.js").ColourScale} colourScale @param {number} size @returns {import("../../ui/export.js").Cell[]} */
function rectangles(window, { elementType, wire }, colourScale, size) {
  const plane = /** @type {import("../../core/view_types.js").Plane} */ (window.planes.value);
  const { width } = window.header;
  return Array.from(paint(window, colourScale), (pixel, index) => {
    const text =
      size > 26 && (index + 1) * wire.components <= plane.length
        ? fittedText(elementAt(plane, wire, index), elementType, wire, Math.floor(size / 6.4))
        : null;
    return {
      x: (index % width) * size,
      y: Math.floor(index / width) * size,
      width: size,
      height: size,
      colour: cssColour(pixel),
      text,
      textColour: textColourOn(pixel),
    };
  });
}
