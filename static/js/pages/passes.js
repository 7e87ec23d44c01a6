/** The page of a dump: the effect of each XLA pass on a program. */
import { countText } from "../core/tensor/elements.js";
import { html, render } from "htm/preact";
import { PassDetail } from "../features/passes/difference.js";
import { countOthers, FileDetail, FileList } from "../features/passes/files.js";
import { Head } from "../features/passes/head.js";
import { DumpMemory, OtherDumps } from "../features/passes/memory.js";
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
  const choose = (/** @type {string} */ id) =>
    state.showList(id === "files" ? "files" : id === "memory" ? "memory" : "passes");
  const tabs = [
    { id: "passes", title: "Passes" },
    { id: "files", title: "Other files", badge: html` <span class="badge">${countText(countOthers())}</span>` },
    { id: "memory", title: "Compare memory" },
  ];
  const lists = { passes: html`<${Timeline} />`, files: html`<${FileList} />`, memory: html`<${OtherDumps} />` };
  const details = { passes: html`<${PassDetail} />`, files: html`<${FileDetail} />`, memory: html`<${DumpMemory} />` };
  const names = { passes: "pass", files: "file", memory: "dump" };
  return html`<${Head} />
    <div class="dump-panes">
      <section class="dump-list" aria-label="What the dump holds">
        <${Tabs} label="Lists" tabs=${tabs} chosen=${list} choose=${choose} panel="dump-list" />
        <div id="dump-list" class="dump-rows" role="tabpanel" aria-labelledby=${`dump-list-${list}`}>${lists[list]}</div>
      </section>
      <section class="dump-detail" aria-label=${`The chosen ${names[list]}`}>${details[list]}</section>
    </div>`;
}
