/** The provenance panel: the sources or the uses of elements, as a path to follow. */
import { untracked } from "@preact/signals";
import { html } from "htm/preact";
import { useState, useEffect, useMemo, useRef } from "preact/hooks";
import { ApiError } from "../../core/api.js";
import { isHidden, isWayHidden } from "../../core/hidden_values.js";
import { regionOf } from "../../core/indexing/regions.js";
import { shortName } from "../../core/run/op_names.js";
import * as store from "../../core/store.js";
import { countOf } from "../../core/tensor/axes.js";
import { unlit } from "../../ui/tensor_grid/projection.js";
import { recordedSource } from "../../ui/tensor_grid/sources.js";
import { PictureState } from "../../ui/tensor_grid/state.js";
import { TensorGrid } from "../../ui/tensor_grid/tensor_grid.js";
import { Covered } from "../../ui/covered.js";
import { cutName, cutNamesIn, LongName } from "../../ui/long_name.js";
import { useResource } from "../../ui/resource.js";
import { isTuple, TupleValue } from "../tensor/panel.js";
import { useAnswer } from "./question.js";
import { Rows } from "./rows.js";
import {
  allElements,
  queryOf,
  oneElement,
  shareText,
  textOf,
  typedQuery,
  boxesOf,
} from "../../core/tensor/element_sets.js";
import * as walk from "./walk.js";
import { addPanel } from "../layout/panels.js";
import { isFile } from "../../core/source.js";
import { counted, countText } from "../../core/tensor/elements.js";
import { valueOf } from "../../ui/fields.js";
/** @import {Hop} from "./walk.js" */
/** @import {Provenance as Answer} from "../../core/types.js" */

addPanel({
  id: "provenance",
  title: "Provenance",
  dock: "stage",
  order: 3,
  help: "provenance",
  Panel: ProvenancePanel,
  exists: () => !isFile(),
});

export function ProvenancePanel() {
  const key = store.recordingKey.value;
  const hop = walk.current.value;
  const [pointed, setPointed] = useState(/** @type {number[]|null} */ (null));
  const drawn = useSource(key, hop);
  const shape = shapeOf(hop, drawn.source);
  const preview = pointed && shape && pointed.length === shape.length ? oneElement(pointed, shape) : null;
  const told = useAnswer(key, hop && askedOf(hop, preview), walk.direction.value, walk.reach.value, walk.only.value);
  if (!hop || key === null)
    return html`<div class="provenance empty"><p>${store.nothingSelected.value || "Choose a value: click a name such as %0 in the program."}</p>
    <p>Select elements of a value to see what they were computed from, back to the inputs, and what they were used for.</p></div>`;
  if (isHidden(key, hop.address) || isWayHidden(key)) return html`<${Covered} name=${hop.name} />`;
  const selected = store.selectedValue.value;
  if (walk.hops.value.length === 0 && selected && isTuple({ selected }))
    return html`<${OfTuple} selected=${selected} />`;
  const answer = told.answer?.address === hop.address ? told.answer : null;
  return html`<div class="provenance">
    <${Controls} />
    <${Trail} />
    <div class="provenance-main" data-with-text>
      <div class="provenance-cells"><${Cells} recording=${key} hop=${hop} drawn=${drawn} set=${preview ?? answer?.elements ?? hop.set} point=${setPointed}
          choose=${(/** @type {import("../../core/types.js").WireBox[]} */ boxes) => chooseBoxes(boxes, shape)} />
        <${Typed} hop=${hop} shape=${shape} /></div>
      <div class="provenance-answer" aria-live="polite"><${Outcome} ...${told} answer=${answer} hop=${hop} shape=${shape} /></div>
    </div></div>`;
}

/** A tuple has no elements to choose, but its elements do. @param {{selected: import("../../core/view_types.js").SelectedValue}} props */
const OfTuple = ({ selected }) =>
  html`<div class="provenance"><p class="provenance-sentence"><span class="name">${selected.name}</span></p>
    <${TupleValue} selected=${selected} purpose="to follow its elements" /></div>`;

/** The requested elements: those under the pointer, else the chosen ones. @param {Hop} hop @param {import("../../core/types.js").WireSet|null} preview @returns {import("./question.js").Asked|null} */
function askedOf({ address, elements, set }, preview) {
  if (preview) return { address, elements: queryOf(preview) };
  return elements || set ? { address, elements } : null;
}

