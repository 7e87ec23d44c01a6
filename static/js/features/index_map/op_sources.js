/** Loads the maps of an op, and its values at a step. */
import { useMemo } from "preact/hooks";
import { goToIn } from "../../core/actions.js";
import { elementAddress } from "../../core/addresses.js";
import { AnswerCache } from "../../core/answers.js";
import { getBinary, getJson, recordingPath } from "../../core/api.js";
import { coveredSizes, isHidden } from "../../core/hidden_values.js";
import { regionFromWire } from "../../core/indexing/regions.js";
import { across } from "../../core/indexing/related.js";
import { asShown } from "../../core/run/value_names.js";
import * as store from "../../core/store.js";
import { foundSource, recordedSource, shapeSource } from "../../ui/tensor_grid/sources.js";
import { useJson, useResource, useResources } from "../../ui/resource.js";
/** @import {PlaceInfo, OpMapsInfo as Maps} from "../../core/types.js" */
/** @import {Source} from "../../ui/tensor_grid/sources.js" */

/** @typedef {{operands: Source[], results: Source[], found: (number: number) => Source|null}} Sources */

const KEPT_MAPS = 400;
const KEPT_SOURCES = 1_000;

/** The maps of an op, which never change. @type {AnswerCache<Maps>} */
const known = new AnswerCache(KEPT_MAPS);

/** @param {string} key @param {number} op @param {AbortSignal} stop @returns {Promise<Maps>} */
async function fetchMaps(key, op, stop) {
  const maps = asShown(store.program.peek(), await getJson(`${recordingPath(key)}/maps/${op}`, stop), op);
  // Open sizes may become known later.
  if ([...maps.operands, ...maps.results].every(({ shape }) => shape !== null)) known.keep(`${key} ${op}`, maps);
  return maps;
}

/** @param {string} key @param {number} op @returns {{maps: Maps|null, error: unknown, retry: () => void}} */
export function useMaps(key, op) {
  const { value, error, isLoading, retry } = useResource(`${key} ${op}`, (stop) => fetchMaps(key, op, stop), { known });
  return { maps: value ?? null, error: isLoading ? null : error, retry };
}

/** @param {Maps["operands"][number]} tensor @param {number|null} step @returns {string} "" for one that is not recorded */
function addressOf({ value, path }, step) {
  const located = value === null ? null : store.locate(value, step ?? store.calmPosition.value);
  return located ? elementAddress(located.address, path) : "";
}

/** The addresses of the op's operands and results as text; "" for those that are hidden or not recorded. @param {string} key @param {Maps} maps @param {number|null} step @returns {string[]} */
const addressesOf = (key, { operands, results }, step) =>
  [...operands, ...results].map((tensor) => {
    const address = addressOf(tensor, step);
    return isHidden(key, address) ? "" : address;
  });

/** The operand or result whose shape a question asks for. @param {string} key @param {Maps} maps @param {number|null} step @returns {{name: string}|undefined} */
export const shapeAsked = (key, { operands, results }, step) =>
  coveredSizes.value.size === 0
    ? undefined
    : [...operands, ...results].find((tensor) => isHidden(key, addressOf(tensor, step)));

/**
 * The tensors of an op at a step; null if it did not run. Shapes are available immediately, elements once they have
 * arrived.
 *
 * @param {string} key @param {number} op @param {Maps} maps @param {number|null} step @returns {Sources}
 */
export function useSources(key, op, maps, step) {
  const process = store.process.value;
  const tensors = [...maps.operands, ...maps.results];
  const addresses = addressesOf(key, maps, step);
  const recorded = useResources(
    addresses.map((address, number) =>
      address && tensors[number]?.shape ? `${key} ${op} ${number} ${address}` : null,
    ),
    (number, stop) => recordedSource(key, addresses[number] ?? "", tensors[number] ?? UNNAMED, stop),
  );
  const auxiliary = maps.found.map((_, number) => maps.operands.length + number);
  const read = numbersRead(maps);
  const found = useResources(
    auxiliary.map((number) => (step !== null && read.has(number) ? `${key} ${op} ${process} ${step} ${number}` : null)),
    (at, stop) =>
      fetchFound(key, { op, process, step: step ?? 0, number: auxiliary[at] ?? 0, name: maps.found[at] ?? "" }, stop),
  );
  return useMemo(() => {
    const all = tensors.map((tensor, number) => recorded[number] ?? unrecorded(tensor));
    return {
      operands: all.slice(0, maps.operands.length),
      results: all.slice(maps.operands.length),
      found: (/** @type {number} */ number) => found[number - maps.operands.length] ?? null,
    };
  }, [recorded, found, maps]);
}

const UNNAMED = { name: "", type: "", shape: null };

/** A value that is missing or still loading has a shape nevertheless. @param {import("../../core/indexing/related.js").Named & {elementType?: string|null}} tensor @returns {Source} */
const unrecorded = (tensor) => shapeSource({ ...tensor, elementType: tensor.elementType ?? undefined });

