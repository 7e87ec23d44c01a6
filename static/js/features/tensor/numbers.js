/** The elements as a table of numbers; only visible cells exist. */
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { countText, elementAt, elementText, kindOf } from "../../core/tensor/elements.js";
import { standOn, stepIntoElement } from "../../core/view_actions.js";
import { cellForKey } from "../../drawing/cell_keys.js";
import { Spoken } from "../../ui/spoken.js";
import { Bits } from "./bits.js";
import { cursorTarget, takeCursorTarget } from "./cursor_target.js";
import { copyText } from "../../ui/export.js";
import { elementIn, indexText, memoryOffset } from "./readout.js";
import { exactElement } from "../../core/tensor/window_source.js";
import { toggleOrder, turnsOrder } from "./settings.js";
import { StepInButton, stepsInto } from "./step_in.js";
import { watchSizes } from "../../ui/element_size.js";
/** @import {Layout} from "../../core/tensor/axes.js" */
/** @import {Cell} from "../../drawing/cell_keys.js" */
/** @import {Known} from "./recorded_value.js" */

const ROW = 24;
const HEADER = 64;
const CHARACTER = 7.4;
const PADDING = 18;
/** Browsers limit scrolling to some millions of pixels; beyond, a pixel of the scroll bar is more than one of the table. */
const LONGEST = 8_000_000;

/** @param {{known: Known, layout: Layout, change: (layout: Layout) => void, windows: import("./picture.js").Windows}} props */
export function Numbers({ known, layout, change, windows }) {
  const { summary, selected } = known;
  const { source } = windows;
  const { height, width } = source.picture;
  const column = columnWidth(summary);
  const [active, setActive] = useActiveCell(windows);
  // Announce nothing before the first move.
  const [walked, setWalked] = useState(false);
  const { scroller, size, rows, columns, onScroll, reveal } = useVisibleCells(source.picture, column);
  const seen = { top: rows.first, left: columns.first, bottom: rows.end, right: columns.end };
  source.layers(seen, 0);

  useEffect(() => {
    const cell = takeCursorTarget(selected, layout, change);
    if (!cell) return;
    choose(cell);
    reveal(cell);
  }, [source, cursorTarget.value]);
  const index = elementIn(layout, active);
  useEffect(() => standOn(selected.address, walked ? index : null), [walked, index.join(), selected.address]);
  const choose = (/** @type {Cell} */ cell) => {
    setActive(cell);
    setWalked(true);
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "c") return copyText(textAt(source, summary, active) ?? "");
    if (turnsOrder(event, summary)) return toggleOrder();
    if (stepsInto(event)) return stepIntoElement(selected, index);
    const target = cellForKey(event, active, { height, width }, rows.end - rows.first - 1);
    if (!target) return undefined;
    event.preventDefault();
    choose(target);
    return reveal(target);
  };
  const place = indexText(layout, source.picture, active.row, active.column, 1);
  const said = walked ? `${selected.name}${place} = ${textAt(source, summary, active) ?? "not here yet"}` : "";
  return html`<p id="tensor-summary" class="hidden">${summary.text}.</p><${Spoken} text=${said} />
    <div class="tensor-numbers" ref=${scroller} role="grid" tabindex="0" onScroll=${onScroll} onKeyDown=${onKey}
      aria-label=${`Elements of ${selected.name}, ${summary.type}`} aria-rowcount=${height + 1} aria-colcount=${width + 1}
      aria-activedescendant=${cellId(active)} aria-describedby="tensor-summary">
    <div class="tensor-space" role="none" style=${{ height: `${rows.length + ROW}px`, width: `${columns.length + HEADER}px` }}>
      <div class="tensor-cells" role="none" style=${{ width: `${size.width}px`, maxHeight: `${size.height}px` }}>
        <${NumberRows} known=${known} layout=${layout} source=${source} seen=${seen} width=${column} active=${active} choose=${choose} />
      </div>
    </div>
  </div>
  <div class="tensor-readout"><output aria-live="off">${said}</output><${StepInButton} selected=${selected} index=${index} /></div>
  <${Bits} known=${known} element=${exactElement({ source, wire: summary.wire }, active.row, active.column)} index=${index} />`;
}

/** The cell of the keyboard cursor; in another picture, the nearest one. Rendered again with each arriving window. @param {import("./picture.js").Windows} windows @returns {[Cell, (cell: Cell) => void]} */
function useActiveCell({ source, arrived }) {
  const { height, width } = source.picture;
  const [active, setActive] = useState(/** @type {Cell} */ ({ row: 0, column: 0 }));
  const [, setArrivals] = useState(0);
  useEffect(() => {
    arrived.current = () => setArrivals((count) => count + 1);
    setArrivals((count) => count + 1);
    setActive(({ row, column }) => ({
      row: Math.min(row, Math.max(0, height - 1)),
      column: Math.min(column, Math.max(0, width - 1)),
    }));
  }, [source]);
  return [active, setActive];
}

/** The visible rows and columns. @param {import("../../drawing/camera.js").Size} picture @param {number} column */
function useVisibleCells({ height, width }, column) {
  const scroller = useRef(/** @type {HTMLDivElement|null} */ (null));
  const size = useSize(scroller);
  const [scrolled, setScrolled] = useState({ top: 0, left: 0 });
  const onScroll = (/** @type {Event} */ event) => {
    const { scrollTop, scrollLeft } = /** @type {HTMLElement} */ (event.currentTarget);
    setScrolled({ top: scrollTop, left: scrollLeft });
  };
  const rows = axis(height, ROW, size.height - ROW, scrolled.top);
  const columns = axis(width, column, size.width - HEADER, scrolled.left);
  const reveal = (/** @type {Cell} */ cell) => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = rows.reveal(cell.row, element.scrollTop);
    element.scrollLeft = columns.reveal(cell.column, element.scrollLeft);
  };
  return { scroller, size, rows, columns, onScroll, reveal };
}

