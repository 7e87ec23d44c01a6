/** The keys of all commands: press a button, then the new keys. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { changeKeys, changedKeys, isAllowed, keysOf, nameOf } from "../../core/keys.js";
import { availableCommands } from "../../core/commands.js";

/** The command that waits for its new keys. */
const listening = signal(/** @type {string|null} */ (null));
const remark = signal("");

export function KeyTable() {
  return html`<p>In the focused timeline and list of steps, the arrows and <kbd>,</kbd> <kbd>.</kbd> step back and forward. Keys with Alt+Shift go backwards.
    In lists, such as Variables, arrows, Home, End, Page Up and Page Down move, Enter chooses, the left and right arrows fold.
    In the grid of processes arrows move, Enter shows a process in all panels, Space chooses it to step along.</p>
    <div role="status" class="key-remark">${remark.value}</div>
    <table><thead><tr><th scope="col">Command</th><th scope="col">Keys</th><th scope="col">Change</th></tr></thead>
    <tbody>${availableCommands().map(
      (command) => html`<tr class="key-row" key=${command.id}><th scope="row">${command.title}</th>
      <td>${keysOf(command).map((key) => html`<kbd>${key}</kbd> `)}</td>
      <td><button onClick=${() => listenTo(command.id)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => onKey(event, command.id)} onBlur=${() => listenTo(null)}
        aria-label=${`Change the key of: ${command.title}`}>${listening.value === command.id ? "Press the keys…" : "Change"}</button>
      ${changedKeys.value[command.id] && html` <button onClick=${() => changeKeys(command.id, null)} aria-label=${`Reset the keys of: ${command.title}`}>Reset</button>`}</td></tr>`,
    )}
    </tbody></table>`;
}

/** @param {string|null} id */
function listenTo(id) {
  listening.value = id;
  remark.value = "";
}

/** @param {KeyboardEvent} event @param {string} id */
function onKey(event, id) {
  if (listening.value !== id) return;
  const name = nameOf(event);
  if (["Tab", "Shift+Tab", "Escape"].includes(name)) return listenTo(null);
  event.preventDefault();
  event.stopPropagation();
  if (name === "") return;
  const other = availableCommands().find((command) => command.id !== id && keysOf(command).includes(name));
  if (!isAllowed(name))
    remark.value = `${name} alone is for typing; combine it with Ctrl or Alt, or use a function key.`;
  else if (other) remark.value = `${name} is already used by: ${other.title}.`;
  else {
    changeKeys(id, [name]);
    listenTo(null);
  }
}
