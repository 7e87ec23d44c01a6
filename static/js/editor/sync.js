/** Keeps the editor and the store the same: text, breakpoints, the current op, the film strip, what is wrong. */
import { setDiagnostics } from "@codemirror/lint";
import { EditorView } from "@codemirror/view";
import { batch, effect, untracked } from "@preact/signals";
import { checkProgram } from "../api.js";
import { tell } from "../console.js";
import { arrivals, thumbnail } from "../run/thumbnails.js";
import { movedLimits } from "../run/breakpoints.js";
import { addressIn } from "../run/addresses.js";
import { firstTensors } from "../run/tuples.js";
import { framesAround, lastFrames, lastRuns } from "../run/values.js";
import * as store from "../store.js";
import { detailsHidden } from "../ui/preferences.js";
import { breakpointLines, setBreakpoints, setMarks } from "./breakpoints.js";
import { cursor, reveal } from "./cursor.js";
import { hideDetails } from "./hlo_folds.js";
import { programLanguage } from "./languages.js";
import { showRunText, toDraft, toRun } from "./mapping.js";
import { isSameStrip, setStrip } from "./strip.js";
import { signal } from "@preact/signals";

const CHECK_AFTER_MS = 350;
const BEHIND_MS = 300;
/** Elements of a tuple that have a small picture in its line. */
const PARTS = 3;

/** Grows when other lines come into view. */
const viewport = signal(0);

/** What the editor reports of itself. @param {import("@codemirror/view").ViewUpdate} update */
export function editorUpdated(update) {
  const { state } = update;
  if (state.facet(programLanguage) !== update.startState.facet(programLanguage)) queueMicrotask(() => foldDetails(update.view));
  batch(() => {
    if (update.selectionSet || update.docChanged) cursor.value = state.doc.lineAt(state.selection.main.head).number;
    if (update.viewportChanged || update.docChanged) viewport.value++;
    if (!update.docChanged) return;
    store.draft.value = state.doc.toString();
    store.breakpointLimits.value = movedLimits(store.breakpointLimits.value, (line) => lineAfter(update, line));
    store.breakpoints.value = breakpointLines(state);
    publishMap(state);
  });
}

/** Where a line is after a change. @param {import("@codemirror/view").ViewUpdate} update @param {number} line @returns {number|null} */
function lineAfter({ startState, state, changes }, line) {
  if (line > startState.doc.lines) return null;
  return state.doc.lineAt(changes.mapPos(startState.doc.line(line).from)).number;
}

/** @param {import("@codemirror/state").EditorState} state */
function publishMap(state) {
  store.lineMap.value = {
    toRun: (line) => toRun(state, line),
    toDraft: (line) => toDraft(state, line),
  };
}

/** Start keeping them the same. @param {EditorView} view @returns {() => void} ends it */
export function keepInSync(view) {
  const ends = [
    effect(() => followText(view)),
    effect(() => followRun(view)),
    effect(() => followBreakpoints(view)),
    effect(atADistance(view, followPosition)),
    effect(atADistance(view, followStrip)),
    effect(() => followDiagnostics(view)),
    effect(() => followReveal(view)),
    effect(() => foldDetails(view)),
    keepChecked(),
  ];
  return () => ends.forEach((end) => end());
}

/** While positions fly by, the editor is a little behind: each of its changes costs a look at all of its layout. @param {EditorView} view @param {(view: EditorView) => void} follow @returns {() => void} */
function atADistance(view, follow) {
  let timer = 0;
  return () => {
    store.position.value;
    arrivals.value;
    if (store.hurried.value) {
      timer ||= window.setTimeout(() => {
        timer = 0;
        untracked(() => follow(view));
      }, BEHIND_MS);
      return;
    }
    clearTimeout(timer);
    timer = 0;
    follow(view);
  };
}

/** Another text is opened, such as that of a run before. @param {EditorView} view */
function followText(view) {
  const text = store.draft.value;
  if (view.state.doc.toString() === text) return;
  untracked(() => {
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    foldDetails(view);
  });
}

