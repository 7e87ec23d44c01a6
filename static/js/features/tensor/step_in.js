/** Step into an element: the microscope shows the terms that made it. */
import { html } from "htm/preact";
import { isComputed } from "../../core/addresses.js";
import { isFile } from "../../core/source.js";
import { stepIntoElement } from "../../core/view_actions.js";
/** @import {SelectedValue} from "../../core/view_types.js" */

/** @param {KeyboardEvent} event of the picture or the table @returns {boolean} */
export const stepsInto = (event) => event.shiftKey && event.key === "Enter" && !isFile();

/** @param {{selected: SelectedValue, index: number[]}} props */
export const StepInButton = ({ selected, index }) =>
  !isFile() &&
  !isComputed(selected.address) &&
  html`<button class="plain" title="Show the terms that made this element, and what rounding lost (Shift+Enter)" onClick=${() => stepIntoElement(selected, index)}>Step into this element</button>`;
