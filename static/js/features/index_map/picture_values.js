/** Values of a picture that are recomputed when the selection changes or data arrives. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { pointBox } from "../../core/indexing/regions.js";
import { findRelated } from "../../core/indexing/related.js";
import { RunValues } from "../../core/indexing/runtime_variables.js";
import { paddingOf } from "../../core/indexing/window_positions.js";
import { marksOf, windowsAt } from "./window_parts.js";
/** @import {Chosen, Related} from "../../core/indexing/related.js" */
/** @import {Source} from "../../ui/tensor_grid/sources.js" */
/** @import {OpMapsInfo as Maps} from "../../core/types.js" */

/** The values of runtime variables, and a counter that grows when some arrive. @param {Maps} maps @param {Source[]} operands @param {((number: number) => Source|null)|undefined} found */
export function useValues(maps, operands, found) {
  const [version, setVersion] = useState(0);
  const values = useMemo(
    () =>
      new RunValues(
        (number) => operands[number] ?? found?.(number) ?? null,
        () => setVersion((before) => before + 1),
      ),
    [operands, found],
  );
  useEffect(() => () => values.close(), [values]);
  return { values, version };
}

/**
 * The elements related to the chosen ones; the server computes them if this page cannot in time.
 *
 * @param {Maps} maps @param {Chosen|null} chosen @param {ReturnType<typeof useValues>} bound
 * @param {((chosen: Chosen) => Promise<Related[]>|null)|undefined} beyond
 */
export function useRelated(maps, chosen, { values, version }, beyond) {
  const found = useMemo(() => (chosen ? findRelated(maps, chosen, values) : []), [maps, chosen, values, version]);
  const [told, setTold] = useState(/** @type {{chosen: unknown, related: Related[]}|null} */ (null));
  const asked = useRef(/** @type {unknown} */ (null));
  const incomplete = found.some(({ region }) => region && !region.complete);
  useEffect(() => {
    if (!incomplete || !chosen || asked.current === chosen) return;
    asked.current = chosen;
    beyond?.(chosen)?.then(
      (answer) => asked.current === chosen && setTold({ chosen, related: answer }),
      () => undefined,
    );
  }, [incomplete, chosen]);
  if (incomplete && told?.chosen === chosen)
    return {
      related: found.map((own) => told.related.find(({ number }) => number === own.number) ?? own),
      waiting: false,
    };
  return { related: found, waiting: incomplete || found.some(({ region }) => region?.waiting) };
}

/** @param {Maps} maps @param {Chosen|null} chosen @param {ReturnType<typeof useValues>} bound */
export function useParts(maps, chosen, { values, version }) {
  const padding = useMemo(() => paddingOf(maps, values), [maps, values, version]);
  const marks = useMemo(() => marksOf(maps, values), [maps, values, version]);
  const windows = useMemo(() => windowsAt(maps, chosen, values), [maps, chosen, values, version]);
  return { padding, marks, windows };
}

/** Choose the first element of the first result initially, so that the picture shows its purpose. @param {import("../../ui/tensor_grid/state.js").PictureState} state @param {Source[]} results */
export function useStart(state, results) {
  useEffect(() => {
    const number = results.findIndex(({ shape }) => shape !== null && !shape.includes(0));
    const shape = results[number]?.shape;
    if (!shape || state.selected.peek() !== null) return;
    const at = shape.map(() => 0);
    state.select({ side: "result", number, boxes: [pointBox(at)], at });
  }, [state]);
}

/** The tensors of one lane, for a region that ran on many elements at once, and the shape of the lanes. @param {Source[]} operands @param {Source[]} results @param {import("../../ui/tensor_grid/state.js").PictureState} state @returns {[Source[], Source[], number[]|null]} */
export function useLanes(operands, results, state) {
  const lane = state.lane.value;
  return useMemo(() => {
    const lanes = [...operands, ...results].find((source) => source.lanes && source.lanes.length > 0)?.lanes ?? null;
    const one = (/** @type {Source} */ source) => source.atLane?.(lane) ?? source;
    return [operands.map(one), results.map(one), lanes];
  }, [operands, results, lane]);
}
