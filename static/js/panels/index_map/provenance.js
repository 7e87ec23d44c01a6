/** Asks the server which elements belong together, where that would take too long here. */
import { getJson, recordingPath } from "../../api.js";
import { regionFromWire } from "../../indexing/regions.js";
import { across } from "../../indexing/related.js";

/** Boxes of a question; of more, the server is not asked. */
const MOST_BOXES = 32;

/**
 * The elements of each tensor of the other side, by one step of the provenance.
 *
 * @param {string} key @param {import("../../indexing/picture.js").Maps} maps @param {import("./use.js").Sources} sources
 * @param {import("../../indexing/related.js").Chosen} chosen @returns {Promise<import("../../indexing/related.js").Related[]>|null}
 */
export function askProvenance(key, maps, sources, chosen) {
  const source = (chosen.side === "operand" ? sources.operands : sources.results)[chosen.number];
  if (!source?.address || chosen.boxes.length > MOST_BOXES) return null;
  const others = across(chosen.side) === "operand" ? sources.operands : sources.results;
  const direction = chosen.side === "result" ? "back" : "forward";
  const query = `address=${encodeURIComponent(source.address)}&elements=${encodeURIComponent(chosen.boxes.map(boxText).join(";"))}&direction=${direction}&reach=step`;
  return getJson(`${recordingPath(key)}/provenance?${query}`).then(({ nodes }) => found(nodes, others));
}

/** `@0:2,3:5`, as the server reads it. @param {import("../../indexing/regions.js").Box} box @returns {string} */
export const boxText = ({ start, sizes, strides }) => `@${start.map((at, axis) => {
  const [size, stride] = [sizes[axis] ?? 1, strides[axis] ?? 1];
  return `${at}:${at + (size - 1) * stride + 1}${stride > 1 ? `:${stride}` : ""}`;
}).join(",")}`;

/** @param {{address: string|null, elements: Parameters<typeof regionFromWire>[0]}[]} nodes @param {import("../../indexing/sources.js").Source[]} others @returns {import("../../indexing/related.js").Related[]} */
function found(nodes, others) {
  return others.flatMap(({ address }, number) => {
    const node = nodes.find((candidate, at) => at > 0 && candidate.address === address);
    return node && address ? [{ number, region: regionFromWire(node.elements), placed: false }] : [];
  });
}
