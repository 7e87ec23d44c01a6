/** The dialog that shares a session: each option states what others can see and do, before a link is created or copied. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { positionUrl } from "../../core/position_url.js";
import * as store from "../../core/store.js";
import { closeDialog } from "../../core/view_actions.js";
import { LinkToCopy } from "../../ui/copied.js";
import { Dialog } from "../../ui/dialog.js";
import {
  countViewLinks,
  embedding,
  isThisMachine,
  linkOfProgram,
  makeViewLink,
  pictureByLink,
  pictured,
  placeByLink,
  withdrawViewLinks,
} from "./links.js";
/** @import {NewViewLink} from "../../core/types.js" */

export function ShareDialog() {
  return html`<${Dialog} title="Share" close=${closeDialog}>
    <div class="share">
      <${ThisStep} />
      ${!store.readOnly.value && html`<${ReadOnly} />`}
      <${InTheLink} />
    </div>
  <//>`;
}

function ThisStep() {
  const who = store.readOnly.value
    ? "Anyone with the link sees this step and can change nothing."
    : "For people who have signed in to this server. They see the session as you do, and can edit and run it.";
  return html`<section aria-labelledby="share-step"><h3 id="share-step">This step</h3>
    <p>${who}</p><${Link} label="Link to this step" address=${positionUrl().href} /></section>`;
}

/** A read-only link without sign-in. */
function ReadOnly() {
  const [link, setLink] = useState(/** @type {NewViewLink|null} */ (null));
  const [count, setCount] = useState(0);
  const [sites, setSites] = useState(/** @type {string[]} */ ([]));
  const [problem, setProblem] = useState("");
  const attempt = (/** @type {Promise<void>} */ work) => void work.catch(({ message }) => setProblem(message));
  useEffect(() => {
    attempt(countViewLinks().then(({ links, embed_sites }) => (setCount(links), setSites(embed_sites))));
  }, []);
  const make = () => attempt(makeViewLink().then((made) => (setLink(made), setCount(count + 1))));
  const withdraw = () => attempt(withdrawViewLinks().then(() => (setLink(null), setCount(0))));
  return html`<section aria-labelledby="share-view"><h3 id="share-view">Read only</h3>
    <p>For anyone who has the link and can reach this server, without signing in. They see the program, your Python files that came with it,
      and all runs with their inputs and values. They can step through it and make a copy, but change nothing. Text that you have not run stays private.
      ${isThisMachine(location.hostname) && " This server can be reached from this machine only."}</p>
    ${
      link
        ? html`<${Link} label="Read-only link" address=${placeByLink(link.url)} />
          <${Embedding} link=${link} sites=${sites} />`
        : html`<p><button class="primary" onClick=${make}>Create a read-only link</button></p>`
    }
    ${count > 0 && html`<p class="share-count">${linksWords(count)} <button class="plain" onClick=${withdraw}>${count === 1 ? "Revoke" : "Revoke all"}</button></p>`}
    ${problem && html`<p class="alarm" role="alert">${problem}</p>`}</section>`;
}

/** @param {number} count @returns {string} */
const linksWords = (count) =>
  count === 1 ? "One read-only link leads to this session." : `${count} read-only links lead to this session.`;

/** For course pages: the debugger in a frame, and a linked picture that needs no script. @param {{link: NewViewLink, sites: string[]}} props */
function Embedding({ link, sites }) {
  if (sites.length === 0)
    return html`<p class="quiet">Pages of other sites may embed it if the setting <code>embed_sites</code> of this server names them.</p>`;
  const name = store.sessionName.value || "hloscope";
  const [frame, page] = [link.embed_url, link.url].map(placeByLink);
  return html`<p>To embed this step in a page of ${sites.join(", ")}: the debugger in a frame, to step through in place, or a picture of this step that leads to it.
      Neither uses a cookie. Visitors of that page can find the read-only link in it.</p>
    <${Link} label="HTML of the frame" address=${embedding(String(frame), name)} />
    <${Link} label="HTML of the picture" address=${pictured(pictureByLink(`${link.embed_url}.svg`), String(page), altText())} />
    <p class="quiet">The picture is drawn by this server each time, in light or dark as the reader's browser prefers. It is an image for those sites alone; withdrawing the link ends
      frame and picture, in browsers that have just shown it within five minutes.</p>`;
}

/** The description of the picture. @returns {string} */
function altText() {
  const shown = store.selectedValue.value;
  const value = shown === null ? "" : `: ${shown.name}, ${shown.type}`;
  return `${store.sessionName.value || "program"}, step ${store.position.value} of ${store.steps.value}${value}`;
}

/** A link that contains the program. */
function InTheLink() {
  const [made, setMade] = useState(/** @type {{link: string}|{reason: string}|null} */ (null));
  useEffect(() => void linkOfProgram().then(setMade), []);
  return html`<section aria-labelledby="share-program"><h3 id="share-program">The program in the link</h3>
    <p>For anybody who has hloscope. The link itself holds the program, how its inputs are made, and where you are; no server keeps anything for it,
      and anyone with the link can read the program in it.</p>
    ${made && ("link" in made ? html`<${Link} label="Link with the program" address=${made.link} />` : html`<p class="quiet">${made.reason}</p>`)}</section>`;
}

/** A link with a button that copies it. @param {{label: string, address: string}} props */
const Link = (props) =>
  html`<${LinkToCopy} ...${props} copy="Copy" copied="Copied" refused="The browser did not allow the page to copy: copy it by hand." />`;
