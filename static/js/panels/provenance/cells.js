/** The cells of the value that is looked at: pointing at one asks for it, a click or a drag walks from there. */
import { untracked } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { unlit } from "../../indexing/projecting.js";
import { regionOf } from "../../indexing/regions.js";
import { recordedSource } from "../../indexing/sources.js";
import { PictureState } from "../../indexing/state.js";
import { TensorGrid } from "../../indexing/tensor_grid.js";
import { boxesOf } from "../../provenance/sets.js";

const TENSOR = { side: /** @type {const} */ ("result"), number: 0 };
/** Boxes that are drawn over the cells. */
const MOST_BOXES = 4096;

/**
 * @param {{recording: string, hop: import("../../provenance/walk.js").Hop, set: import("../../provenance/sets.js").WireSet|null,
 *   point: (index: number[]|null) => void, choose: (boxes: import("../../provenance/sets.js").WireBox[]) => void}} props
 */
export function Cells({ recording, hop, set, point, choose }) {
  const { source, error } = useSource(recording, hop);
  const state = useMemo(() => new PictureState(), [recording, hop.address]);
  const latest = useRef({ point, choose });
  latest.current = { point, choose };
  // What they do is none of the effects' business: only what was pointed at or chosen is.
  useEffect(() => state.hovered.subscribe((hovered) => untracked(() => latest.current.point(hovered?.at ?? null))), [state]);
  useEffect(() => state.selected.subscribe((selected) => untracked(() => selected && latest.current.choose(selected.boxes))), [state]);
  if (error) return html`<p class="quiet" role="status">${error}</p>`;
  if (!source) return null;
  const region = set && source.shape ? regionOf(source.shape, boxesOf(set, MOST_BOXES)) : null;
  const lit = { ...unlit(), role: /** @type {"source"|"idle"} */ (region ? "source" : "idle"), region };
  return html`<${TensorGrid} tensor=${TENSOR} source=${source} roles=${[]} lit=${lit} state=${state} />`;
}

/** @param {string} recording @param {import("../../provenance/walk.js").Hop} hop */
function useSource(recording, { address, name, type }) {
  const [found, setFound] = useState(/** @type {{address: string, source: import("../../indexing/sources.js").Source|null, error: string}} */ ({ address: "", source: null, error: "" }));
  useEffect(() => {
    const stop = new AbortController();
    recordedSource(recording, address, { name, type }, stop.signal).then(
      (source) => stop.signal.aborted || setFound({ address, source, error: "" }),
      (reason) => stop.signal.aborted || setFound({ address, source: null, error: reason.status === 404 ? `${name} has no value yet.` : reason.message }));
    return () => stop.abort();
  }, [recording, address]);
  return found.address === address ? found : { source: null, error: "" };
}
