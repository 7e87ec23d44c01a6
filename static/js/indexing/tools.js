/** Buttons of a picture: pin, larger, as a file. */
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { download } from "../panels/tensor/export.js";
import { picturePng, pictureSvg } from "./exporting.js";

/** @param {{state: import("./state.js").PictureState, picture: {current: HTMLElement|null}, title: string, caption: () => string[]}} props */
export function PictureTools({ state, picture, title, caption }) {
  const large = state.enlarged.value;
  useEffect(() => {
    const leave = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && !event.defaultPrevented) state.enlarged.value = false;
    };
    if (!large) return undefined;
    window.addEventListener("keydown", leave);
    return () => window.removeEventListener("keydown", leave);
  }, [large]);
  const svg = () => picture.current && download(pictureSvg(picture.current, title, caption()), `${fileStem(title)}.svg`);
  const png = async () => {
    const file = picture.current && (await picturePng(picture.current, caption()));
    if (file) download(file, `${fileStem(title)}.png`);
  };
  return html`<span class="index-tools" role="group" aria-label="This picture">
    <button aria-pressed=${state.pinned.value} aria-disabled=${state.shown.value === null} onClick=${() => state.togglePin()} title="Keep what is chosen, however the pointer moves (Enter)">Pin</button>
    <button aria-pressed=${large} onClick=${() => (state.enlarged.value = !large)} title="Over the whole window, and back (Escape)">Enlarge</button>
    <button onClick=${png}>PNG</button><button onClick=${svg}>SVG</button></span>`;
}

/** @param {string} title */
const fileStem = (title) => `index-map-${title.replace(/[^\w.-]+/g, "_").replace(/^_+/, "")}`;
