/** The `?` of a panel: opens its help beside the session; its menu has the same link. */
import { html } from "htm/preact";
import { pageHere } from "../core/reference_paths.js";
import { isFile } from "../core/source.js";

/** The URL of the help; a saved page has none. @param {string} about an anchor of /help, or a path @returns {string|undefined} */
export const helpPage = (about) =>
  isFile() ? undefined : (pageHere(about.startsWith("/") ? about : `/help#${about}`) ?? about);

/** @param {{about: string, title: string}} props */
export function HelpLink({ about, title }) {
  const href = helpPage(about);
  if (!href) return null;
  return html`<a class="ask" href=${href} target="_blank" rel="noreferrer" title=${`Help: ${title}`} aria-label=${`Help: ${title} (new tab)`}>?</a>`;
}
