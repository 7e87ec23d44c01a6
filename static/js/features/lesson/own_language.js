/** The lesson of a page from a server, in the language that its reader chose last. */
import { mayOpenLessons } from "../../core/reference_paths.js";
import * as state from "./state.js";
/** @import {LessonInfo} from "../../core/types.js" */

/** The given lesson, unless the reader chose another language and the address names none. @param {LessonInfo} given @returns {Promise<LessonInfo>} */
export async function inOwnLanguage(given) {
  const wanted = state.chosenLanguage();
  const isNamed = new URLSearchParams(location.search).has("language");
  if (isNamed || !wanted || wanted === given.language || !given.languages.includes(wanted)) return given;
  if (!mayOpenLessons()) return state.openPageIn(wanted);
  return { ...(await state.fetchLesson(given.name, wanted).catch(() => given)), session: given.session };
}
