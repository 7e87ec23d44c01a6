/** Media queries as signals. */
import { signal } from "@preact/signals";

/** Whether a query matches, now and later. @param {string} media @returns {import("@preact/signals").Signal<boolean>} */
export function matches(media) {
  const query = matchMedia(media);
  const found = signal(query.matches);
  query.addEventListener("change", () => (found.value = query.matches));
  return found;
}

/** Whether the system requests reduced motion. */
export const wantsStill = matches("(prefers-reduced-motion: reduce)");
