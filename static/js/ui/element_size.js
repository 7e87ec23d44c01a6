/** The sizes of elements, and what they scroll in. */

/** The scroll container around an element, if it is not the page. @param {Element} element @returns {HTMLElement|null} */
export function scrollerOf(element) {
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement)
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  return null;
}

/** Call `look` soon and whenever one of the elements changes its size, until the returned function is called. @param {Iterable<Element>} elements @param {() => void} look @returns {() => void} */
export function watchSizes(elements, look) {
  const observer = new ResizeObserver(look);
  for (const element of elements) observer.observe(element);
  return () => observer.disconnect();
}

/** The inner size of an element, as a signal. @param {HTMLElement|null} frame @param {import("@preact/signals").Signal<{width: number, height: number}>} room @returns {(() => void)|undefined} ends it */
export function observeRoom(frame, room) {
  if (!frame) return undefined;
  const measure = () => {
    const style = getComputedStyle(frame);
    const width = frame.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const height = frame.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    if (width > 0 && (width !== room.value.width || height !== room.value.height)) room.value = { width, height };
  };
  measure();
  return watchSizes([frame], measure);
}
