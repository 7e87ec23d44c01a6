/** The menu of the program's head: how its text is shown. */
import { html } from "htm/preact";
import { keysOf } from "../../core/keys.js";
import { sourceColours, toggleSourceColours, toggleWholeText, wholeText } from "../../core/preferences.js";
import { Icon } from "../../ui/icons.js";
import { ChoicesButton } from "../../ui/choice_menu.js";
import { chooseStripMode, STRIP_MODES, stripMode } from "./strip_width.js";
import { command } from "../commands/commands.js";

export function ProgramMenu() {
  return html`<${ChoicesButton} label="How the program is shown" items=${itemsNow}><${Icon} name="view" /><//>`;
}

/** @returns {import("../../ui/choice_menu.js").MenuItem[]} */
function itemsNow() {
  return [
    {
      title: "Whole text",
      hint: "types, attributes, locations",
      keys: keysOf(command("wholeText"))[0],
      checked: wholeText.value,
      run: toggleWholeText,
    },
    {
      title: "Colours by source line",
      hint: "lines of your own code",
      checked: sourceColours.value,
      run: toggleSourceColours,
    },
    ...Object.entries(STRIP_MODES).map(([mode, { title, shows }]) => ({
      ...{ title, hint: shows, group: "Film strip", checked: stripMode.value === mode },
      run: () => chooseStripMode(/** @type {import("./strip_width.js").StripMode} */ (mode)),
    })),
  ];
}
