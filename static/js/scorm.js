/*
 * In a SCORM 1.2 package, before the page's code: takes the progress from the learning management system that shows the page, and
 * reports to it the progress that the page announces. The package names the lesson in `hloscopeLesson`.
 */
(() => {
  /** @typedef {Record<"LMSInitialize"|"LMSFinish"|"LMSCommit"|"LMSGetValue", (name: string) => unknown> & {LMSSetValue: (name: string, value: string) => unknown}} Api */
  /** @typedef {{version: string, at: string|null, done: string[], answers: Record<string, {state: string}>}} Progress */
  const MOST_PARENTS = 20;
  const LONGEST_PLACE = 255;
  const LONGEST_DATA = 4096;
  const STATES = ["open", "right", "shown"];
  /** asks count in the score; exercises need a server */
  const { name, version, steps, asks, exercises } =
    /** @type {{hloscopeLesson: {name: string, version: string, steps: string[], asks: string[], exercises: string[]}}} */ (
      /** @type {unknown} */ (globalThis)
    ).hloscopeLesson;
  const began = performance.now();

  /** The API of the system, which defines it in a window around this one. @param {Window} start @returns {Api|null} */
  const findApi = (start) => {
    let around = start;
    for (let count = 0; count < MOST_PARENTS; count++) {
      const api = /** @type {any} */ (around).API;
      if (api) return api;
      if (around.parent === around) return null;
      around = around.parent;
    }
    return null;
  };

  /** @param {string} id @param {string} kept its state in the system, by its place among all */
  const restored = (id, kept) => [id, { state: STATES[Number(kept)] ?? "open", said: "", hints: 0 }];

  /** Put the progress where the page looks for it; that of the person before, at the same machine, is removed. @param {string} data */
  const restore = (data) => {
    const [known, at, done = "", answers = ""] = data.split("|");
    const ids = [...asks, ...exercises];
    const progress = {
      version,
      at: at || null,
      done: steps.filter((_, index) => done[index] === "1"),
      of: steps.length,
      answers: Object.fromEntries(ids.map((id, index) => restored(id, answers[index] ?? "0"))),
    };
    try {
      localStorage.removeItem(`hloscope.lesson.${name}`);
      if (known === version) localStorage.setItem(`hloscope.lesson.${name}`, JSON.stringify(progress));
    } catch {
      // Storage may be forbidden: the lesson begins anew, and is reported all the same.
    }
  };

  /** @param {Progress} progress */
  const dataOf = ({ at, done, answers }) => {
    const states = [...asks, ...exercises].map((id) => STATES.indexOf(answers[id]?.state ?? "open")).join("");
    return [version, at ?? "", steps.map((id) => (done.includes(id) ? "1" : "0")).join(""), states].join("|");
  };

  /** Hours, minutes and seconds of this visit. */
  const duration = () => {
    const seconds = Math.round((performance.now() - began) / 1000);
    const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    return parts.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, "0")).join(":");
  };

  const api = findApi(window) ?? (window.opener ? findApi(window.opener) : null);
  if (!api || String(api.LMSInitialize("")) !== "true") return;
  const get = (/** @type {string} */ field) => String(api.LMSGetValue(field) ?? "");
  let isComplete = ["completed", "passed"].includes(get("cmi.core.lesson_status"));
  let best = Number(get("cmi.core.score.raw")) || 0;
  restore(get("cmi.suspend_data"));

  /** @param {Progress} progress */
  const report = (progress) => {
    const right = asks.filter((id) => progress.answers[id]?.state === "right").length;
    isComplete ||= steps.every((id) => progress.done.includes(id));
    // Who begins anew loses nothing.
    best = Math.max(best, asks.length > 0 ? Math.round((100 * right) / asks.length) : isComplete ? 100 : 0);
    const data = dataOf(progress);
    const values = {
      "cmi.core.lesson_status": isComplete ? "completed" : "incomplete",
      "cmi.core.score.min": "0",
      "cmi.core.score.max": "100",
      "cmi.core.score.raw": String(best),
      "cmi.core.lesson_location": (progress.at ?? "").slice(0, LONGEST_PLACE),
      "cmi.suspend_data": data.length <= LONGEST_DATA ? data : "",
    };
    for (const [field, value] of Object.entries(values)) api.LMSSetValue(field, value);
    api.LMSCommit("");
  };
  addEventListener("hloscope-lesson", (event) => {
    const progress = /** @type {CustomEvent<Progress|null>} */ (event).detail;
    if (progress) report(progress);
  });
  let isOver = false;
  addEventListener("pagehide", () => {
    if (isOver) return;
    isOver = true;
    api.LMSSetValue("cmi.core.session_time", duration());
    api.LMSSetValue("cmi.core.exit", isComplete ? "" : "suspend");
    api.LMSCommit("");
    api.LMSFinish("");
  });
})();
