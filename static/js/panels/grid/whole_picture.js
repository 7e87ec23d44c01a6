/** The picture of a whole tensor in pieces, what is under the pointer in it, and the pieces as a list. */
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { showProcess } from "../../actions.js";
import { valueWindow } from "../../api.js";
import { boxWords, sizeOf } from "../../grid/boxes.js";
import { openElement } from "../../grid/element_wanted.js";
import { namesOf } from "../../grid/naming.js";
import { elementPlace, holderOf, labelsOf, pieceAt, sliceIn } from "../../grid/whole.js";
import { WholeSource } from "../../grid/whole_source.js";
import * as store from "../../store.js";
import { pictureSize, sliceKey } from "../../tensor/axes.js";
import { kindOf } from "../../tensor/elements.js";
import { WindowSource } from "../../tensor/source.js";
import { ColourControls } from "../tensor/controls.js";
import { listen } from "../tensor/gestures.js";
import { Legend } from "../tensor/legend.js";
import { redrawWithTheme, useInk } from "../tensor/picture.js";
import { readout } from "../tensor/readout.js";
import { coloursOpen } from "../tensor/settings.js";
import { WholeMap } from "./whole_map.js";

/** @typedef {import("../../grid/whole.js").Sharding} Sharding */
/** @typedef {import("../../grid/whole.js").Seen} Seen */
/** @typedef {import("../../tensor/axes.js").Slice} Slice */
/** @typedef {import("../tensor/heat_map.js").Place} Place */
/** @typedef {import("../../types.js").ValueSummary} ValueSummary */
/** @typedef {ReadonlyMap<number, string>} Addresses */
/**
 * @typedef {{recording: string, selected: import("../../types.js").SelectedValue, sharding: Sharding, slice: Slice, seen: Seen[],
 *   addresses: Addresses, known: ValueSummary|null}} Props
 */
/** @typedef {import("../../grid/whole_source.js").Part & {slice: Slice, summary: ValueSummary}} DrawnPart */

/** Where no process has a value, only the pieces are drawn. @type {ValueSummary} */
const NOTHING = {
  address: "", type: "", shape: [], lanes: null, layout: null, elementType: "f32", wire: { dtype: "f32", components: 1 }, count: 0, text: "",
  statistics: null, histogram: null,
};

