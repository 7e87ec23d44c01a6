/** The links of a session. */
import { countText } from "../../core/tensor/elements.js";
import { getJson, sendJson, sessionPath } from "../../core/api.js";
import { elementAtCursor, positionUrl } from "../../core/position_url.js";
import { LONGEST_LINK, programLink } from "../../core/program_link.js";
import * as store from "../../core/store.js";
import { withMoment } from "../printing/addresses.js";
/** @import {NewViewLink, ViewLinkCount} from "../../core/types.js" */

const linksPath = () => `${sessionPath(store.sessionId.peek())}/links`;

/** Create a read-only link to the session. @returns {Promise<NewViewLink>} */
export const makeViewLink = () => sendJson(linksPath(), {});

/** @returns {Promise<ViewLinkCount>} */
export const countViewLinks = () => getJson(linksPath());

/** @returns {Promise<void>} */
export const withdrawViewLinks = () => sendJson(linksPath(), {}, { method: "DELETE" });

/** The current view under a read-only link. @param {string} path of the link @returns {string} */
export function placeByLink(path) {
  const url = positionUrl();
  url.pathname = path;
  return url.href;
}

/** HTML that embeds the session. @param {string} address @param {string} name @returns {string} */
export const embedding = (address, name) =>
  `<iframe src="${escaped(address)}" title="${escaped(name)}" width="100%" height="600" loading="lazy"></iframe>`;

/** The picture of the current step under a read-only link; it names everything it shows. @param {string} path @returns {string} */
export function pictureByLink(path) {
  const url = withMoment(positionUrl());
  url.pathname = path;
  return url.href;
}

/**
 * HTML of a picture that links to the session. It sends its site as referrer, since the server serves named sites
 * only.
 *
 * @param {string} picture @param {string} page @param {string} alt @returns {string}
 */
export const pictured = (picture, page, alt) =>
  `<a href="${escaped(page)}"><img src="${escaped(picture)}" alt="${escaped(alt)}" referrerpolicy="origin" loading="lazy" style="max-width: 100%"></a>`;

/** @param {string} text @returns {string} */
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Whether only browsers on the same machine can reach this server. @param {string} host @returns {boolean} */
export const isThisMachine = (host) => ["localhost", "127.0.0.1", "[::1]"].includes(host);

/**
 * A link that contains the program, or the reason why it is too long.
 *
 * @returns {Promise<{link: string}|{reason: string}>}
 */
export async function linkOfProgram() {
  const run = store.run.peek();
  if (run === null) return { reason: "The program has no run yet: a link holds one that runs, with its inputs." };
  const inputs = run.arguments.map(({ input }) => input);
  const file = run.arguments.find(({ input }) => JSON.stringify(input).includes('"kind":"file"'));
  if (file) return { reason: `The input ${file.name} comes from a file, which a link cannot hold.` };
  const { text, entry, grid } = run;
  const link = await programLink(location.origin, {
    text,
    name: store.sessionName.peek(),
    entry,
    inputs,
    grid,
    place: place(),
  });
  if (link.length <= LONGEST_LINK) return { link };
  const [is, most] = [link.length, LONGEST_LINK].map((count) => countText(count));
  return { reason: `The program is too large for a link: it would have ${is} characters, and ${most} are the most.` };
}

const place = () => ({
  step: store.position.peek(),
  process: store.process.peek(),
  tab: store.stageTab.peek(),
  value: store.chosenValue.peek(),
  path: store.chosenPath.peek(),
  element: elementAtCursor(),
});
