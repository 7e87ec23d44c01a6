/** The debugger's page without a server: as a file that holds the recording (core/one_file), or in a cell of a notebook. */
import "../theme.js";
import "../core/idle.js";
import { cellAround, isInCell, kernelSource } from "../core/kernel_source.js";
import { contentsOfPage, fileSource } from "../core/one_file/file_source.js";
import { hasPart } from "../core/one_file/parts.js";
import { applyPreferences, theme } from "../core/preferences.js";
import { readFrom } from "../core/source.js";
import { goToPlace, keepPlaceSaid } from "../features/notebook/place.js";
import { openWorkbench } from "../features/workbench/page.js";

async function start() {
  applyPreferences();
  if (isInCell() && !hasPart("session")) return startInCell();
  const contents = await contentsOfPage();
  readFrom(fileSource(contents));
  const [lesson] = Object.values(contents.lessons ?? {});
  await openWorkbench(contents.session.id, lesson?.name ?? null);
}

async function startInCell() {
  const { port, place, theme: around } = await cellAround();
  theme.value = around;
  readFrom(kernelSource(port, (asked) => void goToPlace(asked)));
  await openWorkbench("file");
  await goToPlace(place);
  keepPlaceSaid((now) => port.postMessage({ kind: "place", place: now }));
}

start().catch((error) => {
  document.getElementById("app")?.replaceChildren(`This page cannot be opened. ${error.message}`);
});
