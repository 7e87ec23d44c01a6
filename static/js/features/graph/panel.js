/** The graph: the ops around the selected value, or the whole program with parts that fold. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { findUses } from "../../core/navigation.js";
import { shownName } from "../../core/run/value_names.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { counted } from "../../core/tensor/elements.js";
import { dragOrClick } from "../../drawing/heat_map_gestures.js";
import { actOnKey } from "../../ui/acts.js";
import { clearCanvas, coloursOf } from "../../drawing/canvas.js";
import { keepDrawn, themed } from "../../ui/canvas.js";
import { Menu } from "../../ui/menu.js";
import { Spoken } from "../../ui/spoken.js";
import { arrivals } from "../../ui/thumbnails.js";
import { addPanel, focusFirst } from "../layout/panels.js";
import { arrange, typeOf } from "./arrange.js";
import { goToOp, goToValue } from "./go.js";
import { Legend, legendOf } from "./legend.js";
import { keyMove, sentenceOf, textOfOp, wireSentence } from "./model.js";
import { Minimap } from "./minimap.js";
import { useOpNumbers } from "./op_numbers.js";
import { paint } from "./paint.js";
import { files } from "./picture_file.js";
import { shownScene } from "./scene.js";
import * as state from "./state.js";
import { GraphView } from "./view.js";
import { Choice } from "../../ui/fields.js";
/** @import {Node} from "./nest.js" */
/** @import {Target} from "./view.js" */

addPanel({
  id: "graph",
  title: "Graph",
  dock: "stage",
  order: 4,
  help: "graph",
  Panel: GraphPanel,
  focus: focusFirst(".graph-picture"),
});

const WHEEL = 1 / 400;
const KEY_ZOOM = 1.4;
export function GraphPanel() {
  const [parts, tree] = [state.parts.value, state.tree.value];
  if (!parts)
    return html`<p class="empty">${store.whyNoRun.value || "Run the program to see how its ops are connected."}</p>`;
  return html`<div class="graph">
    ${tree ? html`<${Graph} parts=${parts} tree=${tree} />` : html`<${Bar} /><p class="empty">Choose a value to see the ops around it, or show the whole program.</p>`}</div>`;
}

/** The last ones need a server. @type {[state.Colouring, string][]} */
const COLOURINGS = [
  ["family", "Family of op"],
  ["nonfinite", "NaN or infinity"],
  ["magnitude", "Magnitude"],
  ["bytes", "Bytes"],
  ["time", "Time"],
  ["error", "Rounding error"],
];

const OFFLINE = 4;
const RADII = [1, 2, 3, 4].map((each) => [each, counted(each, "edge")]);

/** @param {{exports?: () => readonly import("../../ui/menu.js").MenuItem[]}} props */
function Bar({ exports }) {
  const { extent, radius, colouring } = state;
  const isWhole = extent.value === "whole";
  return html`<div class="graph-bar" role="toolbar" aria-label="Graph">
    <span role="group" aria-label="Extent" class="segments">
      <button aria-pressed=${!isWhole} onClick=${() => (extent.value = "around")}>Around value</button>
      <button aria-pressed=${isWhole} onClick=${() => (extent.value = "whole")}>Whole program</button></span>
    ${
      isWhole
        ? html`<button onClick=${state.openMore} title="Open one more level of every group">Unfold</button><button onClick=${state.foldAll} title="Fold all groups">Fold</button>`
        : html`<${Choice} aria-label="Radius" title="Number of edges to the farthest op" options=${RADII} value=${radius.value} choose=${(/** @type {number} */ each) => (radius.value = each)} />`
    }
    <${Choice} aria-label="Colour" title="What colours the nodes" options=${COLOURINGS.slice(0, isFile() ? OFFLINE : undefined)} value=${colouring.value} choose=${(/** @type {state.Colouring} */ id) => (colouring.value = id)} />
    ${exports && !isFile() && html`<${Menu} label="Export" class="quiet" title="Download the drawn graph" content="Export ▾" items=${exports} />`}
  </div>`;
}

/** The node under the keys, by its key: the same in another arrangement. */
const cursor = signal(/** @type {string|null} */ (null));

