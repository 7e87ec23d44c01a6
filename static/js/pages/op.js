/** The page of an op: its example runs in place. */
import { html, render } from "htm/preact";
import { ExampleTrial } from "../reference/trial.js";
import { pageData } from "./common.js";

const root = document.getElementById("example");
const { name, example } = pageData();
if (root && example) {
  root.replaceChildren();
  render(html`<${ExampleTrial} name=${name} text=${example.text} />`, root);
}
