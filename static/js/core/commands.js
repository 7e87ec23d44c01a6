/**
 * The commands of the page by id, for buttons and menus that name one. Their table is features/workbench/commands.js.
 *
 * @typedef {{id: string, title: string, keys: string[], run: () => void, inDialogs?: boolean, exists?: () => boolean}} Command `exists`: whether the
 *   page can run it now; `inDialogs`: its keys work
 *   while a dialog is open too, and replace those of the browser
 */
import { isFile } from "./source.js";

/** Commands that need a server; a saved page has none. */
const OF_SERVER = ["run", "pause", "recordRest", "compareWithXla", "backToClass", "rename"];

/** @type {readonly Command[]} */
let table = [];

/** @param {readonly Command[]} commands */
export function provideCommands(commands) {
  table = commands;
}

/** The commands that this page can run. @returns {readonly Command[]} */
export const availableCommands = () =>
  table.filter(({ id, exists }) => (exists?.() ?? true) && !(isFile() && OF_SERVER.includes(id)));

/** @param {string} id @returns {Command} */
export function command(id) {
  const found = table.find((candidate) => candidate.id === id);
  if (!found) throw new RangeError(`there is no command ${id}`);
  return found;
}
