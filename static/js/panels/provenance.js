/** The provenance panel: what elements were computed from, or went into, as a path that one walks. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { countOf } from "../tensor/axes.js";
import { useAnswer } from "../provenance/answers.js";
import { queryOf, oneElement, shareText, textOf, typedQuery } from "../provenance/sets.js";
import * as walk from "../provenance/walk.js";
import { shortName } from "../run/families.js";
import * as store from "../store.js";
import { cutName, cutNamesIn, LongName } from "../ui/long_name.js";
import { Cells } from "./provenance/cells.js";
import { Rows } from "./provenance/rows.js";

/** @typedef {import("../provenance/answers.js").Answer} Answer */
/** @typedef {import("../provenance/walk.js").Hop} Hop */

export function ProvenancePanel() {
  const key = store.recordingKey.value;
  const hop = walk.current.value;
  const [pointed, setPointed] = useState(/** @type {number[]|null} */ (null));
  const shape = useShape(hop);
  const preview = pointed && shape && pointed.length === shape.length ? oneElement(pointed, shape) : null;
  const asked = hop && (preview ? { address: hop.address, elements: queryOf(preview) } : hop.elements || hop.set ? { address: hop.address, elements: hop.elements } : null);
  const { answer, error, busy, further } = useAnswer(key, asked, walk.direction.value, walk.reach.value);
  if (!hop || key === null) return html`<div class="provenance empty"><p>${store.nothingSelected.value || "Choose a value: click a name such as %0 in the program."}</p>
    <p>Here one follows elements of a value: what they were computed from, all the way to the inputs, and what they went into.</p></div>`;
  const fits = answer && answer.address === hop.address;
  return html`<div class="provenance">
    <${Controls} />
    <${Trail} />
    <div class="provenance-main">
      <div class="provenance-cells"><${Cells} recording=${key} hop=${hop} set=${preview ?? (fits ? answer.elements : hop.set)} point=${setPointed}
          choose=${(/** @type {import("../provenance/sets.js").WireBox[]} */ boxes) => chooseBoxes(boxes, shape)} />
        <${Typed} hop=${hop} shape=${shape} /></div>
      <div class="provenance-answer" aria-live="polite">
        ${error ? html`<p role="alert">${error}</p>` : fits ? html`<${Told} answer=${answer} hop=${hop} busy=${busy} further=${further} />`
          : html`<p class="quiet">Point at an element of <${LongName} name=${hop.name} />, or choose some: by a click, by dragging, with the arrow keys and Shift, or by typing them.</p>`}
      </div>
    </div></div>`;
}

/** @param {import("../provenance/sets.js").WireBox[]} boxes @param {number[]|null} shape */
function chooseBoxes(boxes, shape) {
  if (!shape) return;
  const whole = boxes.map((box) => ({ ...box, strides: box.strides ?? box.start.map(() => 1) }));
  walk.choose(null, queryOf({ shape, count: NaN, boxes: whole }));
}

/** The shape that the program says, else what the elements' set says. @param {Hop|null} hop @returns {number[]|null} */
function useShape(hop) {
  if (!hop) return null;
  if (hop.set) return hop.set.shape;
  const found = store.selectedValue.value;
  return found?.address === hop.address ? found.shape : null;
}

function Controls() {
  const direction = walk.direction.value;
  const reach = walk.reach.value;
  return html`<div class="provenance-bar" role="toolbar" aria-label="What is followed">
    <span role="group" aria-label="Direction" class="segments">
      <button aria-pressed=${direction === "back"} onClick=${() => (walk.direction.value = "back")}>Computed from</button>
      <button aria-pressed=${direction === "forward"} onClick=${() => (walk.direction.value = "forward")}>Went into</button></span>
    <span role="group" aria-label="How far" class="segments">
      <button aria-pressed=${reach === "step"} onClick=${() => (walk.reach.value = "step")}>One step</button>
      <button aria-pressed=${reach === "all"} onClick=${() => (walk.reach.value = "all")}>All the way</button></span>
    ${walk.hops.value.length > 0 && html`<button class="plain" onClick=${walk.leave} title="Forget the path, and follow the value that is chosen">Leave the path</button>`}
  </div>`;
}

/** The path so far: each hop the way back to it and to its step. */
function Trail() {
  const hops = walk.hops.value;
  if (hops.length < 2) return null;
  return html`<nav aria-label="Path"><ol class="provenance-trail">
    ${hops.map((hop, place) => html`<li key=${place} class=${hop.way ?? ""}><button class="go" aria-current=${place === walk.at.value ? "step" : undefined} onClick=${() => walk.lookAt(place)}>
      <span class="label"><${LongName} name=${hop.name} /></span> <span class="elements">${hop.set ? textOf(hop.set) : typedText(hop.elements)}</span>
      <span class="place">${placeText(hop)}</span></button></li>`)}
  </ol></nav>`;
}

/** Elements as they were typed; a value without dimensions has none to name. @param {string} elements @returns {string} */
const typedText = (elements) => (elements.replaceAll("@", "") === "" ? "" : `[${elements.replaceAll("@", "")}]`);

/** @param {Hop} hop @returns {string} */
function placeText({ op, step, value }) {
  const maker = op ?? (value === null ? null : (store.program.value?.definition(value).op ?? null));
  const info = maker === null ? null : store.program.value?.op(maker);
  return [info && shortName(info), step === null ? "argument" : `step ${step.toLocaleString("en")}`].filter(Boolean).join(", ");
}

