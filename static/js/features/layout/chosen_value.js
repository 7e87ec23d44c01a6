/** Which value was chosen, and the way back to following the current op. */
import { html } from "htm/preact";
import { pathText } from "../../core/run/tuples.js";
import * as store from "../../core/store.js";
import { chooseValue } from "../../core/view_actions.js";
import { Icon } from "../../ui/icons.js";

export function ChosenValue() {
  const chosen = store.chosenValue.value;
  const value = chosen === null ? undefined : store.program.value?.values[chosen];
  if (!value) return html`<span class="spring"></span>`;
  const name = `${value.name}${pathText(store.chosenPath.value)}`;
  return html`<span class="spring"></span><span class="chosen"><span class="label" title=${name}>${name}</span>
    <button onClick=${() => chooseValue(null)} title="Follow the current op again" aria-label=${`Stop showing ${value.name}; follow the current op`}><${Icon} name="close" /></button></span>`;
}
