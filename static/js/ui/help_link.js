/** The `?` of a panel: opens what the help says of it, beside the session. */
import { html } from "htm/preact";
import { pageHere } from "../core/reference_paths.js";
import { isFile } from "../core/source.js";

/** @param {{about: string, title: string}} props `about` is an anchor of /help, or a path. */
export function HelpLink({ about, title }) {
  if (isFile()) return null;
  const href = pageHere(about.startsWith("/") ? about : `/help#${about}`) ?? about;
  return html`<a class="ask" href=${href} target="_blank" rel="noreferrer" title=${`Help: ${title}`} aria-label=${`Help: ${title} (new tab)`}>?</a>`;
}
