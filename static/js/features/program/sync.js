/** Synchronises the editor and the store: text, breakpoints, the current op, the film strip, diagnostics. */
import { diagnosticCount, setDiagnostics } from "@codemirror/lint";
import { Transaction } from "@codemirror/state";
import { batch, effect, untracked } from "@preact/signals";
import { signal } from "@preact/signals";
import { coveredSizes } from "../../core/hidden_values.js";
import { argumentAddress, elementAddress, isWithin, resultAddress } from "../../core/addresses.js";
import { LatestAnswer } from "../../core/answers.js";
import { checkProgram } from "../../core/api.js";
import { afterPause, isFrameAwaited, oncePerFrame } from "../../core/idle.js";
import { reportError } from "../../core/messages.js";
import { sourceColours, wholeText } from "../../core/preferences.js";
import { badnessOf } from "../../core/run/badness.js";
import { isOnLine, linesOf, movedBreakpoints, opsOf } from "../../core/run/breakpoints.js";
import { signOf } from "../../ui/breakpoint_signs.js";
import { firstTensors } from "../../core/run/tuples.js";
import { groupsByLine } from "../../core/run/source_lines.js";
import { shownName, shownNamesByFunction } from "../../core/run/value_names.js";
import { framesAround, lastFrames, lastRuns } from "../../core/run/values.js";
import { beginWords } from "../../core/run/stop_reasons.js";
import * as store from "../../core/store.js";
import { editDraft, setFindings, setLineMap } from "../../core/view_actions.js";
import {
  coverAnew,
  hasShownNames,
  isWholeText,
  setShownNames,
  setWholeText,
} from "../../ui/code/essence/essence_view.js";
import { foldParts } from "../../ui/code/folded_parts.js";
import { programLanguage } from "../../ui/code/languages.js";
import { arrivals, thumbnail } from "../../ui/thumbnails.js";
import { breakpointLines, isSameMarks, setBreakpoints, setMarks } from "./breakpoint_gutter.js";
import { cursor, reveal } from "../../core/cursor.js";
import { standAt } from "../../core/places.js";
import { isSameStrip, setStrip } from "./film_strip.js";
import { goToLine, leaveLine, scrollTo } from "./kept_in_view.js";
import { hasLeftOut, setLeftOut } from "./left_out.js";
import { hasSourceGroups, setSourceGroups } from "./source_stripes.js";
import { fromRun, showRunText, toDraft, toRun } from "./positions_in_text.js";
/** @import {EditorView} from "@codemirror/view" */

const CHECK_AFTER_MS = 350;
const BEHIND_MS = 300;
/** Maximum number of thumbnails for elements of a tuple in one line. */
const PARTS = 3;

/** Grows when the visible lines change. */
const viewport = signal(0);

/** Cached texts: building a large one takes time. @type {WeakMap<import("@codemirror/state").Text, string>} */
const texts = new WeakMap();

/** @param {import("@codemirror/state").EditorState} state @returns {string} */
function textOf({ doc }) {
  const text = texts.get(doc) ?? doc.toString();
  texts.set(doc, text);
  return text;
}

/** Updates that the editor reports. @param {import("@codemirror/view").ViewUpdate} update */
export function onEditorUpdate(update) {
  const { state } = update;
  if (state.facet(programLanguage) !== update.startState.facet(programLanguage))
    queueMicrotask(() => followWholeText(update.view));
  batch(() => {
    if (update.selectionSet || update.docChanged) {
      const { head } = state.selection.main;
      cursor.value = state.doc.lineAt(head).number;
      standAt(head);
    }
    if (update.viewportChanged || update.docChanged) viewport.value++;
    if (!update.docChanged) return;
    editDraft({ text: textOf(state), breakpoints: breakpointsAfter(update), lineMap: lineMapOf(state) });
  });
}

/** The breakpoints after a change; those of deleted lines are gone. @param {import("@codemirror/view").ViewUpdate} update */
function breakpointsAfter(update) {
  const left = new Set(breakpointLines(update.state));
  const moved = (/** @type {number} */ line) => {
    const after = lineAfter(update, line);
    return after !== null && left.has(after) ? after : null;
  };
  return movedBreakpoints(store.breakpoints.value, moved);
}