/** @param {ReturnType<typeof useAnswer> & {hop: Hop, shape: number[]|null}} props */
function Outcome({ answer, error, busy, further, hop, shape }) {
  if (error) return html`<p role="alert">${error}</p>`;
  if (answer) return html`<${Told} answer=${answer} hop=${hop} busy=${busy} further=${further} />`;
  return html`<p class="quiet">Point at an element of <${LongName} name=${hop.name} />, or select some: click, drag, use the arrow keys with Shift, or type their indices.</p>
    ${shape && html`<p><button class="plain" onClick=${() => chooseAll(shape)}>Select all elements</button></p>`}`;
}

/** @param {number[]} shape */
const chooseAll = (shape) => walk.choose(allElements(shape), queryOf(allElements(shape)));

/** @param {import("../../core/types.js").WireBox[]} boxes @param {number[]|null} shape */
function chooseBoxes(boxes, shape) {
  if (!shape) return;
  const whole = boxes.map((box) => ({ ...box, strides: box.strides ?? box.start.map(() => 1) }));
  walk.choose(null, queryOf({ shape, count: NaN, boxes: whole }));
}

/** The shape of the elements' set, else of the program, else, for elements of tuples, of the value. @param {Hop|null} hop @param {Drawn["source"]} source @returns {number[]|null} */
function shapeOf(hop, source) {
  if (!hop) return null;
  if (hop.set) return hop.set.shape;
  const found = store.selectedValue.value;
  const shown = found?.address === hop.address ? found.shape : null;
  return /** @type {number[]|null} sizes that a run has shown */ (shown ?? source?.shape ?? null);
}

function Controls() {
  const direction = walk.direction.value;
  const reach = walk.reach.value;
  return html`<div class="provenance-bar" role="toolbar" aria-label="Followed elements">
    <span role="group" aria-label="Direction" class="segments">
      <button aria-pressed=${direction === "back"} onClick=${() => (walk.direction.value = "back")}>Computed from</button>
      <button aria-pressed=${direction === "forward"} onClick=${() => (walk.direction.value = "forward")}>Used for</button></span>
    <span role="group" aria-label="Distance" class="segments">
      <button aria-pressed=${reach === "step"} onClick=${() => (walk.reach.value = "step")}>One step</button>
      <button aria-pressed=${reach === "all"} onClick=${() => (walk.reach.value = "all")}>All the way</button></span>
    <button aria-pressed=${walk.only.value !== ""} title="Follow only elements that are NaN or infinite" onClick=${() => (walk.only.value = walk.only.value ? "" : "not_finite")}>Only NaN and Inf</button>
    ${walk.hops.value.length > 0 && html`<button class="plain" onClick=${walk.leave} title="Clear the path and follow the selected value">Clear path</button>`}
  </div>`;
}

/** The path so far; each hop links back to its elements and step. */
function Trail() {
  const hops = walk.hops.value;
  if (hops.length < 2) return null;
  return html`<nav aria-label="Path"><ol class="provenance-trail">
    ${hops.map(
      (
        hop,
        place,
      ) => html`<li key=${place} class=${hop.way ?? ""}><button class="go" aria-current=${place === walk.at.value ? "step" : undefined} onClick=${() => walk.lookAt(place)}>
      <span class="label"><${LongName} name=${hop.name} /></span> <span class="elements">${hop.set ? textOf(hop.set) : typedText(hop.elements)}</span>
      <span class="place">${placeText(hop)}</span></button></li>`,
    )}
  </ol></nav>`;
}

/** Typed elements; a scalar has none to name. @param {string} elements @returns {string} */
const typedText = (elements) => (elements.replaceAll("@", "") === "" ? "" : `[${elements.replaceAll("@", "")}]`);

/** @param {Hop} hop @returns {string} */
function placeText({ op, step, value }) {
  const maker = op ?? (value === null ? null : (store.program.value?.definition(value).op ?? null));
  const info = maker === null ? null : store.program.value?.op(maker);
  return [info && shortName(info), step === null ? "argument" : `step ${countText(step)}`].filter(Boolean).join(", ");
}

/** A field to type elements. @param {{hop: Hop, shape: number[]|null}} props */
function Typed({ hop, shape }) {
  const [wrong, setWrong] = useState("");
  if (!shape || shape.length === 0) return null;
  const typed = (/** @type {Event} */ event) => {
    const { elements, wrong: problem } = typedQuery(valueOf(event), shape);
    setWrong(problem);
    if (!problem) walk.choose(null, elements);
  };
  return html`<label class="provenance-typed">Elements of <${LongName} name=${hop.name} /> <input type="text" placeholder=${shape.map((size) => (size > 2 ? "0:2" : "0")).join(", ")} aria-invalid=${wrong !== ""} onChange=${typed} /></label>
    ${wrong && html`<p class="wrong" role="alert">${wrong}</p>`}`;
}