/** @param {Props} props */
export function WholePicture(props) {
  const { selected, sharding, slice, seen, addresses } = props;
  const known = props.known ?? NOTHING;
  const frame = useRef(/** @type {HTMLDivElement|null} */ (null));
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const map = useRef(/** @type {WholeMap|null} */ (null));
  const [place, setPlace] = useState(/** @type {Place|null} */ (null));
  const [status, setStatus] = useState(/** @type {import("../tensor/heat_map.js").Status|null} */ (null));
  const [, setArrivals] = useState(0);
  const ink = useInk({ key: props.recording, selected, summary: known });
  const { source, parts, arrived } = useWhole(props);
  const shown = store.process.value;
  const grid = store.grid.value;

  useEffect(() => {
    if (!canvas.current || !frame.current) return undefined;
    const made = new WholeMap(canvas.current, { place: setPlace, status: setStatus });
    map.current = made;
    const ends = [listen(frame.current, canvas.current, made), redrawWithTheme(map)];
    return () => {
      for (const end of ends) end();
      made.close();
    };
  }, []);
  useEffect(() => {
    arrived.current = () => {
      map.current?.redraw();
      setArrivals((count) => count + 1);
    };
    const name = (/** @type {number} */ axis) => (axis < 0 ? "" : `d${axis}`);
    const names = { rows: name(slice.rows), columns: name(slice.columns) };
    map.current?.show({ source: /** @type {any} */ (source), ink, elementType: known.elementType, wire: known.wire, names });
  }, [source, ink]);
  const under = place && pieceAt(seen, place.row, place.column);
  useEffect(() => map.current?.outline(seen.map((piece) => ({
    rectangle: piece.rectangle, shown: piece.processes.includes(shown), hot: piece === under, absent: holderOf(piece, shown, addresses) === null,
    labels: labelsOf(piece.processes.map((process) => grid?.nameOf(process) ?? String(process))),
  }))), [seen, shown, under, addresses]);

  const at = place && elementPlace(slice, seen, place.row, place.column);
  const go = () => goTo(at, shown, addresses);
  const kind = kindOf(known.elementType, known.wire);
  return html`<div class="tensor-frame" ref=${frame} tabindex="0" role="application" aria-roledescription="heat map" aria-describedby="whole-keys"
      aria-label=${`${selected.name} as one whole, in the pieces of the processes`}>
      <canvas ref=${canvas} onClick=${() => map.current?.hover === null && go()}></canvas></div>
    <p id="whole-keys" class="hidden">Arrow keys move to an element and say whose piece it lies in. Plus and minus zoom, 0 shows everything. The buttons below go to its process.</p>
    <div class="tensor-readout"><output aria-live=${place?.by === "keys" ? "polite" : "off"}>${words(parts, sharding, slice, at, place, selected.name) ?? html`<span class="quiet">${hint(status)}</span>`}</output>
      <span class="tensor-zoom" role="group" aria-label="Zoom">
        <button aria-label="Zoom out" disabled=${status?.whole} onClick=${() => map.current?.zoom(1 / 2)}>−</button>
        <button onClick=${() => map.current?.fit()} disabled=${status?.whole}>Whole</button>
        <button aria-label="Zoom in" onClick=${() => map.current?.zoom(2)}>+</button></span></div>
    <${Ways} map=${map} place=${place} slice=${slice} seen=${seen} sharding=${sharding} addresses=${addresses} />
    <div class="tensor-legend">${props.known && html`<${Legend} ink=${ink} kind=${kind} statistics=${known.statistics} />`}<span class="spring"></span>
      ${props.known && kind !== "boolean" && html`<button aria-expanded=${coloursOpen.value} onClick=${() => (coloursOpen.value = !coloursOpen.value)}>Colours ${coloursOpen.value ? "▴" : "▾"}</button>`}</div>
    ${props.known && coloursOpen.value && html`<${ColourControls} kind=${kind} binned=${(status?.level ?? 0) > 0} />`}`;
}

/** The windows of all pieces in this slice. @param {Props} props @returns {{source: WholeSource, parts: DrawnPart[], arrived: {current: () => void}}} */
function useWhole({ recording, selected, sharding, slice, seen, addresses, known }) {
  const arrived = useRef(() => {});
  const shown = store.process.value;
  const held = sharding.whole ? [] : seen.map((piece) => addresses.get(holderOf(piece, shown, addresses) ?? -1) ?? "");
  const name = [recording, selected.address, sliceKey(slice), ...held, known?.elementType].join(" ");
  const made = useMemo(() => {
    const [height, width] = pictureSize(slice, sharding.shape);
    const all = sharding.whole ? [{ piece: { processes: [], start: sharding.shape.map(() => 0), sizes: sharding.shape, rectangle: { row: 0, column: 0, height, width } }, address: selected.address }]
      : seen.map((piece, number) => ({ piece, address: held[number] ?? "" }));
    const parts = known === null ? [] : all.filter(({ address }) => address !== "").map(({ piece, address }) =>
      partOf(recording, address, piece, slice, known, () => arrived.current()));
    return { source: new WholeSource({ height, width }, parts), parts };
  }, [name]);
  useEffect(() => () => made.source.close(), [made]);
  return { ...made, arrived };
}

/** @param {string} recording @param {string} address @param {Seen} piece @param {Slice} slice @param {ValueSummary} summary @param {() => void} arrived @returns {DrawnPart} */
function partOf(recording, address, piece, slice, summary, arrived) {
  const inside = sliceIn(slice, piece);
  const { rows, columns, at } = inside;
  const { height, width } = piece.rectangle;
  const source = new WindowSource({ height, width }, ({ level, from, size }, signal) =>
    valueWindow(recording, address, { rows, columns, at, from, size, level }, signal), arrived);
  return { rectangle: piece.rectangle, source, slice: inside, summary };
}

