/**
 * Replaces the editor's commands in a saved page, by static/bundle.mjs. The program cannot be edited there: only keys
 * that move and select remain.
 */
import * as commands from "@codemirror/commands";

/** A command that moves, and one that selects. @param {string} key @param {string|undefined} mac @param {import("@codemirror/view").Command} run @param {import("@codemirror/view").Command} shift @returns {import("@codemirror/view").KeyBinding} */
const way = (key, mac, run, shift) => ({ key, mac, run, shift, preventDefault: true });

/** @type {readonly import("@codemirror/view").KeyBinding[]} */
export const defaultKeymap = [
  way("ArrowLeft", undefined, commands.cursorCharLeft, commands.selectCharLeft),
  way("ArrowRight", undefined, commands.cursorCharRight, commands.selectCharRight),
  way("ArrowUp", undefined, commands.cursorLineUp, commands.selectLineUp),
  way("ArrowDown", undefined, commands.cursorLineDown, commands.selectLineDown),
  way("Mod-ArrowLeft", "Alt-ArrowLeft", commands.cursorGroupLeft, commands.selectGroupLeft),
  way("Mod-ArrowRight", "Alt-ArrowRight", commands.cursorGroupRight, commands.selectGroupRight),
  way("PageUp", undefined, commands.cursorPageUp, commands.selectPageUp),
  way("PageDown", undefined, commands.cursorPageDown, commands.selectPageDown),
  way("Home", "Cmd-ArrowLeft", commands.cursorLineBoundaryBackward, commands.selectLineBoundaryBackward),
  way("End", "Cmd-ArrowRight", commands.cursorLineBoundaryForward, commands.selectLineBoundaryForward),
  way("Mod-Home", "Cmd-ArrowUp", commands.cursorDocStart, commands.selectDocStart),
  way("Mod-End", "Cmd-ArrowDown", commands.cursorDocEnd, commands.selectDocEnd),
  { key: "Mod-a", run: commands.selectAll },
];

/** @type {never[]} */
const none = [];
export { none as historyKeymap };

/** Commands that edit. */
export const history = () => none;