/** @param {{answer: Answer, hop: Hop, busy: boolean, further: () => void}} props */
function Told({ answer, hop, busy, further }) {
  const back = answer.direction === "back";
  return html`<p class="provenance-sentence" title=${hop.name}>${sentence(answer, hop)}</p>
    ${hop.set && Number(answer.elements.count) < Number(hop.set.count) && html`<p class="quiet">From here on the first ${countText(Number(answer.elements.count))} of ${countText(Number(hop.set.count))} elements are followed: they lie too far apart to name all.</p>`}
    <${Formula} answer=${answer} />
    ${!answer.complete && html`<${Rest} answer=${answer} busy=${busy} further=${further} />`}
    ${answer.omitted > 0 && html`<p class="quiet">Of ${countText(answer.values)} values ${countText(answer.omitted)} are not listed: the nearest are, and the farthest ends.</p>`}
    ${answer.reach === "step" ? html`<${Rows} title=${back ? "Reads" : "Read by"} rows=${nextRows(answer)} of=${answer.elements} />` : isBornHere(answer) ? html`<${Born} answer=${answer} />` : html`<${Overview} answer=${answer} />`}`;
}

/** @param {{answer: Answer}} props */
function Formula({ answer: { formula } }) {
  if (!formula) return null;
  const { text, numbers } = formula;
  return html`<div class="provenance-formula"><code title=${text}>${cutNamesIn(text)}</code>${numbers && !text.includes(numbers) && html`<code class="numbers">= ${cutNamesIn(numbers)}</code>`}</div>`;
}

/** Whether the path along NaN and infinities ends where it begins. @param {Answer} answer @returns {boolean} */
const isBornHere = ({ direction, edges, complete }) =>
  walk.only.value !== "" && direction === "back" && edges.length === 0 && complete;

/** How the op made the elements of others, none of which is NaN or infinite. @param {{answer: Answer}} props */
function Born({ answer: { address, elements } }) {
  const { answer, error } = useAnswer(
    store.recordingKey.value,
    { address, elements: queryOf(elements) },
    "back",
    "step",
    "",
  );
  if (error) return html`<p role="alert">${error}</p>`;
  return (
    answer && html`<${Formula} answer=${answer} /><${Rows} title="Reads" rows=${nextRows(answer)} of=${elements} />`
  );
}

/** The reason why an answer is incomplete, and a button that continues. @param {{answer: Answer, busy: boolean, further: () => void}} props */
function Rest({ answer, busy, further }) {
  return html`<div class="provenance-rest"><p class="wrong">${answer.reason ?? "The list is incomplete."} The list is correct but incomplete.</p>
    ${answer.unlooked > 0 && html`<button disabled=${busy} onClick=${further}>${busy ? "Continuing…" : "Continue"}</button>`}</div>`;
}

/** @param {Answer} answer @param {Hop} hop @returns {string} */
function sentence(answer, hop) {
  const what = `${cutName(hop.name)} ${textOf(answer.elements)}`.trim().replace(" [", "[");
  const back = answer.direction === "back";
  if (answer.reach === "all" && back && walk.only.value !== "") return badSentence(what, answer);
  if (answer.reach === "all")
    return `${what} ${back ? "was computed from" : "went into"} all that is listed here, in ${counted(answer.steps, "step")}${answer.complete ? "" : " so far"}.`;
  const [own] = answer.nodes;
  if (own?.end && answer.edges.length === 0) return `${what}: ${own.reason ?? ENDS[own.end] ?? ""}`;
  if (answer.edges.length === 0) return `${what} ${back ? "reads nothing" : "is read by no step"}.`;
  return `${what}${isSome(answer.elements) ? `, ${shareText(answer.elements)} elements,` : ""} ${back ? "was computed from:" : "was read by:"}`;
}

/** For a path along non-finite elements, which may begin at a finite one. @param {string} what @param {Answer} answer @returns {string} */
function badSentence(what, { edges, steps, complete }) {
  if (edges.length === 0)
    return `Nothing that ${what} was computed from is NaN or infinite${complete ? "" : ", as far as it was followed"}.`;
  const far = `${counted(steps, "step")}${complete ? "" : " so far"}`;
  return `${what} was computed from the NaN and infinite elements that are listed here, in ${far}.`;
}

/** On such a path, elements computed from finite ones only. @param {Answer} answer @returns {number[]} */
function bornIn({ nodes, edges, direction, waiting }) {
  if (walk.only.value === "" || direction !== "back") return [];
  const later = new Set([...edges.map(({ made }) => made), ...waiting]);
  return nodes.map(({ id }) => id).filter((id) => !later.has(id));
}

/** Whether the number of elements is worth mentioning. @param {import("../../core/types.js").WireSet} set */
const isSome = (set) => Number(set.count) !== 1 && Number(set.count) !== countOf(set.shape);

