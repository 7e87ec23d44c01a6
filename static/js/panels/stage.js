/** The stage: tabs that each draw the chosen value or op. A tab that would be empty does not exist. */
import { html } from "htm/preact";
import { chooseValue } from "../actions.js";
import * as store from "../store.js";
import { Ask } from "../ui/ask.js";
import { Icon } from "../ui/icons.js";
import { pathText } from "../run/tuples.js";
import { Tabs } from "../ui/tabs.js";
import { GridPanel } from "./grid.js";
import { hasQueues, QueuesPanel } from "./grid_queues.js";
import { IndexMapPanel } from "./index_map.js";
import { shownOp } from "./index_map/shown.js";
import { OpPanel } from "./op.js";
import { ProvenancePanel } from "./provenance.js";
import { TensorPanel } from "./tensor.js";

/** The tabs, and when each is there. */
const TABS = [
  { id: "tensor", title: "Tensor", exists: () => true },
  { id: "index", title: "Index map", exists: () => shownOp.value !== null },
  { id: "provenance", title: "Provenance", exists: () => store.selectedValue.value !== null },
  { id: "grid", title: "Grid", exists: () => store.grid.value !== null },
  { id: "queues", title: "Queues", exists: hasQueues },
  { id: "op", title: "Op", exists: hasOp },
];

const PANELS = { tensor: TensorPanel, index: IndexMapPanel, provenance: ProvenancePanel, grid: GridPanel, queues: QueuesPanel, op: OpPanel };

const TITLES = { tensor: "Tensor", index: "Index map", provenance: "Provenance", grid: "Grid", queues: "Queues", op: "this op" };

export function StagePanel() {
  const tabs = TABS.filter(({ exists }) => exists());
  const chosen = tabs.some(({ id }) => id === store.stageTab.value) ? store.stageTab.value : "tensor";
  const Panel = PANELS[/** @type {keyof typeof PANELS} */ (chosen)];
  return html`<div class="pane-head">
      <${Tabs} label="Stage" tabs=${tabs} chosen=${chosen} panel="stage" choose=${(/** @type {string} */ id) => (store.stageTab.value = id)} />
      <span class="spring"></span><${Chosen} /><${Ask} about=${chosen === "op" ? opPage() : chosen} title=${TITLES[/** @type {keyof typeof PANELS} */ (chosen)]} />
    </div>
    <div class="fill" id="stage" role="tabpanel" aria-labelledby=${`stage-${chosen}`} tabindex="0"><${Panel} /></div>`;
}

/** The page of the op that is shown. @returns {string} */
function opPage() {
  const op = store.currentOp.value;
  const name = op === null ? undefined : store.program.value?.op(op).name;
  return name ? `/ops/${name}` : "op";
}

/** @returns {boolean} */
function hasOp() {
  return store.currentOp.value !== null || store.chosenValue.value !== null;
}

/** Which value was chosen, and the way back to following the current op. */
function Chosen() {
  const chosen = store.chosenValue.value;
  const value = chosen === null ? undefined : store.program.value?.values[chosen];
  if (!value) return html`<span class="chosen"><span class="type">follows the current op</span></span>`;
  return html`<span class="chosen"><span class="label">${value.name}${pathText(store.chosenPath.value)}</span>
    <button onClick=${() => chooseValue(null)} title="Follow the current op again" aria-label=${`Stop looking at ${value.name}; follow the current op`}><${Icon} name="close" /></button></span>`;
}
