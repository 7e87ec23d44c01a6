/** A value with one element is that number, large. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { elementAt, elementText } from "../../tensor/elements.js";

/** @param {{known: import("./use.js").Known, windows: import("./picture.js").Windows}} props */
export function Scalar({ known, windows }) {
  const { source, arrived } = windows;
  const [, setArrivals] = useState(0);
  useEffect(() => {
    arrived.current = () => setArrivals((count) => count + 1);
    setArrivals((count) => count + 1);
  }, [source]);
  source.layers({ top: 0, left: 0, bottom: 1, right: 1 }, 0);
  const plane = source.at(0, 0)?.window.planes.value;
  const { elementType, wire } = known.summary;
  if (source.error) {
    return html`<div class="tensor-note" role="alert">${source.error instanceof Error ? source.error.message : "The value could not be fetched."}
      <button class="plain" onClick=${() => source.retry()}>Try again</button></div>`;
  }
  return html`<p class="tensor-scalar">${plane ? elementText(elementAt(plane, wire, 0), elementType, wire) : "…"}</p>`;
}
