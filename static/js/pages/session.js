/** The debugger's page. */
import { readByLink } from "../core/reference_paths.js";
import { inOwnLanguage } from "../features/lesson/own_language.js";
import { limitExercises } from "../features/lesson/state.js";
import { noticeBeforeJoining } from "../features/room/notice.js";
import { openWorkbench } from "../features/workbench/page.js";
import { pageData } from "./common.js";

// Not during module evaluation: the browser records the position of each request, and would parse the whole bundle
// again to find one at its top level.
void Promise.resolve().then(async () => {
  const { session, embedded, lesson, room, signedIn, lessonsOpen, plugins } = pageData();
  if (signedIn === false) {
    readByLink(lessonsOpen === true);
    limitExercises(room !== undefined, lessonsOpen === true);
  }
  document.body.classList.toggle("embedded", embedded === true);
  // The projector has the language of the room, whatever was chosen in this browser.
  const shown = lesson && !room?.screen ? await inOwnLanguage(lesson) : (lesson ?? null);
  await noticeBeforeJoining(room, shown);
  return openWorkbench(session, shown, { room }, plugins);
});