const ENDS = /** @type {Record<string, string>} */ ({
  input: "an input of the program. Here the path ends.",
  constant: "a constant. Here the path ends.",
  output: "a result of the program. Here the path ends.",
});

/** The elements one edge away. @param {Answer} answer */
function nextRows({ edges, nodes, direction }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return edges.flatMap((edge) => {
    const node = byId.get(direction === "back" ? edge.read : edge.made);
    return node
      ? [{ node, set: direction === "back" ? edge.elements : node.elements, words: edge.words, kind: edge.kind }]
      : [];
  });
}

/** Ends first, then everything between. @param {{answer: Answer}} props */
function Overview({ answer }) {
  const { nodes, inputs, ends, waiting } = answer;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const row = (/** @type {import("../../core/types.js").ProvenanceNode} */ node) => ({
    node,
    set: node.elements,
    words: "",
    kind: "data",
  });
  // The inputs of which only some elements matter tell more than the others.
  const isWhole = (/** @type {number} */ id) => {
    const set = byId.get(id)?.elements;
    return Number(set?.count) === countOf(set?.shape ?? []);
  };
  const wholeLast = (/** @type {number} */ a, /** @type {number} */ b) => Number(isWhole(a)) - Number(isWhole(b));
  const rows = (/** @type {number[]} */ ids) =>
    ids.flatMap((id) => (byId.has(id) ? [row(/** @type {any} */ (byId.get(id)))] : []));
  const outputs = ends.filter((id) => byId.get(id)?.end === "output");
  const others = ends.filter((id) => byId.get(id)?.end !== "output");
  const born = bornIn(answer).filter((id) => !inputs.includes(id) && !ends.includes(id));
  const apart = new Set([...inputs, ...ends, ...waiting, ...born]);
  const of = answer.elements;
  return html`<${Rows} title="Origins" rows=${rows(born)} of=${of} /><${Rows} title="Inputs" rows=${rows(inputs.toSorted(wholeLast))} of=${of} /><${Rows} title="Results" rows=${rows(outputs)} of=${of} />
    <${Rows} title="Other ends" rows=${rows(others)} of=${of} />
    <${Rows} title="Not expanded yet" rows=${rows(waiting)} of=${of} note=${answer.unlooked > waiting.length ? `The first of ${countText(answer.unlooked)}.` : ""} />
    <${Rows} title="On the way" rows=${nodes.filter(({ id }) => !apart.has(id)).map(row)} of=${of} />`;
}

const TENSOR = { side: /** @type {const} */ ("result"), number: 0 };
/** Maximum number of boxes drawn over the cells. */
const MOST_BOXES = 4096;

/**
 * @param {{recording: string, hop: Hop, drawn: Drawn, set: import("../../core/types.js").WireSet|null,
 *   point: (index: number[]|null) => void, choose: (boxes: import("../../core/types.js").WireBox[]) => void}} props
 */
function Cells({ recording, hop, drawn: { source, error }, set, point, choose }) {
  const state = useMemo(() => new PictureState(), [recording, hop.address]);
  const latest = useRef({ point, choose });
  latest.current = { point, choose };
  // The effects depend only on the hovered and chosen elements, not on what they change.
  useEffect(
    () => state.hovered.subscribe((hovered) => untracked(() => latest.current.point(hovered?.at ?? null))),
    [state],
  );
  useEffect(
    () => state.selected.subscribe((selected) => untracked(() => selected && latest.current.choose(selected.boxes))),
    [state],
  );
  if (error) return html`<p class="quiet" role="status">${error}</p>`;
  if (!source) return null;
  const region = set && source.shape ? regionOf(source.shape, boxesOf(set, MOST_BOXES)) : null;
  const lit = { ...unlit(), role: /** @type {"source"|"idle"} */ (region ? "source" : "idle"), region };
  return html`<${TensorGrid} tensor=${TENSOR} source=${source} roles=${[]} lit=${lit} state=${state} />`;
}

/** @typedef {{source: import("../../ui/tensor_grid/sources.js").Source|null, error: string}} Drawn */

/** @param {string|null} recording @param {Hop|null} hop @returns {Drawn} */
function useSource(recording, hop) {
  const { address = "", name = "", type = "" } = hop ?? {};
  const { value, error, isLoading } = useResource(hop && recording ? `${recording} ${address}` : null, (stop) =>
    recordedSource(/** @type {string} */ (recording), address, { name, type }, stop),
  );
  if (isLoading) return { source: null, error: "" };
  if (!error) return { source: value ?? null, error: "" };
  const isMissing = error instanceof ApiError && error.status === 404;
  return { source: null, error: isMissing ? `${name} has no value yet.` : error.message };
}
