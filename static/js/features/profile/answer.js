/** The profile of the recording, which several panels read. */
import { useEffect } from "preact/hooks";
import { LatestAnswer } from "../../core/answers.js";
import { getJson, recordingPath } from "../../core/api.js";
import * as store from "../../core/store.js";
import { isOfAll } from "./state.js";
/** @import {ProfileInfo} from "../../core/types.js" */

/** @type {LatestAnswer<ProfileInfo>} */
const latest = new LatestAnswer();

/** The profile of the processes that the Profile panel adds up. `version`: of the recording and its length, null before it has run. @param {boolean} [isWanted] */
export function useProfile(isWanted = true) {
  const key = store.recordingKey.value;
  const isRecorded = key !== null && store.recordingState.value.kind !== "recording";
  const version = isRecorded ? `${key} ${store.grid.value?.stamp ?? 0} ${store.steps.value}` : null;
  const process = store.grid.value && !isOfAll.value ? store.process.value : -1;
  useEffect(() => {
    if (isWanted && version !== null)
      latest.ask(`${version} ${process}`, (stop) =>
        getJson(`${recordingPath(key ?? "")}/profile?process=${process}`, stop),
      );
  }, [isWanted, version, process]);
  const { question, value, error } = latest.outcome.value;
  const isOfThis = question?.startsWith(`${key} `);
  return { version, value: isOfThis ? value : undefined, error: isOfThis ? error : null };
}
