/** All commands by id, with their keys. Alt+Shift reverses a direction. */
import * as actions from "../../core/actions.js";
import { afterPaint } from "../../core/later.js";
import { nextLockstep } from "../../core/grid/lockstep.js";
import { togglePresenter, toggleWholeText } from "../../core/preferences.js";
import * as store from "../../core/store.js";
import { recordRest } from "../../core/run/rest.js";
import { isLeft, openDialog, showTab, toggleBreakpoint } from "../../core/view_actions.js";
import { describeOp } from "../../ui/code/op_card.js";
import { compareWithXla } from "../compare/engine.js";
import { runToLineWithXla } from "../../core/run/later_start.js";
import { nextOrigin, previousOrigin } from "../findings/go.js";
import { currentPlayer as picture } from "../index_map/player.js";
import { toggleDrawer, togglePanel, visible } from "../layout/state.js";
import { focusPanel, maximisePanel, walkPanels } from "../layout/walk.js";
import { atCursor, cursorLine } from "../../core/cursor.js";
import { travel } from "../../core/navigation.js";
import { backToClass } from "../room/following.js";
import { nextStripMode } from "../program/strip_width.js";

/** @type {readonly import("../../core/commands.js").Command[]} */
export const COMMANDS = [
  { id: "run", title: "Run the program in the editor", keys: ["Ctrl+Enter"], run: () => void actions.runProgram() },
  { id: "continue", title: "Continue", keys: ["F5"], run: actions.continueRun },
  { id: "pause", title: "Pause", keys: ["Shift+F5"], run: actions.pause },
  { id: "recordRest", title: "Record the rest of the run", keys: [], run: recordRest },
  { id: "over", title: "Step over", keys: ["F10", "Alt+F10"], run: actions.stepOver },
  { id: "into", title: "Step into", keys: ["F11", "Alt+F11"], run: actions.stepInto },
  { id: "out", title: "Step out", keys: ["Shift+F11"], run: actions.stepOut },
  { id: "back", title: "Step back", keys: ["Alt+Shift+F11"], run: actions.stepBack },
  { id: "backOver", title: "Step back over", keys: ["Alt+Shift+F10"], run: actions.stepBackOver },
  { id: "reverseContinue", title: "Reverse continue", keys: ["Alt+Shift+F5"], run: actions.reverseContinue },
  {
    id: "wait",
    title: "Run until it waits for another process",
    keys: ["Ctrl+F11"],
    run: () => void actions.runUntilItWaits(),
  },
  { id: "restart", title: "Restart", keys: ["Ctrl+Shift+F5"], run: actions.restart },
  { id: "runToLine", title: "Run to line", keys: ["Ctrl+F10"], run: () => actions.runToLine(cursorLine()) },
  {
    id: "nextOrigin",
    title: "Run to the next origin of a NaN or an infinity",
    keys: ["F8"],
    run: () => void nextOrigin(),
  },
  {
    id: "previousOrigin",
    title: "Go back to the previous origin of a NaN or an infinity",
    keys: ["Shift+F8"],
    run: () => void previousOrigin(),
  },
  { id: "toggleBreakpoint", title: "Toggle breakpoint", keys: ["F9"], run: () => toggleBreakpoint(cursorLine()) },
  {
    id: "nextProcess",
    title: "Show the next process",
    keys: ["Alt+PageDown"],
    run: () => void actions.showNeighbour(1),
  },
  {
    id: "previousProcess",
    title: "Show the previous process",
    keys: ["Alt+PageUp"],
    run: () => void actions.showNeighbour(-1),
  },
  {
    id: "together",
    title: "Change which processes step: all, the selected or the chosen",
    keys: ["Alt+F6"],
    run: nextLockstep,
  },
  {
    id: "indexMap",
    title: "Show which elements the current op reads",
    keys: ["Alt+Shift+I"],
    run: () => showTab("index"),
  },
  {
    id: "nextElement",
    title: "Index map: the next element",
    keys: ["Alt+Shift+ArrowRight"],
    run: () => picture.peek()?.next(),
  },
  {
    id: "previousElement",
    title: "Index map: the previous element",
    keys: ["Alt+Shift+ArrowLeft"],
    run: () => picture.peek()?.previous(),
  },
  {
    id: "playElements",
    title: "Index map: play through all elements, or stop",
    keys: ["Alt+Shift+P"],
    run: () => picture.peek()?.play(),
  },
  {
    id: "pinElement",
    title: "Index map: pin or release the selection",
    keys: ["Alt+Shift+Enter"],
    run: () => picture.peek()?.pin(),
  },
  { id: "wholeText", title: "Toggle full program text", keys: ["Alt+Shift+W"], run: toggleWholeText },
  { id: "stripWidth", title: "Film strip: narrow, normal, wide", keys: ["Alt+Shift+S"], run: nextStripMode },
  { id: "find", title: "Find anything", keys: ["Ctrl+P"], inDialogs: true, run: () => openFinder("find") },
  {
    id: "findValues",
    title: "Search recorded values",
    keys: ["Ctrl+Shift+F"],
    inDialogs: true,
    run: () => openFinder("values"),
  },
  { id: "commands", title: "All commands", keys: ["Ctrl+Shift+P"], inDialogs: true, run: () => openFinder("commands") },
  {
    id: "runToLineWithXla",
    title: "Run to line with XLA, and record from there",
    keys: [],
    run: () => void runToLineWithXla(cursorLine()),
  },
  { id: "compareWithXla", title: "Compare with XLA", keys: [], run: () => void compareWithXla() },
  { id: "present", title: "Toggle presenter mode", keys: ["Ctrl+Alt+P"], run: togglePresenter },
  { id: "keys", title: "Keys and help", keys: ["F1", "?"], run: () => openDialog("keys") },
  { id: "definition", title: "Go to definition", keys: ["F12"], run: () => atCursor.peek()?.definition() },
  { id: "uses", title: "Find all uses", keys: ["Shift+F12"], run: () => atCursor.peek()?.uses() },
  { id: "peek", title: "Peek definition", keys: ["Alt+F12"], run: () => atCursor.peek()?.peek() },
  { id: "rename", title: "Rename in the text…", keys: ["F2"], run: () => atCursor.peek()?.rename() },
  { id: "search", title: "Find in the text", keys: ["Ctrl+F"], run: () => atCursor.peek()?.search() },
  { id: "placeBefore", title: "Go back to the place before", keys: ["Alt+ArrowLeft"], run: () => travel("back") },
  { id: "placeAfter", title: "Go forward to the place after", keys: ["Alt+ArrowRight"], run: () => travel("forward") },
  {
    id: "whenItRan",
    title: "Go to an execution of this line…",
    keys: ["Alt+Shift+G"],
    run: () => atCursor.peek()?.menu(),
  },
  { id: "nextPanel", title: "Go to the next panel", keys: ["F6"], run: () => walkPanels(1) },
  { id: "previousPanel", title: "Go to the previous panel", keys: ["Shift+F6"], run: () => walkPanels(-1) },
  { id: "maximise", title: "Maximise or restore the panel", keys: ["Ctrl+Alt+M"], run: maximisePanel },
  { id: "inspector", title: "Open or close the inspector", keys: ["Ctrl+B"], run: () => toggleDrawer("variables") },
  { id: "console", title: "Open or close the console", keys: ["Ctrl+`"], run: toggleConsole },
  {
    id: "describeValue",
    title: "Describe the value at the cursor",
    keys: ["Alt+Shift+V"],
    run: () => atCursor.peek()?.describe(),
  },
  { id: "overSource", title: "Step over source line", keys: ["Ctrl+Alt+F10"], run: actions.stepOverSourceLine },
  { id: "backToClass", title: "Return to the class", keys: ["Alt+Shift+C"], run: () => void backToClass() },
  { id: "describeOp", title: "Describe the op at the cursor", keys: ["Shift+F1"], run: describeOp },
];

/** Open the console with the focus at its prompt, or close it. */
function toggleConsole() {
  togglePanel("console");
  if (visible.peek().includes("console")) afterPaint(() => focusPanel("console"));
}

/** Open one of the find boxes, unless another dialog is open. @param {"find"|"values"|"commands"} name */
function openFinder(name) {
  const open = store.dialog.value;
  if (open === null || ["find", "uses", "values", "commands"].includes(open) || isLeft()) openDialog(name);
}
