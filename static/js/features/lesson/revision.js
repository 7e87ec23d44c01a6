/** A preview of a lesson: the page follows its files. */
import { getJson } from "../../core/api.js";

/** Interval of polling for changes. */
const LOOK_MS = 500;

/** Reload the page at the same step when the files of the lesson change. @param {string} name @param {string} known */
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