/** @param {{parts: import("./parts.js").Parts, tree: Node}} props */
function Graph({ parts, tree }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const view = useMemo(() => new GraphView(), []);
  const hovered = useMemo(() => signal(/** @type {{target: Target, x: number, y: number}|null} */ (null)), []);
  const arrangement = useMemo(() => arrange(parts, tree), [tree]);
  const kept = useRef(/** @type {Node|null} */ (null));
  const chosen = state.middle.value;
  const central = useMemo(
    () => arrangement.boxes.find(({ node }) => isChosen(node, chosen))?.node ?? null,
    [arrangement, chosen],
  );
  useLayoutEffect(() => {
    view.show(arrangement, kept.current, central);
    kept.current = null;
    hovered.value = null;
  }, [arrangement]);
  useEffect(() => {
    if (central && !view.isAuto) view.reveal(central);
  }, [central]);
  const colouring = state.colouring.value;
  const colours = useMemo(() => coloursOf(document.documentElement), [themed.value]);
  void arrivals.value;
  const asked = useOpNumbers(colouring, parts);
  const numbers = asked?.numbers ?? null;
  const drawn = () => shownScene(parts, tree, arrangement, { colouring, numbers }, colours);
  const { scene, range, statistic, isInfinite } = drawn();
  const legend = legendOf({ colouring, asked, range, isInfinite, families: familiesOf(parts.program, arrangement) });
  const exports = () => files(drawn, legend, colours);
  const latest = useRef(scene);
  latest.current = scene;
  useEffect(
    () =>
      keepDrawn(canvas.current, (element) => {
        view.resize({ width: element.clientWidth, height: element.clientHeight }, central);
        void view.camera.value;
        const [at, over] = [cursor.value, hovered.value?.target ?? null];
        return () => {
          const context = clearCanvas(element, view.size);
          const colour = coloursOf(element);
          const now = { ...latest.current, hovered: hoveredIn(over), cursor: view.boxOfKey(at ?? "")?.node ?? null };
          if (context) paint(context, now, view.camera.value, view.size, colour);
        };
      }),
    [scene],
  );
  const nodeAt = () => arrangement.boxes.find(({ node }) => node.key === cursor.value)?.node ?? null;
  const at = nodeAt();
  const open = (/** @type {Node} */ node) => {
    kept.current = node;
    state.setOpen([node], !node.isOpen);
  };
  const act = (/** @type {Target} */ target, isTwice = false) => {
    if (target.kind === "chip") return goToValue(parts.program, target.chip.value);
    if (target.kind === "route") return goToValue(parts.program, target.route.wire.uses[0]?.value ?? 0);
    const { node } = target.box;
    cursor.value = node.key;
    if (node.kind === "more") return findUses({ value: node.sources[0]?.node.values[0] ?? 0 });
    if (node.canOpen && state.extent.value === "whole" && (target.isSign || isTwice || node.op === null))
      return open(node);
    return choose(parts.program, node);
  };
  const press = (/** @type {PointerEvent} */ event) => {
    if (event.button !== 0 || !canvas.current) return;
    const target = view.under({ x: event.offsetX, y: event.offsetY });
    dragOrClick(canvas.current, event, view, () => target && act(target, event.detail === 2));
  };
  const wheel = (/** @type {WheelEvent} */ event) => {
    event.preventDefault();
    if (event.shiftKey) view.pan(event.deltaY + event.deltaX, 0);
    else view.zoomBy(Math.exp(-event.deltaY * WHEEL), { x: event.offsetX, y: event.offsetY });
  };
  const move = (/** @type {PointerEvent} */ event) => {
    const target = event.buttons === 0 ? view.under({ x: event.offsetX, y: event.offsetY }) : null;
    hovered.value = target && { target, x: event.offsetX, y: event.offsetY };
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const standing = nodeAt();
    const here = standing ?? central ?? arrangement.boxes[0]?.node ?? null;
    const next = standing === null ? here : here && keyMove(event.key, here, arrangement);
    const follow = () => moveTo(next);
    actOnKey(event, {
      "+": () => view.zoomBy(KEY_ZOOM),
      "=": () => view.zoomBy(KEY_ZOOM),
      "-": () => view.zoomBy(1 / KEY_ZOOM),
      0: () => view.fit(),
      Enter: () => here && (here.canOpen && state.extent.value === "whole" ? open(here) : choose(parts.program, here)),
      " ": () => here && choose(parts.program, here),
      Home: () => moveTo(central),
      ...{ ArrowUp: follow, ArrowDown: follow, ArrowLeft: follow, ArrowRight: follow },
    });
  };
  const moveTo = (/** @type {Node|null} */ node) => {
    if (!node) return;
    cursor.value = node.key;
    view.reveal(node);
  };
  const spoken = at ? sentenceOf(parts, at, statistic(at)) : "";
  return html`<${Bar} exports=${exports} /><div class="graph-picture" tabindex="0" role="application" aria-roledescription="graph" aria-label=${summary(tree, arrangement)}
      aria-describedby="graph-keys" onKeyDown=${onKey}>
      <canvas ref=${canvas} onPointerDown=${press} onWheel=${wheel} onPointerMove=${move} onPointerLeave=${() => (hovered.value = null)} aria-hidden="true"></canvas>
      <${Tip} hovered=${hovered} view=${view} parts=${parts} statistic=${statistic} />
      <${Minimap} view=${view} arrangement=${arrangement} scene=${scene} />
      <div class="graph-zoom" role="group" aria-label="Zoom">
        <button onClick=${() => view.zoomBy(KEY_ZOOM)} aria-label="Zoom in" title="Zoom in (+)">+</button>
        <button onClick=${() => view.zoomBy(1 / KEY_ZOOM)} aria-label="Zoom out" title="Zoom out (-)">−</button>
        <button onClick=${() => view.fit()} title="Show the whole graph (0)">Fit</button></div>
      <p class="hidden" id="graph-keys">Arrow keys follow edges: up to an operand, down to a reader, left and right to neighbours. Enter folds and unfolds, Space selects the value and goes to its op, + and - zoom, 0 shows everything.</p>
      <${Spoken} text=${spoken} /></div>
    <${Legend} legend=${legend} asked=${asked} />`;
}

