/** In front of a class: which one panel is shown, the pointer, the dark screen. Nothing of it is kept. */
import { computed, signal } from "@preact/signals";
import { presenter } from "../../core/preferences.js";
import * as layout from "../layout/state.js";

/** Whether the screen is dark, so that people look at who speaks. */
export const isDark = signal(false);

/** Whether the pointer is on. */
export const hasPointer = signal(false);

/** The panel that is presented: the program, or what was in front of the stage. */
export const presentedId = computed(() => layout.presented.value);

/** Program or stage. */
export const onProgram = computed(() => presentedId.value === "program");

/** The panels that can be presented, in their order. */
export const choices = computed(() =>
  layout.panels.value.filter(({ id, exists }) => !["timeline", "console"].includes(id) && (exists?.() ?? true)),
);

/** From the program to the stage and back. */
export const switchView = () => layout.present(onProgram.peek() ? layout.stageFront() : "program");

export function leave() {
  isDark.value = hasPointer.value = false;
  presenter.value = false;
}