/** @param {EditorView} view */
function foldDetails(view) {
  const hidden = detailsHidden.value;
  if (view.state.facet(programLanguage) === "hlo") untracked(() => hideDetails(view, hidden));
}

/** @param {EditorView} view */
function followRun(view) {
  const run = store.run.value;
  if (run === null) return;
  untracked(() => {
    view.dispatch({ effects: showRunText.of(run.text) });
    publishMap(view.state);
  });
}

/** @param {EditorView} view */
function followBreakpoints(view) {
  const lines = store.breakpoints.value;
  if (String(lines) === String(breakpointLines(view.state))) return;
  view.dispatch({ effects: setBreakpoints.of(lines) });
}

/** @param {EditorView} view */
function followPosition(view) {
  const op = store.currentOp.value;
  const map = store.lineMap.value;
  const line = op === null ? null : (store.program.value?.op(op).line ?? null);
  const current = line === null ? null : map.toDraft(line);
  view.dispatch({ effects: setMarks.of({ current, loose: looseBreakpoints() }) });
  // A new editor does not have its height yet.
  if (current !== null && shown.line === null) requestAnimationFrame(() => scrollTo(view, current));
  else if (current !== null && current !== shown.line) scrollTo(view, current);
  shown.line = current;
}

/** The line that was scrolled to last: a reader who scrolls away is left alone until the position moves. */
const shown = { line: /** @type {number|null} */ (null) };

/** Breakpoints after the last line on which an op starts. @returns {number[]} */
function looseBreakpoints() {
  const program = store.program.value;
  const { toRun: map } = store.lineMap.value;
  if (program === null) return [];
  return store.breakpoints.value.filter((line) => {
    const runLine = map(line);
    return runLine === null || program.snap(runLine) === null;
  });
}

/** @param {EditorView} view @param {number} line */
function scrollTo(view, line) {
  const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines));
  const block = view.lineBlockAt(from);
  const { scrollTop, scrollLeft, clientHeight } = view.scrollDOM;
  const margin = 3 * block.height;
  const inView = block.top > scrollTop + margin && block.bottom < scrollTop + clientHeight - margin;
  // The start of a line says what it is: it is shown even to who had scrolled to the side.
  if (!inView || scrollLeft > 0) view.dispatch({ effects: EditorView.scrollIntoView(from, { y: inView ? "nearest" : "center" }) });
}

/** @param {EditorView} view */
function followStrip(view) {
  viewport.value;
  arrivals.value;
  const map = store.lineMap.value;
  const chosen = store.selectedValue.value?.address ?? "";
  const key = store.recordingKey.value;
  const items = key === null ? new Map() : stripItems(visibleLines(view, map), key, chosen);
  // Most pictures that arrive are of other panels; each change costs the editor a look at its layout.
  if (isSameStrip(view.state, items)) return;
  untracked(() => view.dispatch({ effects: setStrip.of(items) }));
}

/** The lines of the run that are seen, each with where it is in the editor. @param {EditorView} view @param {typeof store.lineMap.value} map @returns {Map<number, number>} */
function visibleLines(view, map) {
  const { from, to } = view.viewport;
  const lines = new Map();
  for (let line = view.state.doc.lineAt(from).number; line <= view.state.doc.lineAt(to).number; line++) {
    const runLine = map.toRun(line);
    if (runLine !== null && map.toDraft(runLine) === line) lines.set(runLine, line);
  }
  return lines;
}

