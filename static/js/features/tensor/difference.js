/** What is shown instead of the selected value: the difference to a pinned one, or its lost digits. */
import { html } from "htm/preact";
import { isAnythingHidden } from "../../core/hidden_values.js";
import { reportError, say } from "../../core/messages.js";
import { isFile } from "../../core/source.js";
import {
  MEASURES,
  pinArray,
  pins,
  pinValue,
  shownInstead,
  subtract,
  uploadArrays,
} from "../../core/tensor/compared.js";
import { countText, short, ulpsText } from "../../core/tensor/elements.js";
import { Menu, openMenu } from "../../ui/menu.js";
import { Choice } from "../../ui/fields.js";
/** @import {Measure} from "../../core/addresses.js" */
/** @import {Shown} from "../../core/tensor/compared.js" */
/** @import {SelectedValue} from "../../core/view_types.js" */
/** @import {Known} from "./recorded_value.js" */

/** Maximum number of arrays of a file that a menu lists. */
const MOST_ARRAYS = 40;

/** The headline of the difference, and its controls. @param {{shown: Shown, selected: SelectedValue, known: Known|null, goTo: (index: number[]) => void}} props */
export function InsteadBar({ shown, selected, known, goTo }) {
  return html`<div class="tensor-instead" role="group" aria-label=${shown.kind === "lost" ? "Lost digits" : "Difference"}>
    ${shown.kind === "difference" ? html`<${Headline} shown=${shown} known=${known} goTo=${goTo} />` : html`<span role="status">${lostWords(selected, known)}</span>`}
    <span class="spring"></span><button onClick=${() => (shownInstead.value = null)}>Show ${selected.name}</button></div>`;
}

/** @param {Pick<SelectedValue, "name">} selected @param {{summary: Pick<Known["summary"], "statistics"|"spread">}|null} known @returns {string} */
export function lostWords({ name }, known) {
  const { statistics = null, spread = null } = known?.summary ?? {};
  const most = statistics?.max ?? null;
  if (most === null) return `Decimal digits that each element of ${name} has lost`;
  if (Number(most) === 0) return `No element of ${name} has lost a digit`;
  const [top, median] = [most, spread?.median ?? most].map((number) => short(number, 2));
  // The spread is that of a sample of the elements that are not 0.
  const middle = median === top ? "" : `, with a median of about ${median} among those that lost any`;
  return `Decimal digits that each element of ${name} has lost: up to ${top}${middle}`;
}

/** @param {{shown: Extract<Shown, {kind: "difference"}>, known: Known|null, goTo: (index: number[]) => void}} props */
function Headline({ shown: { pin, measure }, known, goTo }) {
  const found = known?.summary.difference;
  const choose = (/** @type {Measure} */ id) => subtract(pin, id);
  return html`<${Choice} aria-label="Measure" options=${MEASURES} value=${measure} choose=${choose} />
    <span role="status">to ${pin.selected.name}, ${pin.where}${found && `: ${headline(found, known.summary.count, measure)}`}</span>
    ${found?.worst && found.worst.index.length > 0 && html`<button onClick=${() => goTo(found.worst?.index ?? [])}>Go to the worst</button>`}`;
}

/** @param {NonNullable<Known["summary"]["difference"]>} found @param {number} total @param {Measure} measure @returns {string} */
export function headline({ count, worst }, total, measure) {
  if (!worst) return total === 1 ? "equal" : "all elements are equal";
  const where = worst.index.length > 0 ? ` at [${worst.index.join(", ")}]` : "";
  const how = total === 1 ? "" : `${countText(count)} of ${countText(total)} elements differ, the worst${where}: `;
  return `${how}${worst.value} and ${worst.other}, ${apartWords(Number(worst.apart), measure)}`;
}

/** @param {number} apart @param {Measure} measure @returns {string} */
function apartWords(apart, measure) {
  if (measure === "ulps") return Number.isNaN(apart) ? "NaN apart" : ulpsText(apart);
  return `${MEASURES.find(([id]) => id === measure)?.[1].toLowerCase()} ${short(apart)}`;
}

/** The menu of what the selected value is shown beside, or less. @param {{recording: string, selected: SelectedValue}} props */
export function PinMenu({ recording, selected }) {
  if (isAnythingHidden()) return null;
  return html`<${Menu} label="Pin" class="quiet" content="Pin ▾" items=${() => itemsOf(recording, selected)} title="Keep this value beside others, or subtract a pinned one" />`;
}

/** @param {string} recording @param {SelectedValue} selected @returns {import("../../ui/menu.js").MenuItem[]} */
function itemsOf(recording, selected) {
  const shown = shownInstead.value;
  const isShown = (/** @type {number} */ id) => shown?.kind === "difference" && shown.pin.id === id;
  const lost = {
    text: "Lost digits",
    title: "The digits of each element that differ from a run in more digits",
    checked: shown?.kind === "lost",
    run: () => (shownInstead.value = shown?.kind === "lost" ? null : { kind: "lost" }),
  };
  return [
    { text: "Pin this value", run: () => void pinValue(recording, selected) },
    ...(isFile() ? [] : [{ text: "Pin an array from a file…", run: () => chooseFile(recording) }]),
    ...(pins.value.length > 0 ? [{ text: "Subtract" }] : []),
    ...pins.value.map((pin) => ({
      text: pin.selected.name,
      note: pin.where,
      checked: isShown(pin.id),
      run: () => (isShown(pin.id) ? (shownInstead.value = null) : subtract(pin)),
    })),
    ...(isFile() ? [] : [{ text: "Precision" }, lost]),
  ];
}

/** @param {string} recording */
function chooseFile(recording) {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".npy,.npz";
  input.onchange = () => {
    const [file] = input.files ?? [];
    if (file) addFile(recording, file).catch(reportError);
  };
  input.click();
}

/** Pin the array of a file, or let the user choose one of several. @param {string} recording @param {File} file */
export async function addFile(recording, file) {
  const { arrays, file: kept } = await uploadArrays(file);
  const [first] = arrays;
  if (!first) return say({ kind: "error", text: `${file.name} has no arrays.` });
  // An .npy file does not name its array.
  const shown = file.name.endsWith(".npy") ? file.name : first.name;
  if (arrays.length === 1) return void pinArray(recording, kept, first.name, shown);
  const items = arrays.slice(0, MOST_ARRAYS).map(({ name, dtype, shape }) => ({
    text: name,
    note: `${dtype} ${shape.join("×")}`,
    run: () => void pinArray(recording, kept, name),
  }));
  const left = arrays.length > MOST_ARRAYS ? `, the first ${MOST_ARRAYS} of ${countText(arrays.length)}` : "";
  openMenu({
    label: "Array of the file",
    items: [{ text: `Arrays of ${file.name}${left}` }, ...items],
    ...{ x: innerWidth / 2, y: innerHeight / 3 },
    back: /** @type {HTMLElement|null} */ (document.activeElement),
  });
}
