/** A lesson that is being written: the page follows its files. */
import { getJson } from "../../core/api.js";

/** How often it is looked whether they have changed. */
const LOOK_MS = 500;

/** Load the page anew, at the same step, as soon as the lesson's files have changed. @param {string} name @param {string} known */
export async function followRevision(name, known) {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const revision = await getJson(`/api/lessons/${encodeURIComponent(name)}/revision`).then(
      (found) => found.revision,
      () => known, // the server is being started again, or the file is half written
    );
    if (revision !== known) return location.reload();
  }
}
