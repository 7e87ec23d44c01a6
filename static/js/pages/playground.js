/** The playground page: a form for one op, and a picture of the elements that it reads. */
import { html, render } from "htm/preact";
import { Playground } from "../features/playground/playground.js";
import { start } from "../features/playground/state.js";
import { pageData } from "./common.js";

const { form, families } = pageData();
start(form);
const root = document.getElementById("playground");
if (root) {
  root.replaceChildren();
  render(html`<${Playground} families=${families} />`, root);
}
