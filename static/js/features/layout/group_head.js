/** The head of a group: its tabs, what the panel in front has to say there, its help, and what can be done with it. */
import { html } from "htm/preact";
import { keysOf } from "../../core/keys.js";
import { helpPage, HelpLink } from "../../ui/help_link.js";
import { Icon } from "../../ui/icons.js";
import { Menu } from "../../ui/menu.js";
import { Tabs } from "../../ui/tabs.js";
import { command } from "../../core/commands.js";
import { dragTab } from "./drag.js";
import { askWhere } from "./move_dialog.js";
import * as state from "./state.js";
import { drawerAround, parentOf } from "./tree.js";

/** @param {{node: import("./tree.js").Group, tabs: string[], active: string}} props */
export function GroupHead({ node, tabs, active }) {
  const { title, Head, help, canClose } = state.panelOf(active);
  const about = typeof help === "function" ? help() : help;
  const dots = html`<${Icon} name="more" />`;
  const isNarrow = state.isNarrow.value;
  return html`<div class="pane-head">
    ${isNarrow && canClose && tabs.length === 1 ? html`<h2>${title}</h2>` : html`<${GroupTabs} tabs=${tabs} active=${active} />`}
    ${Head && !node.folded ? html`<${Head} />` : html`<span class="spring"></span>`}
    <${HelpLink} about=${about} title=${title} />
    ${!isNarrow && html`<${Menu} class="panel-menu" label=${`Arrange ${title}`} content=${dots} items=${() => itemsFor(active, helpPage(about))} />`}
    ${canClose && html`<button class="close" title="Close" onClick=${() => state.closePanel(active)}><${Icon} name="close" /><span class="hidden">Close ${title}</span></button>`}
  </div>`;
}

/** In a narrow window the tab of the pane says as much as that of its only panel. @param {{tabs: string[], active: string}} props */
function GroupTabs({ tabs, active }) {
  const isNarrow = state.isNarrow.value;
  if (isNarrow && tabs.length === 1) return null;
  const named = tabs.map(tabOf);
  const label = named.map(({ title }) => title).join(", ");
  return html`<${Tabs} label=${label} tabs=${named} chosen=${active} panel="tab" choose=${state.showPanel} onGrab=${isNarrow ? undefined : dragTab} />`;
}

/** @param {string} id @returns {import("../../ui/tabs.js").Tab} */
function tabOf(id) {
  const { title, Badge } = state.panelOf(id);
  return { id, title, badge: Badge && html`<${Badge} />`, panel: `panel-${id}` };
}

/** @param {string} id @param {string|undefined} help @returns {import("../../ui/menu.js").MenuItem[]} */
function itemsFor(id, help) {
  const { title } = state.panelOf(id);
  const { tree, maximised } = state.layout.peek();
  const keys = keysOf(command("maximise"))[0];
  return [
    { text: maximised === id ? "Restore" : "Maximise", keys, run: () => state.toggleMaximised(id) },
    collapseItem(id, tree),
    { text: "Close", note: "the Layout menu opens it again", run: () => state.closePanel(id) },
    { text: `Move ${title} to…`, run: () => askWhere(id) },
    ...(help ? [{ text: `Help: ${title}`, note: "new tab", href: help }] : []),
  ];
}

/** @param {string} id @param {import("./tree.js").Tree} tree @returns {import("../../ui/menu.js").MenuItem} */
function collapseItem(id, tree) {
  const own = state.groupOf(id);
  if (drawerAround(tree, id)) return { text: "Keep open beside the others", run: () => state.expandPanel(id) };
  if (own?.folded) return { text: "Expand", run: () => state.expandPanel(id) };
  const parent = own && parentOf(tree, own);
  return {
    text: "Collapse",
    note: parent?.kind === "row" ? "to a drawer" : "to its title",
    run: () => state.collapsePanel(id),
  };
}
