/** Which value this is: its name, its type, where it comes from. */
import { html } from "htm/preact";
import { stepIn } from "../../run/addresses.js";
import { spelled } from "../../run/families.js";
import { program } from "../../store.js";

/** @param {{known: import("./use.js").Known, children?: import("preact").ComponentChildren}} props */
export function Header({ known, children }) {
  const { summary, selected } = known;
  const { lanes } = summary;
  return html`<header class="tensor-header">
    <h3><span class="name">${selected.name}</span> <span class="type">${summary.type}</span></h3>
    <span class="origin">${origin(selected)}${lanes?.length ? ` · ${lanes.join("×")} lanes` : ""}</span>
    <span class="spring"></span>${children}
  </header>`;
}

/** @param {import("../../types.js").SelectedValue} selected @returns {string} */
function origin(selected) {
  const described = program.value;
  if (!described || described.definitions[selected.value] === undefined) return "";
  const { op, index, block } = described.definition(selected.value);
  if (op === null) return `argument ${index} of ${blockName(described, block)}`;
  const { line } = described.op(op);
  const name = spelled(described.op(op));
  const step = stepIn(selected.address);
  const earlier = selected.when === "earlier" ? ", an earlier run" : "";
  return `${name} · line ${line}${step === null ? "" : ` · step ${step.toLocaleString("en")}`}${earlier}`;
}

/** @param {import("../../run/program.js").Program} described @param {number} block @returns {string} */
function blockName(described, block) {
  const { opener, function: name } = described.block(block);
  if (opener !== null) return `a region of ${spelled(described.op(opener))}`;
  return described.language === "hlo" ? name : `@${name.replace(/^@/, "")}`;
}
