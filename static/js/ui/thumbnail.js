/** A value's small picture. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { paint } from "../run/thumbnails.js";

/** @param {{info: import("../types.js").ThumbnailInfo|null}} props */
export function Thumbnail({ info }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  useEffect(() => {
    if (canvas.current) paint(canvas.current, info);
  }, [info]);
  return html`<canvas class="thumbnail" ref=${canvas} aria-hidden="true"></canvas>`;
}
