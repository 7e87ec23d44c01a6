/** A part that opens and closes by its title, and is found as one left it: also when its panel was given up meanwhile, or shows something else. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";

/** Those that were opened or closed by hand, by name. */
const turned = signal(/** @type {ReadonlyMap<string, boolean>} */ (new Map()));

/**
 * `open`: whether it is until somebody turns it.
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
