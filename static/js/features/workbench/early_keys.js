/** Keys that are pressed while a session opens. */
import { availableCommands } from "../../core/commands.js";
import { listenToKeys } from "../../core/keys.js";

/** Hold the commands of keys from now on. @returns {() => void} ends that, and runs what was held, in its order */
export function holdKeys() {
  const held = /** @type {(() => void)[]} */ ([]);
  const hold = (/** @type {() => void} */ run) => () => void held.push(run);
  const listenNoMore = listenToKeys(() =>
    availableCommands().map((command) => ({ ...command, run: hold(command.run) })),
  );
  return () => {
    listenNoMore();
    for (const run of held) run();
  };
}
