/** The `?` of a panel: opens what the help says of it, beside the session; its menu has the same. */
import { html } from "htm/preact";
import { pageHere } from "../core/reference_paths.js";
import { isFile } from "../core/source.js";

/** The page that it opens; a file has none. @param {string} about an anchor of /help, or a path @returns {string|undefined} */
export const helpPage = (about) =>
  isFile() ? undefined : (pageHere(about.startsWith("/") ? about : `/help#${about}`) ?? about);

/** @param {{about: string, title: string}} props */
export function HelpLink({ about, title }) {
  const href = helpPage(about);
  if (!href) return null;
  return html`<a class="ask" href=${href} target="_blank" rel="noreferrer" title=${`Help: ${title}`} aria-label=${`Help: ${title} (new tab)`}>?</a>`;
}