/** An element in words: its place in the whole, its value, whose it is, and its place there. @param {DrawnPart[]} parts @param {Sharding} sharding @param {Slice} slice @param {ReturnType<typeof elementPlace>|null} at @param {Place|null} place @param {string} name @returns {string|null} */
function words(parts, sharding, slice, at, place, name) {
  if (!at || !place) return null;
  const part = pieceAt(parts, place.row, place.column);
  const said = part && readout({ source: part.source, summary: part.summary, layout: { slice: part.slice, fold: 0 } }, place.row - part.rectangle.row, place.column - part.rectangle.column);
  const value = said ? (said.exact ? ` = ${said.value}` : ` : ${said.value}`) : "";
  const grid = store.grid.value;
  const whose = at.piece && grid ? `  ${at.piece.processes.length > 1 ? "processes" : "process"} ${namesOf(grid, at.piece.processes)}, [${at.inside?.join(", ")}] of ${sharding.whole ? "the piece" : "the part"}` : "  in no piece";
  return `${name}[${at.index.join(", ")}]${value}${whose}`;
}

/** @param {import("../tensor/heat_map.js").Status|null} status @returns {string} */
function hint(status) {
  if (status?.error) return "Some of the pieces could not be fetched.";
  if (status?.busy) return "Fetching …";
  return "A click on an element goes to its process.";
}

/** @param {ReturnType<typeof elementPlace>|null} at @param {number} shown @param {Addresses} addresses */
function goTo(at, shown, addresses) {
  if (!at?.piece || at.piece.processes.includes(shown)) return;
  showProcess(holderOf(at.piece, shown, addresses) ?? /** @type {number} */ (at.piece.processes[0]));
}

/** Ways from the element under the cursor: to its process, and to itself in the tensor view. @param {{map: {current: WholeMap|null}, place: Place|null, slice: Slice, seen: Seen[], sharding: Sharding, addresses: Addresses}} props */
function Ways({ map, place, slice, seen, sharding, addresses }) {
  const cursor = place?.by === "keys" ? place : (map.current?.cursor ?? null);
  const at = cursor && elementPlace(slice, seen, cursor.row, cursor.column);
  const grid = store.grid.value;
  const shown = store.process.value;
  if (!at?.piece || !grid) return html`<div class="whole-ways"><span class="quiet">No element is marked.</span></div>`;
  const piece = at.piece;
  const holder = holderOf(piece, shown, addresses);
  const index = sharding.whole ? at.index : (at.inside ?? []);
  return html`<div class="whole-ways"><span>Marked: [${at.index.join(", ")}], of ${namesOf(grid, piece.processes)}</span>
    ${!piece.processes.includes(shown) && html`<button class="plain" onClick=${() => goTo(at, shown, addresses)}>Show process ${grid.nameOf(holder ?? piece.processes[0] ?? 0)}</button>`}
    ${holder !== null && html`<button class="plain" onClick=${() => openElement(holder, index, sharding.whole ? sharding.shape : piece.sizes)}>Open [${index.join(", ")}] in the tensor view</button>`}</div>`;
}

/** All pieces in words. @param {{sharding: Sharding, addresses: Addresses}} props */
export function PieceList({ sharding: { pieces, shape }, addresses }) {
  const grid = store.grid.value;
  const shown = store.process.value;
  if (!grid) return null;
  return html`<details class="whole-pieces"><summary>${pieces.length === 1 ? "The piece" : `The ${pieces.length} pieces`} in words</summary>
    <ul>${pieces.map((piece) => {
      const holder = holderOf(piece, shown, addresses) ?? piece.processes[0] ?? 0;
      return html`<li key=${piece.processes.join()}><button aria-pressed=${piece.processes.includes(shown)} onClick=${() => showProcess(holder)}>
        <span class="who">${namesOf(grid, piece.processes, 16)}</span> <span class="box">${sizeOf(piece) === 0 ? "nothing" : boxWords(piece, shape)}</span></button></li>`;
    })}</ul></details>`;
}