/** For whoever types: which elements. @param {{hop: Hop, shape: number[]|null}} props */
function Typed({ hop, shape }) {
  const [wrong, setWrong] = useState("");
  if (!shape || shape.length === 0) return null;
  const typed = (/** @type {Event} */ event) => {
    const { elements, wrong: problem } = typedQuery(/** @type {HTMLInputElement} */ (event.currentTarget).value, shape);
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
    ${hop.set && Number(answer.elements.count) < Number(hop.set.count) && html`<p class="quiet">From here on the first ${Number(answer.elements.count).toLocaleString("en")} of ${Number(hop.set.count).toLocaleString("en")} elements are followed: they lie too far apart to name all.</p>`}
    ${answer.formula && html`<div class="provenance-formula"><code title=${answer.formula.text}>${cutNamesIn(answer.formula.text)}</code>${answer.formula.numbers && !answer.formula.text.includes(answer.formula.numbers) && html`<code class="numbers">= ${cutNamesIn(answer.formula.numbers)}</code>`}${answer.formula.note && html`<p class="quiet">${answer.formula.note}</p>`}</div>`}
    ${!answer.complete && html`<${Rest} answer=${answer} busy=${busy} further=${further} />`}
    ${answer.omitted > 0 && html`<p class="quiet">Of ${shown(answer.values)} values ${shown(answer.omitted)} are not listed: the nearest are, and the farthest ends.</p>`}
    ${answer.reach === "step" ? html`<${Rows} title=${back ? "Reads" : "Read by"} rows=${nextRows(answer)} of=${answer.elements} />` : html`<${Overview} answer=${answer} />`}`;
}

/** @param {number} count */
const shown = (count) => count.toLocaleString("en");

/** Why an answer is not all of it, and the way on. @param {{answer: Answer, busy: boolean, further: () => void}} props */
function Rest({ answer, busy, further }) {
  return html`<div class="provenance-rest"><p class="wrong">${answer.reason ?? "This is not all of it."} What is listed is right, as far as it goes.</p>
    ${answer.unlooked > 0 && html`<button disabled=${busy} onClick=${further}>${busy ? "Looking further…" : "Look further"}</button>`}</div>`;
}

/** @param {Answer} answer @param {Hop} hop @returns {string} */
function sentence(answer, hop) {
  const what = `${cutName(hop.name)} ${textOf(answer.elements)}`.trim();
  const back = answer.direction === "back";
  if (answer.reach === "all") return `${what} ${back ? "was computed from" : "went into"} all that is listed here, in ${shown(answer.steps)} ${answer.steps === 1 ? "step" : "steps"}${answer.complete ? "" : " so far"}.`;
  const [own] = answer.nodes;
  if (own?.end && answer.edges.length === 0) return `${what}: ${own.reason ?? ENDS[own.end] ?? ""}`;
  if (answer.edges.length === 0) return `${what} ${back ? "reads nothing" : "is read by no step"}.`;
  return `${what}${isSome(answer.elements) ? `, ${shareText(answer.elements)} elements,` : ""} ${back ? "was computed from:" : "was read by:"}`;
}

/** Whether it is worth a word how many elements they are. @param {import("../provenance/sets.js").WireSet} set */
const isSome = (set) => Number(set.count) !== 1 && Number(set.count) !== countOf(set.shape);

const ENDS = /** @type {Record<string, string>} */ ({
  input: "an input of the program. Here the path ends.", constant: "a constant. Here the path ends.", output: "a result of the program. Here the path ends.",
});

/** What is one edge away. @param {Answer} answer */
function nextRows({ edges, nodes, direction }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return edges.flatMap((edge) => {
    const node = byId.get(direction === "back" ? edge.read : edge.made);
    return node ? [{ node, set: direction === "back" ? edge.elements : node.elements, words: edge.words, kind: edge.kind }] : [];
  });
}

/** Ends first, which is what one asks for; then all that lies between. @param {{answer: Answer}} props */
function Overview({ answer }) {
  const { nodes, inputs, ends, waiting } = answer;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const row = (/** @type {import("../provenance/answers.js").Node} */ node) => ({ node, set: node.elements, words: "", kind: "data" });
  const rows = (/** @type {number[]} */ ids) => ids.flatMap((id) => (byId.has(id) ? [row(/** @type {any} */ (byId.get(id)))] : []));
  const outputs = ends.filter((id) => byId.get(id)?.end === "output");
  const others = ends.filter((id) => byId.get(id)?.end !== "output");
  const apart = new Set([...inputs, ...ends, ...waiting]);
  const of = answer.elements;
  return html`<${Rows} title="Inputs" rows=${rows(inputs)} of=${of} /><${Rows} title="Results" rows=${rows(outputs)} of=${of} />
    <${Rows} title="Other ends" rows=${rows(others)} of=${of} />
    <${Rows} title="Not looked at yet" rows=${rows(waiting)} of=${of} note=${answer.unlooked > waiting.length ? `The first of ${shown(answer.unlooked)}.` : ""} />
    <${Rows} title="On the way" rows=${nodes.filter(({ id }) => !apart.has(id)).map(row)} of=${of} />`;
}
