/**
 * The state of a picture of maps: hovered, selected and pinned elements, and the layout of each tensor.
 *
 * fold: elements per row of a vector, 0 for one strip. folding: shows all dimensions at once.
 *
 * @typedef {{slice: import("../../core/tensor/axes.js").Slice, fold: number, folding: import("./folding.js").Folding|null}} Layout
 *
 * text: the description of the dimension
 * @typedef {{side: import("../../core/indexing/related.js").Side, number: number, axis: number, text: string}[]} LitAxes
 */
import { computed, signal } from "@preact/signals";
import { canFold, countOf, fittingSlice, foldWidth } from "../../core/tensor/axes.js";
import { foldingOf, MOST_FOLDED } from "./folding.js";
/** @import {Chosen, Tensor} from "../../core/indexing/related.js" */

/** Minimum length of vectors that are folded initially. */
const LONGEST_STRIP = 64;

export class PictureState {
  constructor() {
    /** The elements under the pointer. */
    this.hovered = signal(/** @type {Chosen|null} */ (null));
    /** The elements selected by click, drag, keys or the player. */
    this.selected = signal(/** @type {Chosen|null} */ (null));
    /** Whether the selection stays while the pointer moves. */
    this.pinned = signal(false);
    this.shown = computed(() =>
      this.pinned.value ? this.selected.value : (this.hovered.value ?? this.selected.value),
    );
    /** For ops that select elements: show only the moved elements, not those that take part in the selection. */
    this.onlyValues = signal(true);
    this.enlarged = signal(false);
    /** For an op that ran on many elements at once: the selected lane. */
    this.lane = signal(0);
    /** The process whose tensors of the other side are drawn; null: the first one reached. */
    this.place = signal(/** @type {number|null} */ (null));
    /** Dimensions that are highlighted, such as those of an attribute. */
    this.litAxes = signal(/** @type {LitAxes} */ ([]));
    /** @type {import("@preact/signals").Signal<ReadonlyMap<string, Layout>>} */
    this.layouts = signal(new Map());
  }

  /** @param {Chosen|null} chosen */
  select(chosen) {
    this.selected.value = chosen;
    if (chosen === null) this.pinned.value = false;
  }

  togglePin() {
    if (this.pinned.value) this.pinned.value = false;
    else if (this.shown.value) {
      this.selected.value = this.shown.value;
      this.pinned.value = true;
    }
  }

  /**
   * The layout of a tensor; `axes`: those shown initially; `roles`: the roles of its dimensions.
   *
   * @param {Tensor} tensor @param {number[]} shape @param {[number, number]|null} [axes] @param {readonly string[]} [roles] @returns {Layout}
   */
  layoutOf(tensor, shape, axes = null, roles = []) {
    const kept = this.layouts.value.get(nameOf(tensor));
    const [rows, columns] = axes ?? matrixAxes(shape, roles);
    const slice = fittingSlice(kept?.slice ?? { rows, columns, at: shape.map(() => 0) }, shape);
    const count = countOf(shape);
    const folding =
      shape.length > 2 && (kept ? kept.folding !== null : axes === null && count <= MOST_FOLDED)
        ? foldingOf(shape)
        : null;
    if (shape.length !== 1 || !canFold(count)) return { slice, fold: 0, folding };
    return {
      slice,
      fold: Math.min(kept ? kept.fold : count > LONGEST_STRIP ? foldWidth(count) : 0, count),
      folding: null,
    };
  }

  /** @param {Tensor} tensor @param {Layout} layout */
  setLayout(tensor, layout) {
    this.layouts.value = new Map(this.layouts.value).set(nameOf(tensor), layout);
  }
}

/**
 * The two most useful axes: the spatial ones of a convolution, else the last two that are no batch dimensions; -1: no
 * axis.
 *
 * @param {number[]} shape @param {readonly string[]} roles @returns {[number, number]}
 */
export function matrixAxes(shape, roles) {
  const all = [...shape.keys()];
  const spatial = all.filter((axis) => roles[axis]?.includes("spatial"));
  const own = all.filter((axis) => !roles[axis]?.includes("batch"));
  const [columns = -1, rows = -1] = [spatial, own, all].find((axes) => axes.length > 1)?.reverse() ?? all;
  return [rows, columns];
}

/** @param {Tensor} tensor @returns {string} */
export const nameOf = ({ side, number }) => `${side} ${number}`;
