/** Addresses of the server's drawing of this step: they state the selection in full, because the server does not know the page's defaults. */
import { positionUrl } from "../../core/position_url.js";
import * as store from "../../core/store.js";

/** The page to print. @returns {string} */
export const handoutAddress = () => momentAddress("handout", {});

/** The same as a drawing. @param {Record<string, string>} [more] parameters @returns {string} */
export const pictureAddress = (more = {}) => momentAddress("picture.svg", more);

/** @param {string} name @param {Record<string, string>} more @returns {string} */
function momentAddress(name, more) {
  const url = withMoment(positionUrl());
  url.pathname = `/s/${encodeURIComponent(store.sessionId.peek())}/${name}`;
  for (const [key, value] of Object.entries(more)) url.searchParams.set(key, value);
  return url.href;
}

/** An address with the shown tab and value. @param {URL} url @returns {URL} */
export function withMoment(url) {
  url.searchParams.set("tab", store.stageTab.peek());
  const shown = store.selectedValue.peek();
  if (shown !== null) url.searchParams.set("value", [shown.value, ...shown.path].join("."));
  return url;
}
