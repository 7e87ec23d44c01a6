/**
 * A virtual list: only visible rows exist. It scrolls itself, or with the pane around it.
 *
 * Row elements are reused while scrolling. Where rows move after a step, each has a `key` and its element moves with
 * it. The list is one tab stop; arrows, Home, End, PageUp and PageDown move inside, and each row states its position
 * in the list.
 */
import { html } from "htm/preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { scrollerOf } from "./element_size.js";
import { Icon } from "./icons.js";
import { ListPictures } from "./list_pictures.js";

/**
 * A row. `picture` is drawn where there is one; undefined in a list without pictures. A `heading` is skipped. `menu`
 * opens its context menu: by right-click, by the menu key, or by a button in the row.
 *
 * @typedef {{
 *   content: import("preact").ComponentChildren,
 *   key?: string, class?: string, title?: string, label?: string, level?: number, open?: boolean, selected?: boolean, id?: string,
 *   group?: string, position?: number, of?: number, heading?: boolean,
 *   picture?: import("../core/types.js").ThumbnailInfo|null, menu?: {name: string, open: (place: import("./menu.js").MenuPlace) => void}
 * }} Row
 */

/**
 * @typedef {{
 *   label: string, role: "listbox"|"tree", count: number, row: (index: number) => Row,
 *   choose: (index: number) => void, turn?: (index: number, open: boolean) => void,
 *   cursor?: number, moveTo?: (index: number) => void, onKey?: (event: KeyboardEvent, page: number) => boolean,
 *   class?: string, scrolls?: boolean, keeps?: boolean, name?: string
 * }} ListProps `name`: of a list below a text box, which keeps the focus and names the active row `NAME-INDEX`.
 *   `cursor` and `moveTo`: for an owner that stores the active row. `scrolls`: the list scrolls itself. `keeps`: the
 *   active row is stored. `onKey` returns whether it handled the key.
 */

let lists = 0;
/** The active row of lists that store it, by label. @type {Map<string, number>} */
const cursors = new Map();
/** Height of a sticky section title, in pixels. */
const TITLE = 30;

/** @param {ListProps} props */
export function VirtualList(props) {
  const { label, role, count, cursor: given } = props;
  const root = useRef(/** @type {HTMLDivElement|null} */ (null));
  const [name] = useState(() => props.name ?? `list-${++lists}`);
  const [own, setOwn] = useState(() => (props.keeps ? (cursors.get(label) ?? 0) : 0));
  const moveOwn = (/** @type {number} */ to) => {
    if (props.keeps) cursors.set(label, to);
    setOwn(to);
  };
  const { view, measure } = useView(root, props);
  const cursor = Math.max(0, Math.min(given ?? own, count - 1));
  const extent = { count, row: view.row, height: view.height };
  useLayoutEffect(() => show(root.current, extent, props, cursor, given !== undefined, measure), [given, count === 0]);
  const { first, last } = rowsAround(extent, topRow(extent, view.offset));
  const act = { name, role, cursor, choose: props.choose, turn: props.turn, moveTo: props.moveTo ?? moveOwn };
  const rows = Array.from({ length: last - first }, (_, at) => props.row(first + at));
  const move = (/** @type {number} */ to) => {
    act.moveTo(to);
    show(root.current, extent, props, to, false, measure);
  };
  const seen = cursor >= first && cursor < last;
  return html`<div class=${`virtual-list ${props.class ?? ""}${props.scrolls ? " scrolls" : ""}`} ref=${root} id=${name} tabindex=${props.name ? -1 : 0} role=${role} aria-label=${label}
    aria-activedescendant=${seen && !props.name ? (rows[cursor - first]?.id ?? `${name}-${cursor}`) : undefined}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => onKey(event, { props, cursor, extent, move })}
    onContextMenu=${(/** @type {MouseEvent} */ event) => event.target === event.currentTarget && openMenuOf(event, rows[cursor - first])}>
    <div class="all" role="presentation" style=${{ height: `${heightOf(extent)}px` }}>
      ${rows.map((row, at) => html`<${RowOf} key=${row.key ?? (first + at) % slotsOf(extent)} row=${row} index=${first + at} count=${count} top=${placeOf(extent, first + at, view.offset)} act=${act} />`)}
      ${rows.some(({ picture }) => picture !== undefined) && html`<${ListPictures} pictures=${rows.map(({ picture }) => picture ?? null)} row=${view.row} top=${placeOf(extent, first, view.offset)} />`}
    </div></div>`;
}

/** The maximum number of rows at this height. @param {Extent} extent @returns {number} */
const slotsOf = ({ row, height }) => Math.ceil(height / row) + 24;

