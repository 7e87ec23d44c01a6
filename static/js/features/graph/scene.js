/** What the graph shows of the nodes at the position: marks, colours and pictures. */
import { parseAddress } from "../../core/addresses.js";
import { familyClass } from "../../core/run/op_names.js";
import * as store from "../../core/store.js";
import { hops } from "../provenance/walk.js";
import { bytesText, short } from "../../core/tensor/elements.js";
import { pixelsOf } from "../../ui/list_pictures.js";
import { holds, nodesOf } from "./state.js";
import { bytesOf, colourIn, isWrong, logRange, magnitudeOf, pictureOf, seenValues, valuesOf } from "./values.js";
/** @import {Arrangement} from "./arrange.js" */
/** @import {Node} from "./nest.js" */
/** @import {Look, Mark, Scene} from "./paint.js" */
/** @import {Parts} from "./parts.js" */
/** @import {Colouring} from "./state.js" */
/** @import {Range, Seen} from "./values.js" */

/** Maximum number of nodes whose pictures are requested to colour all. */
const MOST_COLOURED = 1_500;

/**
 * @typedef {{scene: Scene, range: Range|null, seen: Map<number, Seen>, statistic: (node: Node) => string}} Shown
 *   range: of the colours; statistic: of a node, in words
 */

/** @param {Parts} parts @param {Node} root @param {Arrangement} arrangement @param {Colouring} colouring @param {(token: string) => string} colour @returns {Shown} */
export function shownScene(parts, root, arrangement, colouring, colour) {
  const { program } = parts;
  const nodes = nodesOf(root);
  const values = new Map(nodes.map((node) => [node, valuesOf(node)]));
  const seen = seenValues(program, [...new Set([...values.values()].flat())]);
  const readsAll = colouring === "nonfinite" || colouring === "magnitude";
  const infoOf = (/** @type {number} */ value) => pictureOf(seen.get(value)) ?? null;
  const number = (/** @type {Node} */ node) => numberOf(values.get(node) ?? [], colouring, program, infoOf);
  const numbered = readsAll ? nodes.slice(0, MOST_COLOURED) : nodes;
  const numbers =
    colouring === "magnitude" || colouring === "bytes"
      ? new Map(numbered.map((node) => [node, number(node)]))
      : new Map();
  const range = logRange([...numbers.values()], colouring === "bytes" ? bytesText : (each) => short(each, 3));
  const wrong = (/** @type {Node} */ node) =>
    (values.get(node) ?? []).some((value) => isWrongValue(value, seen, infoOf));
  /** @param {Node} node @param {boolean} isReadable @returns {Look} */
  const look = (node, isReadable) => {
    const needs = isReadable || readsAll;
    const own = needs ? (values.get(node) ?? []) : [];
    const [first] = own;
    const info = first !== undefined && node.kind !== "group" ? infoOf(first) : null;
    const bad = needs && wrong(node);
    return {
      colour:
        colouring === "nonfinite"
          ? colour(bad ? "--alarm" : "--line")
          : colourOf(node, colouring, numbers.get(node), range, program, colour),
      picture: info && info.width * info.height > 0 ? pixelsOf(info) : null,
      isAhead: first !== undefined && seen.get(first)?.isAhead === true,
      isWrong: bad,
    };
  };
  const { marks, lit, path } = marked(parts, nodes);
  const scene = { arrangement, parts, marks, lit, path, hovered: null, cursor: null, look, hasLabels: root.key !== "" };
  const statistic = (/** @type {Node} */ node) => words(node, values.get(node) ?? [], seen, infoOf, program);
  return { scene, range, seen, statistic };
}

/** @param {readonly number[]} values @param {Colouring} colouring @param {import("../../core/run/program.js").Program} program @param {(value: number) => import("../../core/types.js").ThumbnailInfo|null} infoOf @returns {number} */
function numberOf(values, colouring, program, infoOf) {
  const numbers = values.map((value) => {
    if (colouring === "bytes") return bytesOf(program, value);
    const info = infoOf(value);
    return info ? magnitudeOf(info) : NaN;
  });
  const known = numbers.filter((each) => !Number.isNaN(each));
  if (known.length === 0) return NaN;
  return colouring === "bytes" ? known.reduce((a, b) => a + b) : Math.max(...known);
}

/** @param {number} value @param {Map<number, Seen>} seen @param {(value: number) => import("../../core/types.js").ThumbnailInfo|null} infoOf */
function isWrongValue(value, seen, infoOf) {
  const [at, info] = [seen.get(value), infoOf(value)];
  return at !== undefined && info !== null && isWrong(at, info);
}

/** @param {Node} node @param {Colouring} colouring @param {number|undefined} number @param {Range|null} range @param {import("../../core/run/program.js").Program} program @param {(token: string) => string} colour @returns {string} */
function colourOf(node, colouring, number, range, program, colour) {
  if (colouring === "family") return colour(node.op === null ? "--control" : `--${familyClass(program.op(node.op))}`);
  if (number === undefined || range === null || Number.isNaN(number)) return colour("--line");
  return colourIn(number, range);
}

/** @param {Parts} parts @param {readonly Node[]} nodes */
function marked({ program }, nodes) {
  /** @type {Map<Node, Set<Mark>>} */
  const marks = new Map();
  const mark = (/** @type {Node} */ node, /** @type {Mark} */ each) =>
    marks.set(node, (marks.get(node) ?? new Set()).add(each));
  const chosen = store.valueToDraw(store.calmPosition.value)?.value ?? null;
  const current = store.calmOp.value;
  const path = new Set(
    hops.value.length > 1 ? hops.value.flatMap(({ value, address }) => value ?? valueAt(address) ?? []) : [],
  );
  const currentValue = current === null ? undefined : program.op(current).results[0];
  for (const node of nodes) {
    if (chosen !== null && (node.values.includes(chosen) || holds(node, chosen))) mark(node, "chosen");
    if (current !== null && (node.op === current || (currentValue !== undefined && holds(node, currentValue))))
      mark(node, "current");
    if (node.values.some((value) => path.has(value))) mark(node, "path");
  }
  return { marks, lit: new Set(chosen === null ? [] : [chosen, ...readBy(program, chosen)]), path };
}

/** What the op of a value reads. @param {import("../../core/run/program.js").Program} program @param {number} value @returns {readonly number[]} */
function readBy(program, value) {
  const { op } = program.definition(value);
  return op === null ? [] : program.op(op).operands;
}

/** The value of the program at an address, as far as the outline is loaded. @param {string} address @returns {number|null} */
function valueAt(address) {
  const { step, frame, index } = parseAddress(address);
  return store.atPosition((outline, _at, program) => {
    const values =
      step === null ? program.block(outline.block(frame ?? 0)).arguments : program.op(outline.op(step)).results;
    return values[index] ?? null;
  });
}

/** @param {Node} node @param {readonly number[]} values @param {Map<number, Seen>} seen @param {(value: number) => import("../../core/types.js").ThumbnailInfo|null} infoOf @param {import("../../core/run/program.js").Program} program @returns {string} */
function words(node, values, seen, infoOf, program) {
  const [first] = values;
  if (first === undefined || node.kind === "group") return "";
  const bytes = bytesOf(program, first);
  const size = Number.isNaN(bytes) ? "" : bytesText(bytes);
  const [at, info] = [seen.get(first), infoOf(first)];
  if (!at) return [size, "has no value yet"].filter(Boolean).join("; ");
  return [info?.text.replace(/^\S+ ?/, ""), size, at.isAhead ? "ahead: this op is about to run" : ""]
    .filter(Boolean)
    .join("; ");
}
