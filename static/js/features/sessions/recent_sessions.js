/** The list of recent sessions on the opening page: open, pin, rename or delete one. */
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, dumpPath, sendJson, sessionPath } from "../../core/api.js";
import { Icon } from "../../ui/icons.js";
import { useResource } from "../../ui/resource.js";
import { Thumbnail } from "../../ui/thumbnails.js";
import { addressOf, describeSession, forgetSession, readAgain, recents } from "./recents.js";
/** @import {Recent} from "./recents.js" */

/** @typedef {{name: string, sentence?: string}|null} Title null: the server deleted it; `sentence`: the result of a dump */

const SHOWN_FIRST = 6;

export function RecentSessions() {
  const [isWhole, setWhole] = useState(false);
  const titles = useTitles();
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && readAgain();
    window.addEventListener("storage", readAgain);
    document.addEventListener("visibilitychange", look);
    return () => {
      window.removeEventListener("storage", readAgain);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  const known = recents.value;
  if (known.length === 0) return null;
  const shown = isWhole ? known : known.slice(0, SHOWN_FIRST);
  return html`<section class="recent-sessions" aria-labelledby="recent-title"><h2 id="recent-title">Recent sessions</h2>
    <ul class="recents">${shown.map((recent) => html`<${Session} key=${recent.id} recent=${recent} title=${titles.get(recent.id)} />`)}</ul>
    ${known.length > SHOWN_FIRST && html`<button class="plain" aria-expanded=${isWhole} onClick=${() => setWhole(!isWhole)}>${isWhole ? "Show fewer" : `Show all ${known.length}`}</button>`}
  </section>`;
}

/** The server's data about the sessions; empty until it arrives. @returns {ReadonlyMap<string, Title>} */
function useTitles() {
  const shown = recents.value.slice(0, 100);
  const ids = (/** @type {boolean} */ ofPasses) =>
    shown.flatMap(({ id, kind }) => ((kind === "passes") === ofPasses ? id : [])).sort();
  const question = shown.length > 0 ? JSON.stringify({ sessions: ids(false), dumps: ids(true) }) : null;
  const { value } = useResource(question, (signal) => fetchTitles(JSON.parse(question ?? "{}"), signal));
  return value ?? new Map();
}

/** @param {{sessions: string[], dumps: string[]}} asked @param {AbortSignal} signal @returns {Promise<ReadonlyMap<string, Title>>} */
async function fetchTitles(asked, signal) {
  const titlesOf = async (/** @type {"sessions"|"dumps"} */ of) => {
    const ids = asked[of];
    /** @type {Title[]} */
    const titles = ids.length > 0 ? await sendJson(`/api/${of}/titles`, { [of]: ids }, { signal }) : [];
    return ids.map((id, at) => /** @type {const} */ ([id, titles[at] ?? null]));
  };
  const found = new Map((await Promise.all([titlesOf("sessions"), titlesOf("dumps")])).flat());
  // Another browser may have renamed a session, or an examination may have ended.
  for (const { id, name, place } of recents.value) {
    const title = found.get(id);
    if (!title) continue;
    const told = title.sentence?.replaceAll("`", "") || place;
    if (title.name !== name || told !== place) describeSession(id, { name: title.name, ...(told && { place: told }) });
  }
  return found;
}

/** @param {{recent: Recent, title: Title|undefined}} props */
function Session({ recent, title }) {
  const [doing, setDoing] = useState(/** @type {"rename"|"delete"|null} */ (null));
  const [problem, setProblem] = useState("");
  const { name } = recent;
  const isDump = recent.kind === "passes";
  const attempt = (/** @type {Promise<unknown>} */ work) => work.catch((error) => setProblem(error.message));
  const end = () => setDoing(null);
  const row = useRef(/** @type {HTMLElement|null} */ (null));
  // What has taken the place of the buttons had the focus, which returns to the button of it.
  useEffect(() => {
    if (doing === null) return undefined;
    const button = `[title=${doing === "rename" ? "Rename" : "Delete"}]`;
    return () => /** @type {HTMLElement|null} */ (row.current?.querySelector(button))?.focus();
  }, [doing]);
  if (title === null) return html`<${Gone} recent=${recent} />`;
  return html`<li class=${recent.pinned ? "pinned" : ""} ref=${row}>
    ${isDump ? html`<span class="thumbnail dump" aria-hidden="true">passes</span>` : html`<${Thumbnail} info=${recent.picture ?? null} />`}
    <div class="about">${
      doing === "rename"
        ? html`<${Rename} name=${name} end=${end} rename=${(/** @type {string} */ wanted) => attempt(rename(recent, wanted))} />`
        : html`<a href=${addressOf(recent)} title=${name}>${name}</a>`
    }
      <span class=${isDump ? "quiet sentence" : "quiet"} title=${isDump ? recent.place : undefined}>${recent.place ?? "opened"}</span>
      <span class="quiet">${whenWords(recent.when)}</span>
      ${problem && html`<span class="alarm" role="alert">${problem}</span>`}</div>
    ${
      doing === "delete"
        ? html`<${Confirm} name=${name} end=${end} what=${isDump ? "dump" : "session"} remove=${() => attempt(remove(recent))} />`
        : html`<div class="acts">
      <button aria-pressed=${recent.pinned === true} aria-label=${`Pin ${name}`} title=${recent.pinned ? "Unpin" : "Pin to the top of the list"} onClick=${() => describeSession(recent.id, { pinned: !recent.pinned })}><${Icon} name="pin" /></button>
      <button aria-label=${`Rename ${name}`} title="Rename" onClick=${() => setDoing("rename")}><${Icon} name="rename" /></button>
      <button aria-label=${`Delete ${name}`} title="Delete" onClick=${() => setDoing("delete")}><${Icon} name="delete" /></button></div>`
    }</li>`;
}

/** A session that was deleted, or that belongs to another server. @param {{recent: Recent}} props */
function Gone({ recent: { id, name } }) {
  return html`<li class="gone"><span class="thumbnail"></span>
    <div class="about"><span>${name}</span><span class="quiet">No longer on this server.</span></div>
    <div class="acts"><button onClick=${() => forgetSession(id)} aria-label=${`Remove ${name} from the list`} title="Remove from the list"><${Icon} name="close" /></button></div></li>`;
}

/** @param {{name: string, end: () => void, rename: (name: string) => Promise<unknown>}} props */
function Rename({ name, end, rename }) {
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const wanted = String(new FormData(form).get("name")).trim();
    if (wanted !== "" && wanted !== name) await rename(wanted);
    end();
  };
  const cancel = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && end();
  return html`<form onSubmit=${submit} onKeyDown=${cancel}><input name="name" aria-label="Name of the session" value=${name} maxlength="200" required ref=${selectAll} />
    <button type="submit" class="plain">Rename</button><button type="button" class="plain" onClick=${end}>Cancel</button></form>`;
}

