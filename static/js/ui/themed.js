/** Grows when the page's colours change, by its own choice of theme or with the system's: canvases are drawn anew. */
import { signal } from "@preact/signals";

export const themed = signal(0);

const turn = () => themed.value++;
new MutationObserver(turn).observe(document.documentElement, { attributes: true });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", turn);
