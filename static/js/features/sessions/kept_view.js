/** The entry of the open session in the list of recent sessions: its position and view, for the next visit. */
import { countText } from "../../core/tensor/elements.js";
import { effect } from "@preact/signals";
import { shortName } from "../../core/run/op_names.js";
import * as store from "../../core/store.js";
import { arrivals, thumbnail } from "../../ui/thumbnails.js";
import { recentSession, rememberSession } from "./recents.js";
/** @import {Recent} from "./recents.js" */

const AFTER_MS = 800;

/** Update the list shortly after the last change, and when the page is left. */
export function keepInRecents() {
  let timer = 0;
  const write = () => rememberSession(store.sessionId.value, description());
  effect(() => {
    store.position.value;
    store.steps.value;
    currentView();
    arrivals.value; // the picture may be among them
    clearTimeout(timer);
    timer = window.setTimeout(write, AFTER_MS);
  });
  window.addEventListener("pagehide", write);
}

/** The current summary of the session. @returns {Partial<Recent>} */
function description() {
  const { value: shown } = store.selectedValue;
  const key = store.recordingKey.value;
  const picture = key !== null && shown ? (thumbnail(key, shown.address) ?? undefined) : undefined;
  return { name: store.sessionName.value, place: placeWords(), picture, view: currentView() };
}

function placeWords() {
  if (store.run.value === null) return store.diagnostics.value.length > 0 ? "has errors" : "not run yet";
  const [at, of] = [store.position.value, store.steps.value];
  const op = store.currentOp.value;
  const described = op === null ? undefined : store.program.value?.op(op);
  if (!described) return `end of ${countText(of)} steps`;
  const where = `line ${described.line}, ${shortName(described)}`;
  return `step ${countText(at)} of ${countText(of)} · ${where}`;
}

/** @returns {import("./recents.js").View|undefined} */
function currentView() {
  const run = store.run.value?.number;
  return run === undefined
    ? undefined
    : {
        run,
        process: store.process.value,
        tab: store.stageTab.value,
        value: store.chosenValue.value,
        path: store.chosenPath.value,
      };
}

/** The last view of this session, if it showed the same run. */
export function rememberedView() {
  const view = recentSession(store.sessionId.value)?.view;
  return view !== undefined && view.run === store.run.value?.number ? view : null;
}
