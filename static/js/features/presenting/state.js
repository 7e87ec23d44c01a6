/** The state of presenter mode: the shown panel, the pointer, the dark screen. It is not stored. */
import { computed, signal } from "@preact/signals";
import { presenter } from "../../core/preferences.js";
import * as layout from "../layout/state.js";

/** Whether the screen is dark. */
export const isDark = signal(false);

/** Whether the pointer is on. */
export const hasPointer = signal(false);

/** The shown panel: the program, or the front panel of the stage. */
export const presentedId = computed(() => layout.presented.value);

/** Whether the program or the stage is shown. */
export const onProgram = computed(() => presentedId.value === "program");

/** The panels that can be shown, in order. */
export const choices = computed(() =>
  layout.panels.value.filter(({ id, exists }) => !["timeline", "console"].includes(id) && (exists?.() ?? true)),
);

/** Switch between the program and the stage. */
export const switchView = () => layout.present(onProgram.peek() ? layout.stageFront() : "program");

export function leave() {
  isDark.value = hasPointer.value = false;
  presenter.value = false;
}