/** The line after a change. @param {import("@codemirror/view").ViewUpdate} update @param {number} line @returns {number|null} */
function lineAfter({ startState, state, changes }, line) {
  if (line > startState.doc.lines) return null;
  return state.doc.lineAt(changes.mapPos(startState.doc.line(line).from)).number;
}

/** @param {import("@codemirror/state").EditorState} state @returns {typeof store.lineMap.value} */
const lineMapOf = (state) => ({ toRun: (line) => toRun(state, line), toDraft: (line) => toDraft(state, line) });

/**
 * Start synchronising. Each transaction makes the editor measure its viewport, so unchanged state is not sent.
 *
 * @param {EditorView} view @param {string} text the initial text @returns {() => void} ends it
 */
export function keepInSync(view, text) {
  texts.set(view.state.doc, text);
  const ends = [
    effect(() => followText(view)),
    effect(() => followRun(view)),
    effect(() => followBreakpoints(view)),
    effect(delayWhileHurried(view, followStep)),
    effect(() => followDiagnostics(view)),
    effect(() => followReveal(view)),
    effect(() => followWholeText(view)),
    effect(() => followNames(view)),
    effect(() => followCover(view)),
    effect(() => followSources(view)),
    effect(() => followBegin(view)),
    effect(meanCurrentLine),
    keepChecked(),
  ];
  return () => ends.forEach((end) => end());
}

/**
 * Each transaction costs a measurement: at most one per step, or one per frame when steps are faster; while the clock
 * runs it lags a little.
 *
 * @param {EditorView} view @param {(view: EditorView) => void} follow @returns {() => void}
 */
function delayWhileHurried(view, follow) {
  /** @type {(() => void)|null} */
  let cancel = null;
  const withFrame = () => untracked(() => follow(view));
  return () => {
    readSteps();
    if (store.hurried.value) {
      cancel ??= afterPause(() => {
        cancel = null;
        untracked(() => follow(view));
      }, BEHIND_MS);
      return;
    }
    cancel?.();
    cancel = null;
    if (isFrameAwaited()) return void oncePerFrame(withFrame);
    follow(view);
  };
}

/** Later listeners receive them too. */
function readSteps() {
  store.position.value;
  store.selectedValue.value;
  store.outlineVersion.value;
  store.lineMap.value;
  store.breakpoints.value;
  store.shownProgram.value;
  arrivals.value;
  viewport.value;
}

/** Another text is opened, such as that of an earlier run. @param {EditorView} view */
function followText(view) {
  const text = store.draft.value;
  if (textOf(view.state) === text) return;
  untracked(() => {
    if (store.textComes.value) addRest(view, text);
    else view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    followWholeText(view);
  });
}

/** The rest of a text behind its beginning, which undo does not remove. @param {EditorView} view @param {string} text */
function addRest(view, text) {
  const { doc } = view.state;
  const insert = text.slice(textOf(view.state).length);
  const change = view.state.update({
    changes: { from: doc.length, insert },
    annotations: Transaction.addToHistory.of(false),
  });
  texts.set(change.newDoc, text);
  view.dispatch(change);
}

/** @param {EditorView} view */
function followWholeText(view) {
  const whole = wholeText.value;
  untracked(() => {
    if (isWholeText(view.state) !== whole) view.dispatch({ effects: setWholeText.of(whole) });
    foldParts(view, !whole);
  });
}

/** Commands for “this line” mean the current line until the user moves the cursor. */
function meanCurrentLine() {
  const [op, program] = [store.calmOp.value, store.program.value];
  if (op === null || !program) return;
  cursor.value = store.draftLine(program.op(op).line);
  standAt(null);
}

/** @param {EditorView} view */
function followCover(view) {
  coveredSizes.value;
  untracked(() => view.dispatch({ effects: coverAnew.of(null) }));
}

/** @param {EditorView} view */
function followSources(view) {
  const program = store.program.value;
  const shown = sourceColours.value && program !== null ? groupsByLine(program) : null;
  if (shown !== null || hasSourceGroups(view.state))
    untracked(() => view.dispatch({ effects: setSourceGroups.of(shown) }));
}