/**
 * @param {{row: Row, index: number, count: number, top: number, act: {name: string, role: string, cursor: number, choose: (index: number) => void,
 *   moveTo: (index: number) => void, turn?: (index: number, open: boolean) => void}}} props
 */
function RowOf({ row, index, count, top, act }) {
  const onClick = (/** @type {MouseEvent} */ event) => {
    act.moveTo(index);
    const turns = row.open !== undefined && /** @type {Element} */ (event.target).closest(".disclose");
    if (turns) act.turn?.(index, !row.open);
    else act.choose(index);
  };
  const onContextMenu = (/** @type {MouseEvent} */ event) => {
    act.moveTo(index);
    openMenuOf(event, row);
  };
  if (row.heading)
    return html`<div class=${`row ${row.class ?? ""}`} role="presentation" style=${{ top: `${top}px` }}>${row.content}</div>`;
  return html`<div id=${row.id ?? `${act.name}-${index}`} class=${`row ${row.class ?? ""}${index === act.cursor ? " at" : ""}`} role=${act.role === "tree" ? "treeitem" : "option"}
    aria-selected=${row.selected ?? false} aria-expanded=${row.open} aria-level=${act.role === "tree" ? (row.level ?? 1) : undefined} aria-label=${row.label}
    aria-posinset=${row.position ?? index + 1} aria-setsize=${row.of ?? count} data-group=${row.group} title=${row.title}
    style=${{ top: `${top}px` }} onClick=${onClick} onContextMenu=${onContextMenu}>${row.content}
    ${row.menu && html`<button class="row-menu" tabindex="-1" aria-label=${`Actions for ${row.menu.name}`} title="More" onClick=${(/** @type {MouseEvent} */ event) => openMenuOf(event, row)}><${Icon} name="more" /></button>`}</div>`;
}

/** At the pointer; for the menu key or a button, below the row. @param {MouseEvent} event @param {Row|undefined} row */
function openMenuOf(event, row) {
  if (!row?.menu) return;
  event.preventDefault();
  event.stopPropagation();
  const list = /** @type {HTMLElement} */ (/** @type {Element} */ (event.target).closest(".virtual-list"));
  const isPointer = event.type === "contextmenu" && event.target !== list;
  const { left, bottom } = (isPointer ? list : placeOfRow(event, list)).getBoundingClientRect();
  row.menu.open({ x: isPointer ? event.clientX : left, y: isPointer ? event.clientY : bottom, back: list });
}

/** @param {Event} event @param {HTMLElement} list @returns {Element} */
const placeOfRow = ({ target }, list) =>
  target === list
    ? (list.querySelector(".row.at") ?? list)
    : (/** @type {Element} */ (target).closest("button") ?? list);

/**
 * The visible part of the list: measured when it scrolls, or when it or its pane is resized.
 *
 * @param {{current: HTMLDivElement|null}} root @param {ListProps} props
 */
function useView(root, { scrolls, count }) {
  const [view, setView] = useState({ offset: 0, height: 400, row: 24 });
  const latest = useRef(view);
  const counted = useRef(count);
  counted.current = count;
  const measure = (force = true) => {
    const list = root.current;
    if (!list) return;
    const now = measureView(list, knownScroller(list, scrolls));
    const { offset, height, row } = latest.current;
    const moved = Math.abs(now.offset - offset);
    if (now.height === height && now.row === row && moved < (force ? 0.5 : 4 * row)) return;
    latest.current = now;
    setView(now);
  };
  useLayoutEffect(() => {
    const list = root.current;
    if (!list) return undefined;
    const scroller = knownScroller(list, scrolls);
    const onScroll = () => {
      const rows = counted.current;
      measure(heightOf({ ...latest.current, count: rows }) < rows * latest.current.row);
    };
    const observer = new ResizeObserver(() => measure());
    observer.observe(scroller);
    observer.observe(list);
    scroller.addEventListener("scroll", onScroll, { passive: true });
    measure();
    return () => {
      observer.disconnect();
      scroller.removeEventListener("scroll", onScroll);
    };
    // For a growing list the observer reports after layout, when the size is known.
  }, [count === 0, scrolls]);
  return { view, measure };
}

/** Cached scroll parents: looking for one forces a style calculation. @type {WeakMap<HTMLElement, HTMLElement>} */
const scrollers = new WeakMap();

/** @param {HTMLElement} list @param {boolean} [itself] @returns {HTMLElement} */
function knownScroller(list, itself) {
  if (itself) return list;
  const known = scrollers.get(list);
  // A panel may have moved to another dock.
  if (known?.contains(list) && known !== document.documentElement) return known;
  const found = scrollerOf(list) ?? document.documentElement;
  scrollers.set(list, found);
  return found;
}