/** @param {Map<number, number>} lines @param {string} key @param {string} chosen */
function stripItems(lines, key, chosen) {
  const program = store.program.value;
  if (!program) return new Map();
  const ops = [...lines.keys()].flatMap((line) => program.opsOnLine.get(line) ?? []).filter((op) => program.op(op).results.length > 0);
  const parameters = [...lines.keys()].flatMap((line) => program.parametersOnLine.get(line) ?? []);
  /** @type {Map<number, import("./strip.js").StripItem>} */
  const items = new Map();
  const put = (/** @type {number} */ line, /** @type {Pick<import("./strip.js").StripItem, "value"|"address"|"when"|"more">} */ found) => {
    const draftLine = lines.get(line);
    if (draftLine !== undefined && !items.has(draftLine)) items.set(draftLine, stripItem(program, key, chosen, found));
  };
  for (const [op, { step, when, open }] of store.atPosition((outline, at) => lastRuns(outline, program, at, ops)) ?? []) {
    const { line, results } = program.op(op);
    const value = results[0];
    if (!open && value !== undefined) put(line, { value, address: `${store.process.value}.s${step}.0`, when, more: results.length - 1 });
  }
  for (const { value, line, address, when } of store.atPosition((outline, at) => parameterRuns(outline, program, at, parameters)) ?? []) {
    put(line, { value, address, when, more: 0 });
  }
  return items;
}

/** Where each parameter was given last. @param {import("../run/outline.js").Outline} outline @param {import("../run/program.js").Program} program @param {number} at @param {number[]} parameters */
function parameterRuns(outline, program, at, parameters) {
  const frames = lastFrames(outline, program, at, parameters.map((value) => program.definition(value).block));
  const around = new Set(framesAround(outline, at));
  return parameters.flatMap((value) => {
    const { block, index } = program.definition(value);
    const frame = frames.get(block);
    if (frame === undefined) return [];
    const when = around.has(frame) ? /** @type {const} */ ("now") : /** @type {const} */ ("earlier");
    return [{ value, line: program.lineOfParameter(value), address: `${outline.process}.f${frame}.${index}`, when }];
  });
}

/**
 * @param {import("../run/program.js").Program} program @param {string} key @param {string} chosen
 * @param {Pick<import("./strip.js").StripItem, "value"|"address"|"when"|"more">} found @returns {import("./strip.js").StripItem}
 */
function stripItem(program, key, chosen, found) {
  const { name, type, elements } = program.value(found.value);
  const parts = elements && firstTensors(elements, PARTS).map(({ path }) => thumbnail(key, addressIn(found.address, path)));
  const info = elements ? null : thumbnail(key, found.address);
  const isChosen = found.address === chosen || chosen.startsWith(`${found.address}.`);
  return { ...found, name, type, info, parts, chosen: isChosen };
}

/** @param {EditorView} view */
function followDiagnostics(view) {
  const { length } = view.state.doc;
  const shownThere = store.diagnostics.value.map(({ from, to, severity, message, op, label, hint }) => ({
    from: Math.min(from, length),
    to: Math.min(Math.max(to, from + 1), length),
    severity: severity === "note" ? /** @type {const} */ ("info") : severity,
    message: [[op, label].filter(Boolean).join(" "), message, hint].filter(Boolean).join("\n"),
  }));
  view.dispatch(setDiagnostics(view.state, shownThere));
}

/** @param {EditorView} view */
function followReveal(view) {
  const place = reveal.value;
  if (place === null) return;
  const line = view.state.doc.line(Math.max(1, Math.min(place.line, view.state.doc.lines)));
  const at = Math.min(place.from ?? line.from, view.state.doc.length);
  const head = Math.min(place.to ?? at, view.state.doc.length);
  untracked(() => {
    view.dispatch({ selection: { anchor: at, head }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    if (place.focus) view.focus();
  });
}

/** Ask what is wrong a moment after the last letter; an answer that comes too late is dropped. */
function keepChecked() {
  let timer = 0;
  let asked = new AbortController();
  let first = true;
  return effect(() => {
    const text = store.draft.value;
    clearTimeout(timer);
    asked.abort();
    if (!first) timer = window.setTimeout(() => void check(text), CHECK_AFTER_MS);
    first = false;
  });

  async function check(/** @type {string} */ text) {
    asked = new AbortController();
    try {
      const answer = await checkProgram(text, untracked(() => store.sessionName.value), asked.signal);
      if (text === store.draft.value) store.diagnostics.value = answer.diagnostics;
    } catch (error) {
      if (!(error instanceof DOMException)) tell(error);
    }
  }
}
