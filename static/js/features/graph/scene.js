/** What the graph shows of the nodes at the position: marks, colours and pictures. */
import { familyClass } from "../../core/run/op_names.js";
import * as store from "../../core/store.js";
import { hops } from "../provenance/walk.js";
import { bytesText, short } from "../../core/tensor/elements.js";
import { pixelsOf } from "../../ui/list_pictures.js";
import { holds, nodesOf } from "./state.js";
import { bytesOf, colourIn, isWrong, logRange, magnitudeOf, pictureOf, seenValues, valuesOf } from "./values.js";
import { isFile } from "../../core/source.js";
/** @import {Arrangement} from "./arrange.js" */
/** @import {Node} from "./nest.js" */
/** @import {OpNumbers} from "./op_numbers.js" */
/** @import {Look, Mark, Scene} from "./paint.js" */
/** @import {Parts} from "./parts.js" */
/** @import {Colouring} from "./state.js" */
/** @import {Range, Seen} from "./values.js" */

/** Maximum number of nodes whose pictures are requested to colour all. */
const MOST_COLOURED = 1_500;

/**
 * @typedef {{scene: Scene, range: Range|null, isInfinite: boolean, seen: Map<number, Seen>, statistic: (node: Node) => string}} Shown
 *   range: of the colours; isInfinite: whether a number is; statistic: of a node, in words
 */

/** @param {Parts} parts @param {Node} root @param {Arrangement} arrangement @param {{colouring: Colouring, numbers: OpNumbers|null}} how numbers: of ops, if they colour the nodes @param {(token: string) => string} colour @returns {Shown} */
export function shownScene(parts, root, arrangement, { colouring, numbers }, colour) {
  const { program } = parts;
  const nodes = nodesOf(root);
  const values = new Map(nodes.map((node) => [node, valuesOf(node)]));
  const seen = seenValues(program, [...new Set([...values.values()].flat())]);
  const readsAll = colouring === "nonfinite" || colouring === "magnitude";
  const infoOf = (/** @type {number} */ value) => pictureOf(seen.get(value)) ?? null;
  const valuesIn = (/** @type {Node} */ node) => values.get(node) ?? [];
  const measure = numbers ?? ofValues(colouring, program, infoOf, valuesIn);
  const numberOf = (/** @type {Node} */ node) => (measure ? joined(measure.all(node), measure.isSum) : NaN);
  const numbered = new Map((readsAll ? nodes.slice(0, MOST_COLOURED) : nodes).map((node) => [node, numberOf(node)]));
  const range = measure && logRange([...numbered.values()], measure.text);
  const wrong = (/** @type {Node} */ node) => valuesIn(node).some((value) => isWrongValue(value, seen, infoOf));
  /** @param {Node} node @param {boolean} isReadable @returns {Look} */
  const look = (node, isReadable) => {
    const needs = isReadable || readsAll;
    const [first] = needs ? valuesIn(node) : [];
    const info = first !== undefined && node.kind !== "group" ? infoOf(first) : null;
    const bad = needs && wrong(node);
    return {
      colour:
        colouring === "nonfinite"
          ? colour(bad ? "--alarm" : "--line")
          : colourOf(node, colouring, numbered.get(node) ?? NaN, range, program, colour),
      picture: info && info.width * info.height > 0 ? pixelsOf(info) : null,
      isAhead: first !== undefined && seen.get(first)?.isAhead === true,
      isWrong: bad,
    };
  };
  const { marks, lit, path } = marked(parts, nodes);
  const scene = { arrangement, parts, marks, lit, path, hovered: null, cursor: null, look, hasLabels: root.key !== "" };
  const statistic = (/** @type {Node} */ node) => {
    const number = numbers ? numberOf(node) : NaN;
    const own = Number.isNaN(number) ? "" : numbers?.words(number);
    return [own, words(node, valuesIn(node), seen, infoOf, program)].filter(Boolean).join("; ");
  };
  const isInfinite = [...numbered.values()].includes(Infinity);
  return { scene, range, isInfinite, seen, statistic };
}

/** How a number of values colours nodes; null: none does. @param {Colouring} colouring @param {import("../../core/run/program.js").Program} program @param {(value: number) => import("../../core/types.js").ThumbnailInfo|null} infoOf @param {(node: Node) => readonly number[]} valuesIn */
function ofValues(colouring, program, infoOf, valuesIn) {
  const all = (/** @type {(value: number) => number} */ number) => (/** @type {Node} */ node) =>
    valuesIn(node).map(number);
  if (colouring === "bytes") return { all: all((value) => bytesOf(program, value)), isSum: true, text: bytesText };
  if (colouring !== "magnitude") return null;
  const magnitude = (/** @type {number} */ value) => {
    const info = infoOf(value);
    return info ? magnitudeOf(info) : NaN;
  };
  return { all: all(magnitude), isSum: false, text: (/** @type {number} */ each) => short(each, 3) };
}

/** The sum of the known numbers, or the largest; NaN for none. @param {readonly number[]} numbers @param {boolean} isSum @returns {number} */
export function joined(numbers, isSum) {
  const known = numbers.filter((each) => !Number.isNaN(each));
  return known.length === 0 ? NaN : known.reduce((a, b) => (isSum ? a + b : Math.max(a, b)));
}

/** @param {number} value @param {Map<number, Seen>} seen @param {(value: number) => import("../../core/types.js").ThumbnailInfo|null} infoOf */
function isWrongValue(value, seen, infoOf) {
  const [at, info] = [seen.get(value), infoOf(value)];
  return at !== undefined && info !== null && isWrong(at, info);
}

/** @param {Node} node @param {Colouring} colouring @param {number} number @param {Range|null} range @param {import("../../core/run/program.js").Program} program @param {(token: string) => string} colour @returns {string} */
function colourOf(node, colouring, number, range, program, colour) {
  if (colouring === "family") return colour(node.op === null ? "--control" : `--${familyClass(program.op(node.op))}`);
  if (number === Infinity) return colour("--alarm");
  return range === null || Number.isNaN(number) ? colour("--line") : colourIn(number, range);
}

/** @param {Parts} parts @param {readonly Node[]} nodes */
function marked({ program }, nodes) {
  /** @type {Map<Node, Set<Mark>>} */
  const marks = new Map();
  const mark = (/** @type {Node} */ node, /** @type {Mark} */ each) =>
    marks.set(node, (marks.get(node) ?? new Set()).add(each));
  const chosen = store.valueToDraw(store.calmPosition.value)?.value ?? null;
  const current = store.calmOp.value;
  const walked = isFile() ? [] : hops.value;
  const path = new Set(
    walked.length > 1 ? walked.flatMap(({ value, address }) => value ?? store.valueAt(address) ?? []) : [],
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
