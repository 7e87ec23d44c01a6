/** The processes that a collective op's maps speak of, and what each has there. */
import { useEffect, useRef, useState } from "preact/hooks";
import { goToIn } from "../../actions.js";
import { getJson, recordingPath } from "../../api.js";
import { recordedSource, shapeSource } from "../../indexing/sources.js";
import { addressIn } from "../../run/addresses.js";
import * as store from "../../store.js";

/** @typedef {{process: number, step: number|null, values: Record<string, string>}} PlaceInfo */
/** @typedef {import("../../indexing/sources.js").Source} Source */

/** @param {string} key @param {number} op @param {import("../../indexing/picture.js").Maps} maps @param {number|null} step @returns {import("../../indexing/picture.js").Places|null} */
export function usePlaces(key, op, maps, step) {
  const [found, setFound] = useState(/** @type {PlaceInfo[]} */ ([]));
  const [, setArrivals] = useState(0);
  const sources = useRef(/** @type {Map<string, Source|null>} */ (new Map()));
  const process = store.process.value;
  const placed = [...maps.maps, ...maps.inverse].some(({ place }) => place !== null);
  useEffect(() => {
    let gone = false;
    sources.current = new Map();
    setFound([]);
    if (placed && step !== null) getJson(`${recordingPath(key)}/maps/${op}/places?process=${process}&step=${step}`).then((answer) => gone || setFound(answer), () => undefined);
    return () => {
      gone = true;
    };
  }, [key, op, process, step, placed]);
  if (found.length === 0) return null;
  /** @param {import("../../indexing/related.js").Side} side @param {number} number @param {number} place @returns {Source|null} */
  const source = (side, number, place) => {
    const tensor = /** @type {import("./use.js").MappedTensor} */ (/** @type {unknown} */ ((side === "operand" ? maps.operands : maps.results)[number]));
    const whole = tensor.value === null ? "" : found[place]?.values[String(tensor.value)] ?? "";
    const address = whole && addressIn(whole, tensor.path);
    if (!address) return shapeSource({ ...tensor, elementType: tensor.elementType ?? undefined });
    const already = sources.current.get(address);
    if (already !== undefined) return already;
    sources.current.set(address, null);
    recordedSource(key, address, tensor).catch(() => shapeSource({ ...tensor, elementType: tensor.elementType ?? undefined })).then((made) => {
      sources.current.set(address, made);
      setArrivals((count) => count + 1);
    });
    return null;
  };
  const own = found.findIndex((place) => place.process === process);
  return {
    names: found.map((place) => store.grid.value?.nameOf(place.process) ?? String(place.process)), own: own < 0 ? null : own, source,
    show: (place) => {
      const info = found[place];
      if (info && info.step !== null) void goToIn(info.process, info.step);
    },
  };
}
