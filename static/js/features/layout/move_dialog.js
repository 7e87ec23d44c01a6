/** The dialog "Move to…", the keyboard alternative to dragging a tab. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useRef } from "preact/hooks";
import { Dialog } from "../../ui/dialog.js";
import * as state from "./state.js";
import { groupsOf } from "./tree.js";

/** The panel to move. */
const moving = signal(/** @type {string|null} */ (null));

/** @param {string} id */
export const askWhere = (id) => (moving.value = id);

const PAGE = "";
const ZONES = /** @type {[import("./tree.js").Zone, string][]} */ ([
  ["center", "as a tab of"],
  ["left", "left of"],
  ["right", "right of"],
  ["top", "above"],
  ["bottom", "below"],
]);

export function MoveDialog() {
  const id = moving.value;
  const form = useRef(/** @type {HTMLFormElement|null} */ (null));
  if (id === null) return null;
  const close = () => (moving.value = null);
  const move = (/** @type {Event} */ event) => {
    event.preventDefault();
    const chosen = new FormData(form.current ?? undefined);
    const beside = String(chosen.get("beside"));
    const zone = /** @type {import("./tree.js").Zone} */ (String(chosen.get("zone")));
    close();
    state.movePanel(
      id,
      beside === PAGE ? { beside: null, zone: zone === "center" ? "right" : zone } : { beside, zone },
    );
    state.showPanel(id);
  };
  return html`<${Dialog} title=${`Move ${state.panelOf(id).title}`} close=${close}><form class="move-panel" ref=${form} onSubmit=${move}>
    <label>Where <select name="zone">${ZONES.map(([zone, text]) => html`<option value=${zone}>${text}</option>`)}</select></label>
    <label>Of what <select name="beside">${targetsFor(id).map(([beside, text]) => html`<option value=${beside}>${text}</option>`)}</select></label>
    <button class="primary" type="submit">Move</button></form><//>`;
}

/** The groups by their panels, and the page. @param {string} id @returns {[string, string][]} */
function targetsFor(id) {
  const groups = groupsOf(state.layout.value.tree).flatMap((group) => {
    const others = state.tabsOf(group).filter((other) => other !== id);
    const [first] = others;
    return first === undefined
      ? []
      : [/** @type {[string, string]} */ ([first, others.map((other) => state.panelOf(other).title).join(", ")])];
  });
  return [...groups, [PAGE, "the whole page"]];
}
