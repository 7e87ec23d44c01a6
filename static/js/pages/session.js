/** The debugger's page. */
import { readByLink } from "../core/reference_paths.js";
import { openWorkbench } from "../features/workbench/page.js";
import { pageData } from "./common.js";

// Not within the module's own evaluation: for each request the browser notes where it was made, and to find that
// place in a bundle's top level it parses the whole bundle once more.
void Promise.resolve().then(() => {
  const { session, embedded, lesson, room, signedIn, plugins } = pageData();
  if (signedIn === false) readByLink();
  document.body.classList.toggle("embedded", embedded === true);
  return openWorkbench(session, lesson ?? null, { room }, plugins);
});