/** Lines before the start of the recording. @param {EditorView} view */
function followBegin(view) {
  const program = store.program.value;
  const entry = program?.functions.find(({ name }) => name === store.run.value?.entry);
  const begin = program?.begin ?? null;
  const found = begin && entry ? { from: entry.line + 1, to: begin.line, words: beginWords(begin) } : null;
  if (found !== null || hasLeftOut(view.state)) untracked(() => view.dispatch({ effects: setLeftOut.of(found) }));
}

/** Show arguments by their names in the user's code. @param {EditorView} view */
function followNames(view) {
  const program = store.program.value;
  store.run.value;
  untracked(() => {
    const toEditor = (/** @type {number} */ offset, /** @type {1|-1} */ side) => fromRun(view.state, offset, side) ?? 0;
    const named = program === null ? [] : shownNamesByFunction(program);
    const here = named.map(({ from, to, names }) => ({ from: toEditor(from, 1), to: toEditor(to, -1), names }));
    if (here.length > 0 || hasShownNames(view.state)) view.dispatch({ effects: setShownNames.of(here) });
  });
}

/** @param {EditorView} view */
function followRun(view) {
  const run = store.run.value;
  if (run === null) return;
  untracked(() => {
    view.dispatch({ effects: showRunText.of(run.text) });
    setLineMap(lineMapOf(view.state));
  });
}

/** @param {EditorView} view */
function followBreakpoints(view) {
  const lines = linesOf(store.breakpoints.value);
  if (String(lines) === String(breakpointLines(view.state))) return;
  view.dispatch({ effects: setBreakpoints.of(lines) });
}

/** Show the current line, and the results of the visible lines. @param {EditorView} view */
function followStep(view) {
  const { marks, strip } = followed(view);
  const { current } = marks;
  /** @type {import("@codemirror/state").StateEffect<any>[]} */
  const effects = [];
  if (!isSameMarks(view.state, marks)) effects.push(setMarks.of(marks));
  // Most thumbnails that arrive belong to other panels.
  if (!isSameStrip(view.state, strip)) effects.push(setStrip.of(strip));
  effects.push(...goToLine(view, current ?? marks.previous)); // at the end of the run, its last line
  if (effects.length > 0) untracked(() => view.dispatch({ effects }));
}

/** The state for the editor. @param {EditorView} view */
function followed(view) {
  viewport.value;
  arrivals.value;
  const op = store.currentOp.value;
  const map = store.lineMap.value;
  const line = op === null ? null : (store.shownProgram.value?.op(op).line ?? null);
  const before = store.previousOp.value;
  const previous = before === null ? null : map.toDraft(store.program.value?.op(before).line ?? 0);
  const current = line === null ? null : map.toDraft(line);
  const marks = { current, previous, signs: signsOfLines() };
  const chosen = store.selectedValue.value?.address ?? "";
  const key = store.recordingKey.value;
  return { marks, strip: key === null ? new Map() : stripItems(visibleLines(view, map), key, chosen) };
}

/** The signs of breakpoints, by line of the editor. @returns {Map<number, import("../../ui/breakpoint_signs.js").Sign>} */
function signsOfLines() {
  const [program, { toRun, toDraft }] = [store.program.value, store.lineMap.value];
  const signs = new Map();
  for (const point of store.breakpoints.value) {
    if (isOnLine(point)) signs.set(Number(point.at), signOf(point));
    else if (point.kind === "value" && program !== null) {
      for (const op of opsOf(point, program, toRun) ?? []) {
        const line = toDraft(program.op(op).line);
        if (line !== null && !signs.has(line)) signs.set(line, point.off ? "off" : "value");
      }
    }
  }
  return signs;
}

