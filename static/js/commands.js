/** All that can be done by a key or a button, by name. Alt+Shift goes backwards. */
import * as actions from "./actions.js";
import { nextTogether } from "./grid/together.js";
import { cursorLine } from "./editor/cursor.js";
import { describeOp } from "./editor/op_card.js";
import { current as picture } from "./indexing/playing.js";
import { stageTab } from "./store.js";

/**
 * @typedef {{id: string, title: string, keys: string[], run: () => void}} Command
 */

/** @type {readonly Command[]} */
export const COMMANDS = [
  { id: "run", title: "Run the program in the editor", keys: ["Ctrl+Enter"], run: () => void actions.runProgram() },
  { id: "continue", title: "Continue", keys: ["F5"], run: actions.continueRun },
  { id: "pause", title: "Pause", keys: ["F6", "Shift+F5"], run: actions.pause },
  { id: "over", title: "Step over", keys: ["F10", "Alt+F10"], run: actions.stepOver },
  { id: "into", title: "Step into", keys: ["F11", "Alt+F11"], run: actions.stepInto },
  { id: "out", title: "Step out", keys: ["Shift+F11"], run: actions.stepOut },
  { id: "back", title: "Step back", keys: ["Alt+Shift+F11"], run: actions.stepBack },
  { id: "backOver", title: "Step back over", keys: ["Alt+Shift+F10"], run: actions.stepBackOver },
  { id: "reverseContinue", title: "Reverse continue", keys: ["Alt+Shift+F5"], run: actions.reverseContinue },
  { id: "wait", title: "Run until it waits for another process", keys: ["Ctrl+F11"], run: () => void actions.runUntilItWaits() },
  { id: "restart", title: "Restart", keys: ["Ctrl+Shift+F5"], run: actions.restart },
  { id: "runToLine", title: "Run to line", keys: ["Ctrl+F10"], run: () => actions.runToLine(cursorLine()) },
  { id: "toggleBreakpoint", title: "Toggle breakpoint", keys: ["F9"], run: () => actions.toggleBreakpoint(cursorLine()) },
  { id: "nextProcess", title: "Show the next process", keys: ["Alt+PageDown"], run: () => void actions.showNeighbour(1) },
  { id: "previousProcess", title: "Show the process before", keys: ["Alt+PageUp"], run: () => void actions.showNeighbour(-1) },
  { id: "together", title: "Step all processes, the shown one, or the chosen ones", keys: ["Alt+F6"], run: nextTogether },
  { id: "indexMap", title: "Show which elements the current op reads", keys: ["Alt+Shift+I"], run: () => (stageTab.value = "index") },
  { id: "nextElement", title: "Index map: the next element", keys: ["Alt+Shift+ArrowRight"], run: () => picture.peek()?.next() },
  { id: "previousElement", title: "Index map: the element before", keys: ["Alt+Shift+ArrowLeft"], run: () => picture.peek()?.previous() },
  { id: "playElements", title: "Index map: go through all elements, or stop", keys: ["Alt+Shift+P"], run: () => picture.peek()?.play() },
  { id: "pinElement", title: "Index map: pin what is chosen, or let go of it", keys: ["Alt+Shift+Enter"], run: () => picture.peek()?.pin() },
  { id: "describeOp", title: "Say what the op at the cursor is", keys: ["Shift+F1"], run: describeOp },
];

/** @param {string} id @returns {Command} */
export function command(id) {
  const found = COMMANDS.find((candidate) => candidate.id === id);
  if (!found) throw new RangeError(`there is no command ${id}`);
  return found;
}
