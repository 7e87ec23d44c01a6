/** The playground of a step of a lesson, on the stage. */
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { openWithin } from "../../playground/state.js";
import { PlaygroundWithin } from "../../playground/playground.js";
import { shownPlayground } from "../state.js";
import { addPanel } from "../../layout/panels.js";
import { pageHere } from "../../../core/reference_paths.js";
import { isFile } from "../../../core/source.js";

addPanel({
  id: "playground",
  title: "Playground",
  dock: "stage",
  order: 7,
  help: "playground",
  Panel: PlaygroundPanel,
  exists: () => !isFile() && shownPlayground.value !== null,
});

export function PlaygroundPanel() {
  const address = shownPlayground.value;
  useEffect(() => {
    if (address !== null) void openWithin(address);
  }, [address]);
  if (address === null) return null;
  return html`<div class="playground within">${pageHere(address) && html`<p><a href=${address} target="_blank" rel="noopener">Open in a new tab</a></p>`}<${PlaygroundWithin} /></div>`;
}