/**
 * The header and the visible rows.
 *
 * @param {{known: Known, layout: Layout, source: import("../../core/tensor/window_source.js").WindowSource,
 *   seen: import("../../drawing/camera.js").Rectangle, width: number, active: Cell, choose: (cell: Cell) => void}} props
 */
function NumberRows({ known, layout, source, seen, width, active, choose }) {
  const cell = (/** @type {number} */ row, /** @type {number} */ column) =>
    html`<${NumberCell} key=${column} row=${row} column=${column} width=${width} text=${textAt(source, known.summary, { row, column })}
      place=${placeText(known, layout, source.picture, row, column)} active=${row === active.row && column === active.column} choose=${choose} />`;
  return html`<div role="row" class="heads" aria-rowindex="1"><span role="columnheader" class="corner" aria-colindex="1"><span class="hidden">index</span></span>
      ${range(seen.left, seen.right).map((at) => html`<span role="columnheader" key=${at} aria-colindex=${at + 2} style=${{ width: `${width}px` }}>${at}</span>`)}</div>
    ${range(seen.top, seen.bottom).map(
      (row) => html`<div role="row" key=${row} aria-rowindex=${row + 2}>
      <span role="rowheader" aria-colindex="1">${layout.fold > 0 ? row * layout.fold : row}</span>
      ${range(seen.left, seen.right).map((column) => cell(row, column))}</div>`,
    )}`;
}

/** The element of a cell, if rows and columns are not simply the last two dimensions. @param {Known} known @param {Layout} layout @param {import("../../drawing/camera.js").Size} picture @param {number} row @param {number} column @returns {string} */
function placeText({ summary }, layout, picture, row, column) {
  const offset = memoryOffset(summary, layout.slice, row, column);
  return offset === null
    ? ""
    : `, element ${indexText(layout, picture, row, column, 1)} at offset ${countText(offset)} in memory`;
}

/** @param {{row: number, column: number, width: number, text: string|null, place: string, active: boolean, choose: (cell: Cell) => void}} props */
function NumberCell({ row, column, width, text, place, active, choose }) {
  const special = text !== null && /^(NaN|[+-]Inf)/.test(text);
  return html`<span role="gridcell" id=${cellId({ row, column })} aria-colindex=${column + 2} aria-selected=${active}
    class=${special ? "alarming" : ""} style=${{ width: `${width}px` }} title=${text && `${text}${place}`} onClick=${() => choose({ row, column })}>${text ?? "…"}</span>`;
}

/** @param {Cell} cell */
const cellId = ({ row, column }) => `tensor-cell-${row}-${column}`;

/** @param {number} first @param {number} end */
const range = (first, end) => Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);

/** @param {import("../../core/tensor/window_source.js").WindowSource} source @param {import("../../core/types.js").ValueSummary} summary @param {Cell} cell @returns {string|null} null: not here yet */
function textAt(source, { wire, elementType }, { row, column }) {
  const found = exactElement({ source, wire }, row, column);
  if (found) return elementText(elementAt(found.plane, wire, found.at), elementType, wire);
  // The last row of a folded vector ends before the picture does.
  return source.at(row, column)?.request.level === 0 ? "" : null;
}

/** The width of the longest expected number. @param {import("../../core/types.js").ValueSummary} summary @returns {number} */
function columnWidth({ elementType, wire, statistics }) {
  const kind = kindOf(elementType, wire);
  const longest = (/** @type {(keyof import("../../core/types.js").ValueStatistics)[]} */ ...names) =>
    Math.max(...names.map((name) => String(statistics?.[name] ?? "").length));
  const characters = {
    boolean: 5,
    integer: Math.max(3, longest("min", "max")),
    float: wire.dtype === "f64" ? 20 : 14,
    complex: 24,
  }[kind];
  return Math.ceil(characters * CHARACTER) + PADDING;
}

/** The visible range of `count` items of one size. @param {number} count @param {number} size @param {number} room @param {number} scrolled */
function axis(count, size, room, scrolled) {
  const whole = count * size;
  // One more than fits, so that the last one can be scrolled fully into view.
  const length = count * size <= room ? whole : Math.min(whole + size, LONGEST);
  const stretch = whole > length ? (whole + size - room) / Math.max(1, length - room) : 1;
  const first = Math.max(0, Math.min(Math.floor((scrolled * stretch) / size), count - 1));
  const end = Math.min(count, first + Math.ceil(Math.max(0, room) / size));
  const reveal = (/** @type {number} */ at, /** @type {number} */ now) => {
    const from = (now * stretch) / size;
    const last = Math.max(1, Math.floor(room / size));
    return (Math.min(Math.max(from, at + 1 - last), at) * size) / stretch;
  };
  return { length, first, end, reveal };
}

/** @param {{current: HTMLElement|null}} element */
function useSize(element) {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    if (!element.current) return undefined;
    const watched = element.current;
    return watchSizes([watched], () => setSize({ width: watched.clientWidth, height: watched.clientHeight }));
  }, []);
  return size;
}