/** The visible lines of the run, each with its line in the editor. @param {EditorView} view @param {typeof store.lineMap.value} map @returns {Map<number, number>} */
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
  const program = store.shownProgram.value;
  if (!program) return new Map();
  const ops = [...lines.keys()]
    .flatMap((line) => program.opsOn(line))
    .filter((op) => program.op(op).results.length > 0);
  const parameters = [...lines.keys()].flatMap((line) => program.parametersOnLine.get(line) ?? []);
  /** @type {Map<number, import("./film_strip.js").StripItem>} */
  const items = new Map();
  /** @param {number} line @param {Pick<import("./film_strip.js").StripItem, "value"|"address"|"when"|"ahead"|"more">} found */
  const put = (line, found) => {
    const draftLine = lines.get(line);
    if (draftLine === undefined || items.has(draftLine)) return;
    const item = store.whereHere(() => stripItem(program, key, chosen, found));
    if (item) items.set(draftLine, item);
  };
  const at = store.position.value;
  const runs = store.atPosition((outline) => lastRuns(outline, program, at, ops), at, program) ?? [];
  for (const [op, { step, when, open }] of runs) {
    const { line, results } = program.op(op);
    const value = results[0];
    if (!open && value !== undefined)
      put(line, {
        ...{ value, address: resultAddress(store.process.value, step, 0), when, more: results.length - 1 },
        ahead: step === at,
      });
  }
  const arguments_ = store.atPosition((outline) => parameterRuns(outline, program, at, parameters), at, program) ?? [];
  for (const { value, line, address, when } of arguments_) put(line, { value, address, when, ahead: false, more: 0 });
  return items;
}

/** The last value of each parameter. @param {import("../../core/run/outline.js").Outline} outline @param {import("../../core/run/program.js").Program} program @param {number} at @param {number[]} parameters */
function parameterRuns(outline, program, at, parameters) {
  const frames = lastFrames(
    outline,
    program,
    at,
    parameters.map((value) => program.definition(value).block),
  );
  const around = new Set(framesAround(outline, at));
  return parameters.flatMap((value) => {
    const { block, index } = program.definition(value);
    const frame = frames.get(block);
    if (frame === undefined) return [];
    const when = around.has(frame) ? /** @type {const} */ ("now") : /** @type {const} */ ("earlier");
    return [
      { value, line: program.lineOfParameter(value), address: argumentAddress(outline.process, frame, index), when },
    ];
  });
}

/**
 * @param {import("../../core/run/program.js").Program} program @param {string} key @param {string} chosen
 * @param {Pick<import("./film_strip.js").StripItem, "value"|"address"|"when"|"ahead"|"more">} found @returns {import("./film_strip.js").StripItem}
 */
function stripItem(program, key, chosen, found) {
  const { type, elements } = program.value(found.value);
  const name = shownName(program, found.value);
  const parts =
    elements && firstTensors(elements, PARTS).map(({ path }) => thumbnail(key, elementAddress(found.address, path)));
  const info = elements ? null : thumbnail(key, found.address);
  const isChosen = isWithin(chosen, found.address);
  const wrong = badnessOf(found.address, info?.nonfinite === true);
  return { ...found, name, type, info, parts, chosen: isChosen, wrong };
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
  if (shownThere.length > 0 || diagnosticCount(view.state) > 0) view.dispatch(setDiagnostics(view.state, shownThere));
}

/** @param {EditorView} view */
function followReveal(view) {
  const place = reveal.value;
  if (place === null) return;
  const { doc } = view.state;
  const line = doc.line(Math.max(1, Math.min(place.line, doc.lines)));
  const inDraft = (/** @type {number} */ offset, /** @type {1|-1} */ side) =>
    Math.min(place.ofRun ? (fromRun(view.state, offset, side) ?? 0) : offset, doc.length);
  const at = inDraft(place.from ?? line.from, 1);
  const head = place.to === undefined ? at : Math.max(at, inDraft(place.to, -1));
  leaveLine();
  untracked(() => {
    view.dispatch({ selection: { anchor: at, head }, effects: scrollTo(view, doc.lineAt(at).number) });
    if (place.focus) view.focus();
  });
}

/** Request diagnostics shortly after the last edit; late answers are dropped. */
function keepChecked() {
  /** @type {LatestAnswer<{diagnostics: import("../../core/types.js").Diagnostic[]}>} */
  const findings = new LatestAnswer();
  let first = true;
  const ends = [
    effect(() => {
      const text = store.draft.value;
      const name = untracked(() => store.sessionName.value);
      // Without edits, another run is shown.
      if (!first && !store.readOnly.peek() && !store.textComes.peek())
        findings.ask(text, (stop) => checkProgram(text, name, stop), CHECK_AFTER_MS);
      first = false;
    }),
    effect(() => {
      const { question, value, error } = findings.outcome.value;
      if (error) untracked(() => reportError(error));
      else if (question !== null && value) untracked(() => setFindings(question, value.diagnostics));
    }),
  ];
  return () => {
    findings.stop();
    for (const end of ends) end();
  };
}