/** The sources of runtime variables. @param {Maps} maps @returns {Set<number>} */
function numbersRead({ maps, inverse, values }) {
  const found = new Set();
  const look = (/** @type {import("../../core/types.js").MapInfo} */ map) =>
    map.runtimes.forEach((variable) => {
      found.add(variable.operand);
      look(variable.map);
    });
  for (const { map } of [...maps, ...inverse, ...(values?.maps ?? []), ...(values?.inverse ?? [])]) look(map);
  return found;
}

/** @param {string} key @param {{op: number, process: number, step: number, number: number, name: string}} where @param {AbortSignal} stop @returns {Promise<Source>} */
async function fetchFound(key, where, stop) {
  const { op, process, step, number } = where;
  const query = `process=${process}&step=${step}&number=${number}&count=1`;
  const { header } = await getBinary(`${recordingPath(key)}/maps/${op}/found?${query}`, stop);
  const shape = (header("X-Shape") ?? "").split(",").filter(Boolean).map(Number);
  return foundSource(key, { ...where, shape });
}

/** Requests related elements from the server, if computing them here would take too long. */

/** Maximum number of boxes in a request; for more, the server is not asked. */
const MOST_BOXES = 32;

/**
 * The related elements of each tensor of the other side, by one step of provenance.
 *
 * @param {string} key @param {Maps} maps @param {Sources} sources
 * @param {import("../../core/indexing/related.js").Chosen} chosen @returns {Promise<import("../../core/indexing/related.js").Related[]>|null}
 */
export function askProvenance(key, maps, sources, chosen) {
  const source = (chosen.side === "operand" ? sources.operands : sources.results)[chosen.number];
  if (!source?.address || chosen.boxes.length > MOST_BOXES) return null;
  const others = across(chosen.side) === "operand" ? sources.operands : sources.results;
  const direction = chosen.side === "result" ? "back" : "forward";
  const query = `address=${encodeURIComponent(source.address)}&elements=${encodeURIComponent(chosen.boxes.map(boxText).join(";"))}&direction=${direction}&reach=step`;
  return getJson(`${recordingPath(key)}/provenance?${query}`).then(({ nodes }) => found(nodes, others));
}

/** `@0:2,3:5`, as the server parses it. @param {import("../../core/indexing/regions.js").Box} box @returns {string} */
export const boxText = ({ start, sizes, strides }) =>
  `@${start
    .map((at, axis) => {
      const [size, stride] = [sizes[axis] ?? 1, strides[axis] ?? 1];
      return `${at}:${at + (size - 1) * stride + 1}${stride > 1 ? `:${stride}` : ""}`;
    })
    .join(",")}`;

/** @param {{address: string|null, elements: Parameters<typeof regionFromWire>[0]}[]} nodes @param {Source[]} others @returns {import("../../core/indexing/related.js").Related[]} */
const found = (nodes, others) =>
  others.flatMap(({ address }, number) => {
    const node = nodes.find((candidate, at) => at > 0 && candidate.address === address);
    return node && address ? [{ number, region: regionFromWire(node.elements), placed: false }] : [];
  });

/** The processes in the maps of a collective, and their values. */

/** The tensors of each process. @type {AnswerCache<Source>} */
const placed = new AnswerCache(KEPT_SOURCES);

/** @param {string} key @param {number} op @param {Maps} maps @param {number|null} step @returns {import("./index_picture.js").Places|null} */
export function usePlaces(key, op, maps, step) {
  placed.arrivals.value;
  const process = store.process.value;
  const isPlaced = [...maps.maps, ...maps.inverse].some(({ place }) => place !== null);
  const path = `${recordingPath(key)}/maps/${op}/places?process=${process}&step=${step}`;
  const { value, isLoading } = useJson(isPlaced && step !== null ? path : null);
  const found = /** @type {PlaceInfo[]} */ (isLoading || !isPlaced || step === null ? [] : (value ?? []));
  if (found.length === 0) return null;
  const own = found.findIndex((place) => place.process === process);
  return {
    names: found.map((place) => store.grid.value?.nameOf(place.process) ?? String(place.process)),
    own: own < 0 ? null : own,
    source: (side, number, place) =>
      sourceAt(key, found[place], (side === "operand" ? maps.operands : maps.results)[number]),
    show: (place) => {
      const info = found[place];
      if (info && info.step !== null) void goToIn(info.process, info.step);
    },
  };
}

/** The value of an operand or result in a process; null while it is loading. @param {string} key @param {PlaceInfo|undefined} place @param {Maps["operands"][number]|undefined} tensor @returns {Source|null} */
function sourceAt(key, place, tensor) {
  if (!tensor) return null;
  const { value, path } = tensor;
  const tuple = value === null ? "" : (place?.values[String(value)] ?? "");
  const address = tuple && elementAddress(tuple, path);
  if (!address || isHidden(key, address)) return unrecorded(tensor);
  const source = placed.read(`${key} ${tensor.name} ${address}`, () => recordedSource(key, address, tensor));
  return source instanceof Error ? unrecorded(tensor) : (source ?? null);
}
