/** The menu of a value: where it is shown, its definition and uses in the text, its other steps, its elements. */
import { goTo } from "../core/actions.js";
import { elementAddress } from "../core/addresses.js";
import { command } from "../core/commands.js";
import { keysOf } from "../core/keys.js";
import { isAnythingHidden, isHidden } from "../core/hidden_values.js";
import { reportError } from "../core/messages.js";
import { findUses, goToDefinition } from "../core/navigation.js";
import { whenHere } from "../core/run/recording.js";
import { wayToMaker, wayToReader } from "../core/run/value_ways.js";
import { isFile } from "../core/source.js";
import * as store from "../core/store.js";
import { pins, pinValue, subtract } from "../core/tensor/compared.js";
import { chooseValue, showTab } from "../core/view_actions.js";
import { openExecutionsMenu } from "./executions_menu.js";
import { copyValue } from "./export.js";
import { openMenu } from "./menu.js";
import { serverItems } from "./server_items.js";
/** @import {MenuItem, MenuPlace} from "./menu.js" */

/**
 * @typedef {{value: number, address: string|null, path: number[], name: string, isTensor: boolean}} Named a value, or an element of it; address: of the value
 */

/** @param {Named} named @param {MenuPlace} place */
export function openValueMenu(named, place) {
  whenHere(() => itemsOf(named, place))
    .then((items) => openMenu({ label: named.name, items, ...place }))
    .catch(reportError);
}

/** @param {Named} named @param {MenuPlace} place @returns {MenuItem[]} */
function itemsOf(named, place) {
  const { value, path } = named;
  const show = (/** @type {string} */ panel) => () => {
    chooseValue(value, path);
    showTab(panel);
  };
  const isMade = store.program.value?.definition(value).op !== null;
  return [
    { text: "Show in Tensor", run: show("tensor") },
    isMade
      ? { text: "Show in Index map", run: show("index") }
      : { text: "Show in Index map", note: "no op makes it", ...NOTHING },
    { text: "Go" },
    { text: "Go to definition", keys: keysOf(command("definition"))[0], run: () => goToDefinition({ value }) },
    { text: "Find all uses", keys: keysOf(command("uses"))[0], run: () => findUses({ value }) },
    ...wayItems(named),
    { text: "When it was made…", note: "other executions", run: () => openExecutionsMenu(value, place) },
    ...takeItems(named),
  ];
}

const NOTHING = { off: true, run: () => {} };

/** @param {Named} named @returns {MenuItem[]} */
function wayItems({ value, address }) {
  if (address === null) return [{ text: "Go to where it was made", note: "not yet", ...NOTHING }];
  const made = wayToMaker(address);
  const read = wayToReader({ value, address });
  return [
    made
      ? {
          text: `Go to where it was ${made.isGiven ? "given" : "made"}`,
          note: made.words,
          run: () => void goTo(made.step),
        }
      : { text: "Go to where it was made", note: "an input of the run", ...NOTHING },
    read
      ? { text: "Go to its next reader", note: read.words, run: () => void goTo(read.step) }
      : { text: "Go to its next reader", note: "nothing reads it from here on", ...NOTHING },
  ];
}

/** Pin a value in the tensor view, or show it minus a pinned one. @param {string} key @param {Named} named @param {string} address @returns {MenuItem[]} */
function compareItems(key, { value, path, name }, address) {
  if (isAnythingHidden()) return [];
  const show = () => {
    chooseValue(value, path);
    showTab("tensor");
  };
  const pin = () => {
    const found = store.program.value?.value(value);
    if (!found) return;
    const { type, shape, elementType } = found;
    if (pinValue(key, { address, value, path, name, type, shape, elementType, when: "now" })) showTab("tensor");
  };
  return [
    { text: "Pin in Tensor", run: pin },
    ...pins.value.map((other) => ({
      text: `Subtract ${other.selected.name}`,
      note: other.where,
      run: () => {
        subtract(other);
        show();
      },
    })),
  ];
}

/** @param {Named} named @returns {MenuItem[]} */
function takeItems(named) {
  const { address, path, isTensor } = named;
  const key = store.recordingKey.value;
  if (address === null || key === null || !isTensor) return [];
  const whole = path.length > 0 ? elementAddress(address, path) : address;
  if (isHidden(key, whole)) return [];
  return [
    { text: "Elements" },
    ...compareItems(key, named, whole),
    ...(isFile() ? [] : serverItems(key, whole, named)),
    { text: "Copy as text", run: () => void copyValue(key, whole).catch(reportError) },
  ];
}
