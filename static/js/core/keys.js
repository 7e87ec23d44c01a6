/**
 * Key bindings as data: each can be changed, and the change is stored. Cmd counts as Ctrl on a Mac.
 *
 * @typedef {{id: string, title: string, keys: string[]}} Bound
 */
import { signal } from "@preact/signals";
import { recallJson, remember } from "./preferences.js";

/** Changed bindings: keys by command. */
export const changedKeys = signal(/** @type {Record<string, string[]>} */ (recallJson("keys") ?? {}));

/** @param {Bound} bound @returns {string[]} */
export const keysOf = ({ id, keys }) => changedKeys.value[id] ?? keys;

globalThis.addEventListener?.("storage", ({ key }) => {
  if (key === "hloscope.keys") changedKeys.value = recallJson("keys") ?? {};
});

/** Set the keys of a command; null restores its defaults. @param {string} id @param {string[]|null} keys */
export function changeKeys(id, keys) {
  const rest = Object.fromEntries(Object.entries(changedKeys.value).filter(([other]) => other !== id));
  changedKeys.value = keys === null ? rest : { ...rest, [id]: keys };
  remember("keys", JSON.stringify(changedKeys.value));
}

const MODIFIERS = ["Control", "Shift", "Alt", "Meta", "AltGraph"];

/** The name of a key as in the table, such as "Alt+Shift+F10"; "" for a modifier alone. @param {KeyboardEvent} event @returns {string} */
export function nameOf(event) {
  if (MODIFIERS.includes(event.key)) return "";
  // With Alt a Mac reports another character; use the key without Alt.
  const letter = event.altKey && /^(?:Key|Digit)/u.test(event.code ?? "") ? event.code.slice(-1) : event.key;
  const key = letter.length === 1 ? letter.toUpperCase() : letter;
  // Keyboards differ in whether a question mark takes Shift.
  const isShifted = event.shiftKey && key !== "?";
  const held = [(event.ctrlKey || event.metaKey) && "Ctrl", event.altKey && "Alt", isShifted && "Shift"].filter(
    Boolean,
  );
  return [...held, key === " " ? "Space" : key].join("+");
}

/** Single characters are for typing: they are never keys of the whole page. @param {string} name @returns {boolean} */
export const isAllowed = (name) =>
  name !== "" && !/^(Shift\+)?.$/u.test(name) && !["Tab", "Shift+Tab", "Enter", "Escape", "Space"].includes(name);

const MAC = /Mac/.test(globalThis.navigator?.platform ?? "");

/** Whether a key belongs to the text in which the user types: a character, and on a Mac a move by words. @param {KeyboardEvent} event @param {string} name */
function isTyped(event, name) {
  if (name.length > 1 && !(MAC && /^Alt\+Arrow/.test(name))) return false;
  const target = event.composedPath()[0];
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}

/** Whether the focused element handles a key itself, as `data-own-keys` states. @param {EventTarget|null} target @param {string} name */
const hasOwn = (target, name) =>
  target instanceof Element && target.closest("[data-own-keys]")?.getAttribute("data-own-keys") === name;

/** @param {() => readonly (Bound & {run: () => void, inDialogs?: boolean})[]} commands @returns {() => void} removes the listener */
export function listenToKeys(commands) {
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.defaultPrevented) return;
    const name = nameOf(event);
    const found = name && commands().find((candidate) => keysOf(candidate).includes(name));
    if (!found || (!found.inDialogs && document.querySelector("dialog[open]")) || hasOwn(event.target, name)) return;
    if (isTyped(event, name)) return;
    event.preventDefault();
    event.stopPropagation();
    found.run();
  };
  // Capture keys before the editor handles them.
  window.addEventListener("keydown", onKey, { capture: true });
  return () => window.removeEventListener("keydown", onKey, { capture: true });
}