/** @param {{name: string, what: string, end: () => void, remove: () => Promise<unknown>}} props */
function Confirm({ name, what, end, remove }) {
  return html`<div class="confirm" role="group" aria-label=${`Delete ${name}?`}><span>Delete this ${what} permanently?</span>
    <button class="plain" onClick=${remove}>Delete</button><button class="plain" onClick=${end} ref=${focus}>Keep</button></div>`;
}

/** @param {HTMLInputElement|null} input */
function selectAll(input) {
  if (input && document.activeElement !== input) input.select();
}

/** @param {HTMLButtonElement|null} button */
function focus(button) {
  button?.focus();
}

/** @param {Recent} recent @returns {string} */
const pathOf = ({ id, kind }) => (kind === "passes" ? dumpPath(id) : sessionPath(id));

/** @param {Recent} recent @param {string} name */
async function rename(recent, name) {
  await sendJson(`${pathOf(recent)}/name`, { name }, { method: "PUT" });
  describeSession(recent.id, { name });
}

/** Delete a session, which may be deleted already. @param {Recent} recent */
async function remove(recent) {
  await sendJson(pathOf(recent), null, { method: "DELETE" }).catch((error) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  });
  forgetSession(recent.id);
}

/** @param {number} when @returns {string} */
function whenWords(when) {
  const [then, now] = [new Date(when), new Date()];
  const time = then.toLocaleTimeString([], { timeStyle: "short" });
  if (then.toDateString() === now.toDateString()) return `today, ${time}`;
  return `${then.toLocaleDateString([], { dateStyle: "medium" })}, ${time}`;
}
