/** The page of a dump: what each pass of XLA did to a program. */
import { html, render } from "htm/preact";
import { Passes } from "../features/passes/page.js";
import { open } from "../features/passes/state.js";
import { pageData } from "./common.js";

const root = document.getElementById("passes");
if (root) {
  root.replaceChildren();
  render(html`<${Passes} />`, root);
}
void open(pageData().dump);
