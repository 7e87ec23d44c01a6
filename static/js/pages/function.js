/** The page of a function at every stage of its way through JAX and XLA. */
import { html, render } from "htm/preact";
import { FunctionView } from "../features/function/function_view.js";
import { pageData } from "./common.js";

const { example, snippet } = pageData();
const root = document.getElementById("function");
if (root) {
  root.replaceChildren();
  render(html`<${FunctionView} example=${example} snippet=${snippet} />`, root);
}
