/** The page of a dump: the effect of each XLA pass on a program. */
import { countText } from "../core/tensor/elements.js";
import { html, render } from "htm/preact";
import { PassDetail } from "../features/passes/difference.js";
import { countOthers, FileDetail, FileList } from "../features/passes/files.js";
import { Head } from "../features/passes/head.js";
import * as state from "../features/passes/state.js";
import { open } from "../features/passes/state.js";
import { Timeline } from "../features/passes/timeline.js";
import { Tabs } from "../ui/tabs.js";
import { pageData } from "./common.js";

const root = document.getElementById("passes");
if (root) {
  root.replaceChildren();
  render(html`<${Passes} />`, root);
}
void open(pageData().dump);

function Passes() {
  if (!state.dump.value)
    return state.problem.value
      ? html`<p class="alarm" role="alert">${state.problem.value}</p>`
      : html`<p class="empty" role="status">Opening the dump…</p>`;
  const list = state.list.value;
  const choose = (/** @type {string} */ id) => {
    state.list.value = id === "files" ? "files" : "passes";
    if (id === "passes") state.choose(state.stage.value);
  };
  const tabs = [
    { id: "passes", title: "Passes" },
    {
      id: "files",
      title: "Other files",
      badge: html` <span class="badge">${countText(countOthers())}</span>`,
    },
  ];
  return html`<${Head} />
    <div class="dump-panes">
      <section class="dump-list" aria-label="What the dump holds">
        <${Tabs} label="Lists" tabs=${tabs} chosen=${list} choose=${choose} panel="dump-list" />
        <div id="dump-list" class="dump-rows" role="tabpanel" aria-labelledby=${`dump-list-${list}`}>${list === "passes" ? html`<${Timeline} />` : html`<${FileList} />`}</div>
      </section>
      <section class="dump-detail" aria-label=${list === "passes" ? "The chosen pass" : "The chosen file"}>${list === "passes" ? html`<${PassDetail} />` : html`<${FileDetail} />`}</section>
    </div>`;
}
