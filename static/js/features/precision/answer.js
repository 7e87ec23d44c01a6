/** The run in more digits, which several panels read. */
import { LatestAnswer } from "../../core/answers.js";
import { getJson, recordingPath } from "../../core/api.js";
import { isAnythingHidden } from "../../core/hidden_values.js";
import * as store from "../../core/store.js";
/** @import {PrecisionInfo} from "../../core/types.js" */

/** @type {LatestAnswer<PrecisionInfo>} */
const precision = new LatestAnswer();
store.recordingKey.subscribe(() => precision.stop());

/** Request the precision of the recording, slice by slice. @param {string} [whatIf] a narrower type to try */
export function runInMoreDigits(whatIf = "") {
  const key = store.recordingKey.peek() ?? "";
  precision.ask(`${key} ${whatIf}`, async (stop) => {
    const question = whatIf && `?what_if=${whatIf}`;
    for (;;) {
      const found = /** @type {PrecisionInfo} */ (await getJson(`${recordingPath(key)}/precision${question}`, stop));
      if (found.done) return found;
    }
  });
}

/** What is known of the recording, and a sentence if it cannot be asked now. */
export function precisionHere() {
  const key = store.recordingKey.value;
  const { question, value, error } = precision.outcome.value;
  const isOfThis = question?.startsWith(`${key} `);
  return {
    value: isOfThis ? value : undefined,
    error: isOfThis ? error : null,
    isLoading: precision.isLoading.value,
    refusal: refusalOf(key),
  };
}

/** @param {string|null} key @returns {string} */
function refusalOf(key) {
  if (key === null || store.recordingState.value.kind !== "done")
    return "When the program has run to its end, it can run once more in more digits, to show what each op loses to rounding.";
  return isAnythingHidden() ? "The precision is hidden because the lesson asks about a value." : "";
}