/** @param {import("../../core/run/program.js").Program} program @param {Node} node */
function choose(program, node) {
  const [value] = node.values;
  if (value !== undefined) goToValue(program, value);
  else if (node.op !== null) goToOp(program, node.op);
}

/** @param {Node} node @param {number|null} value */
const isChosen = (node, value) =>
  value !== null &&
  (node.values.includes(value) || node.chips.some((chip) => chip.value === value) || state.holds(node, value));

/** @param {Target|null} target */
const hoveredIn = (target) => (target === null ? null : target.kind === "route" ? target.route : target.box);

/** @param {Node} tree @param {import("./arrange.js").Arrangement} arrangement @returns {string} */
function summary(tree, { boxes, routes }) {
  const nodes = boxes.filter(({ node }) => !node.isOpen).length;
  const folded = boxes.filter(({ node }) => node.canOpen && !node.isOpen).length;
  const what = tree.key === "" ? "Graph of the program" : "Graph around the selected value";
  return `${what}: ${counted(nodes, "node")}, ${folded > 0 ? `${folded} of them folded, ` : ""}${counted(routes.length, "edge")}`;
}

/** The card of the node or edge under the pointer. @param {{hovered: import("@preact/signals").Signal<{target: Target, x: number, y: number}|null>, view: GraphView, parts: import("./parts.js").Parts, statistic: (node: Node) => string}} props */
function Tip({ hovered, view, parts, statistic }) {
  const found = hovered.value;
  if (!found) return null;
  const { target, x, y } = found;
  const lines = linesOfTip(target, parts, statistic);
  const style = {
    ...(x < view.size.width / 2 ? { left: `${x + 14}px` } : { right: `${view.size.width - x + 14}px` }),
    ...(y < view.size.height / 2 ? { top: `${y + 10}px` } : { bottom: `${view.size.height - y + 10}px` }),
  };
  return html`<div class="graph-tip" style=${style} aria-hidden="true">${lines.map((line, at) => html`<p key=${at}>${line}</p>`)}</div>`;
}

/** @param {Target} target @param {import("./parts.js").Parts} parts @param {(node: Node) => string} statistic @returns {string[]} */
function linesOfTip(target, parts, statistic) {
  const { program } = parts;
  if (target.kind === "route") return wireSentence(parts, target.route.wire);
  if (target.kind === "chip") {
    const name = shownName(program, target.chip.value);
    const which = target.chip.operand >= 0 ? `operand ${target.chip.operand}` : "read by its region";
    return [`${which}: ${name}`, typeOf(program, target.chip.value)];
  }
  const { node } = target.box;
  if (node.op === null)
    return [
      node.title || "group",
      node.kind === "argument"
        ? `${shownName(program, node.values[0] ?? 0)} ${typeOf(program, node.values[0] ?? 0)}`
        : node.kind === "group"
          ? `${counted(node.count, "op")}: click to ${node.isOpen ? "fold" : "unfold"}`
          : "",
      statistic(node),
    ].filter(Boolean);
  const line = store.draftLine(program.op(node.op).line);
  return [textOfOp(program, node.op), `line ${line}`, statistic(node)].filter(Boolean);
}

/** The families of the visible ops, in the order of the legend. @param {import("../../core/run/program.js").Program} program @param {import("./arrange.js").Arrangement} arrangement @returns {string[]} */
function familiesOf(program, { boxes }) {
  const here = new Set(boxes.flatMap(({ node }) => (node.op === null ? [] : program.op(node.op).family)));
  return ["elementwise", "contraction", "reduction", "movement", "control", "collective", "other"].filter((family) =>
    here.has(/** @type {any} */ (family)),
  );
}
