/** What the index panel fetches: the maps of an op, and the values that it had at a step. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { getBinary, getJson, recordingPath } from "../../api.js";
import { foundSource, recordedSource, shapeSource } from "../../indexing/sources.js";
import { addressIn } from "../../run/addresses.js";
import * as store from "../../store.js";

/**
 * @typedef {import("../../indexing/picture.js").Maps} Maps
 * @typedef {import("../../indexing/sources.js").Source} Source
 * @typedef {{name: string, type: string, shape: number[]|null, elementType: string|null, value: number|null, path: number[]}} MappedTensor
 * @typedef {{operands: Source[], results: Source[], found: (number: number) => Source|null}} Sources
 */

/** The maps of an op; they never change. @type {Map<string, Promise<Maps>>} */
const known = new Map();

/** @param {string} key @param {number} op @returns {Promise<Maps>} */
function fetchMaps(key, op) {
  const name = `${key} ${op}`;
  const already = known.get(name);
  if (already) return already;
  const promise = getJson(`${recordingPath(key)}/maps/${op}`);
  known.set(name, promise);
  // Sizes that are open now may be known later.
  promise.then(({ operands, results }) => [...operands, ...results].some(({ shape }) => shape === null) && known.delete(name), () => known.delete(name));
  return promise;
}

/** @param {string} key @param {number} op @returns {{maps: Maps|null, error: unknown, retry: () => void}} */
export function useMaps(key, op) {
  const [maps, setMaps] = useState(/** @type {Maps|null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let gone = false;
    setError(null);
    fetchMaps(key, op).then((found) => gone || setMaps(found), (reason) => gone || setError(reason));
    return () => {
      gone = true;
    };
  }, [key, op, attempt]);
  return { maps, error, retry: () => setAttempt(attempt + 1) };
}

/** Where the op's operands and results are kept, as text; "" for those that are not. @param {Maps} maps @param {number|null} step @returns {string[]} */
function addressesOf({ operands, results }, step) {
  return [...operands, ...results].map((tensor) => {
    const { value, path } = /** @type {MappedTensor} */ (/** @type {unknown} */ (tensor));
    const located = value === null ? null : store.locate(value, step ?? store.position.value);
    return located ? addressIn(located.address, path) : "";
  });
}

/**
 * The tensors of an op as a step ran it; null: it was not run. Their shapes are there at once; their elements as soon as they have come.
 *
 * @param {string} key @param {number} op @param {Maps} maps @param {number|null} step @returns {Sources}
 */
export function useSources(key, op, maps, step) {
  const addresses = addressesOf(maps, step);
  const name = addresses.join(" ");
  const [loaded, setLoaded] = useState(/** @type {{name: string, tensors: ReadonlyMap<number, Source>, found: ReadonlyMap<number, Source>}} */ ({ name, tensors: new Map(), found: new Map() }));
  const process = store.process.value;
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const fresh = (/** @type {typeof loaded} */ before) => (before.name === name ? before : { name, tensors: new Map(), found: new Map() });
    const keep = (/** @type {"tensors"|"found"} */ kind, /** @type {number} */ number) => (/** @type {Source|null} */ source) => {
      if (!signal.aborted && source) setLoaded((before) => ({ ...fresh(before), [kind]: new Map(fresh(before)[kind]).set(number, source) }));
    };
    [...maps.operands, ...maps.results].forEach((tensor, number) => loadOne(key, addresses[number] ?? "", tensor, signal).then(keep("tensors", number), () => undefined));
    for (const number of numbersRead(maps)) {
      const found = number - maps.operands.length;
      if (found >= 0 && step !== null) loadFound(key, op, { process, step }, number, maps.found[found] ?? "", signal).then(keep("found", number), () => undefined);
    }
    return () => stop.abort();
  }, [key, op, maps, name, process, step]);
  return useMemo(() => {
    const known = loaded.name === name ? loaded : { tensors: new Map(), found: new Map() };
    const all = [...maps.operands, ...maps.results].map((tensor, number) => known.tensors.get(number) ?? shapeSource({ ...tensor, elementType: undefined }));
    return { operands: all.slice(0, maps.operands.length), results: all.slice(maps.operands.length), found: (/** @type {number} */ number) => known.found.get(number) ?? null };
  }, [loaded, name, maps]);
}

/** The numbers that runtime variables are read from. @param {Maps} maps @returns {Set<number>} */
function numbersRead({ maps, inverse, values }) {
  const found = new Set();
  const look = (/** @type {import("../../indexing/maps.js").IndexMap} */ map) => map.runtimes.forEach((variable) => {
    found.add(variable.operand);
    look(variable.map);
  });
  for (const { map } of [...maps, ...inverse, ...(values?.maps ?? []), ...(values?.inverse ?? [])]) look(map);
  return found;
}

/** A value that is not recorded has a shape nevertheless. @param {string} key @param {string} address @param {import("../../indexing/related.js").Named} tensor @param {AbortSignal} signal @returns {Promise<Source>} */
async function loadOne(key, address, tensor, signal) {
  if (address === "" || tensor.shape === null) return shapeSource(tensor);
  try {
    return await recordedSource(key, address, tensor, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return shapeSource(tensor);
  }
}

/** @param {string} key @param {number} op @param {{process: number, step: number}} at @param {number} number @param {string} name @param {AbortSignal} signal @returns {Promise<Source|null>} */
async function loadFound(key, op, { process, step }, number, name, signal) {
  try {
    const { header } = await getBinary(`${recordingPath(key)}/maps/${op}/found?process=${process}&step=${step}&number=${number}&count=1`, signal);
    const shape = (header("X-Shape") ?? "").split(",").filter(Boolean).map(Number);
    return foundSource(key, { op, process, step, number, name, shape });
  } catch (error) {
    if (signal.aborted) throw error;
    return null;
  }
}