/** @param {HTMLElement} list @param {HTMLElement} scroller @returns {{offset: number, height: number, row: number}} */
function measureView(list, scroller) {
  const row = /** @type {HTMLElement|null} */ (list.querySelector(".row"))?.offsetHeight || 24;
  const height = scroller.clientHeight || 400;
  if (list === scroller) return { offset: list.scrollTop, height, row };
  return { offset: scroller.getBoundingClientRect().top - list.getBoundingClientRect().top, height, row };
}

/**
 * Scroll until a row is visible.
 *
 * @param {HTMLElement|null} list @param {Extent} extent @param {ListProps} props @param {number} index
 * @param {boolean} middle @param {() => void} measure
 */
function show(list, extent, { scrolls, cursor }, index, middle, measure) {
  if (!list || (middle && cursor === undefined)) return;
  const scroller = knownScroller(list, scrolls);
  const { offset, height, row } = measureView(list, scroller);
  const covered = scrolls ? 0 : TITLE;
  const within = { ...extent, row, height: height - covered };
  const to = offsetToShow(within, index, offset + covered, middle) - covered;
  if (to !== offset) scroller.scrollTop += to - offset;
  measure();
}

/** @param {KeyboardEvent} event @param {{props: ListProps, cursor: number, extent: Extent, move: (to: number) => void}} list */
function onKey(event, { props, cursor, extent, move }) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target !== event.currentTarget) return;
  const page = Math.max(1, Math.floor(extent.height / extent.row) - 1);
  const acts = keysAt(props, cursor, page, move);
  const act = props.onKey?.(event, page) ? () => {} : acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

/** @param {ListProps} props @param {number} cursor @param {number} page @param {(to: number) => void} move @returns {Record<string, () => void>} */
function keysAt({ count, choose, turn }, cursor, page, move) {
  const to = (/** @type {number} */ index) => () => move(Math.max(0, Math.min(index, count - 1)));
  return {
    ArrowDown: to(cursor + 1),
    ArrowUp: to(cursor - 1),
    PageDown: to(cursor + page),
    PageUp: to(cursor - page),
    Home: to(0),
    End: to(count - 1),
    Enter: () => choose(cursor),
    " ": () => choose(cursor),
    ArrowRight: () => turn?.(cursor, true),
    ArrowLeft: () => turn?.(cursor, false),
  };
}

/** Browsers limit the height of elements; beyond the limit a pixel of the scroll bar stands for several of the list. */
export const MOST_PIXELS = 1e7;
/** Extra rows above and below the visible ones. */
const OVERSCAN = 10;

/** @typedef {{count: number, row: number, height: number}} Extent count, height of a row, height of the view, in pixels */

/** @param {Extent} extent @returns {boolean} */
const isScaled = ({ count, row }) => count * row > MOST_PIXELS;

/** The height of all rows in the page. @param {Extent} extent @returns {number} */
export const heightOf = ({ count, row }) => Math.min(count * row, MOST_PIXELS);

/** The row at the top of the view, with a fraction. @param {Extent} extent @param {number} offset pixels scrolled @returns {number} */
export function topRow(extent, offset) {
  const { count, row, height } = extent;
  if (!isScaled(extent)) return offset / row;
  return Math.min(1, Math.max(0, offset / (MOST_PIXELS - height))) * (count - height / row);
}

/** The scroll position that puts a row at the top of the view. @param {Extent} extent @param {number} top @returns {number} */
export function offsetOf(extent, top) {
  const { count, row, height } = extent;
  if (!isScaled(extent)) return top * row;
  return (Math.max(0, top) / (count - height / row)) * (MOST_PIXELS - height);
}

/** The rows to draw, from `first` to before `last`. @param {Extent} extent @param {number} top @returns {{first: number, last: number}} */
export function rowsAround({ count, row, height }, top) {
  const last = Math.min(count, Math.ceil(top + height / row) + OVERSCAN);
  return { first: Math.max(0, Math.min(Math.floor(top) - OVERSCAN, last)), last: Math.max(0, last) };
}

/** The top of a row in the list. @param {Extent} extent @param {number} index @param {number} offset pixels scrolled @returns {number} */
export function placeOf(extent, index, offset) {
  if (!isScaled(extent)) return index * extent.row;
  return offset + (index - topRow(extent, offset)) * extent.row;
}

/** The scroll position that makes a row visible, or null if it is. @param {Extent} extent @param {number} index @param {number} offset @param {boolean} middle rather than at the nearest edge @returns {number} */
export function offsetToShow(extent, index, offset, middle) {
  const { row, height } = extent;
  const top = topRow(extent, offset);
  const inView = height / row;
  if (index >= top && index + 1 <= top + inView) return offset;
  if (middle) return offsetOf(extent, Math.max(0, index - Math.floor(inView / 2)));
  return offsetOf(extent, index < top ? index : Math.max(0, index + 1 - inView));
}
