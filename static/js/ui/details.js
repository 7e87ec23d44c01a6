/** A collapsible part that keeps its state by name, also when its panel is unmounted or shows something else. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";

/** Parts that the user opened or closed, by name. */
const turned = signal(/** @type {ReadonlyMap<string, boolean>} */ (new Map()));

/**
 * `open`: the state until the user changes it.
 *
 * @param {{name: string, class?: string, open?: boolean, summary: import("preact").ComponentChildren, children?: import("preact").ComponentChildren}} props
 */
export function Details({ name, class: className, open = false, summary, children }) {
  const isOpen = turned.value.get(name) ?? open;
  const onToggle = (/** @type {Event} */ event) => {
    const { open: now } = /** @type {HTMLDetailsElement} */ (event.currentTarget);
    if (now !== isOpen) turned.value = new Map(turned.value).set(name, now);
  };
  return html`<details class=${className} open=${isOpen} onToggle=${onToggle}><summary>${summary}</summary>${children}</details>`;
}
