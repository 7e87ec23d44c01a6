/** The menu of the program's head: how its text is shown. */
import { html } from "htm/preact";
import { keysOf } from "../../core/keys.js";
import { sourceColours, toggleSourceColours, toggleWholeText, wholeText } from "../../core/preferences.js";
import { Icon } from "../../ui/icons.js";
import { Menu } from "../../ui/menu.js";
import { chooseStripMode, STRIP_MODES, stripMode } from "./strip_width.js";
import { command } from "../../core/commands.js";

export function ProgramMenu() {
  return html`<${Menu} label="How the program is shown" content=${html`<${Icon} name="view" />`} items=${itemsNow} />`;
}

/** @returns {import("../../ui/menu.js").MenuItem[]} */
function itemsNow() {
  return [
    {
      text: "Whole text",
      note: "types, attributes, locations",
      keys: keysOf(command("wholeText"))[0],
      checked: wholeText.value,
      run: toggleWholeText,
    },
    {
      text: "Colours by source line",
      note: "lines of your own code",
      checked: sourceColours.value,
      run: toggleSourceColours,
    },
    { text: "Film strip" },
    ...Object.entries(STRIP_MODES).map(([mode, { title, shows }]) => ({
      ...{ text: title, note: shows, isOne: true, checked: stripMode.value === mode },
      run: () => chooseStripMode(/** @type {import("./strip_width.js").StripMode} */ (mode)),
    })),
  ];
}
