/** The editor's looks, from the page's tokens: custom properties reach into the shadow root. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--syntax-comment)", fontStyle: "italic" },
  { tag: tags.operatorKeyword, color: "var(--syntax-op)", fontWeight: "600" },
  { tag: tags.keyword, color: "var(--syntax-keyword)" },
  { tag: tags.variableName, color: "var(--syntax-value)" },
  { tag: [tags.typeName, tags.punctuation], color: "var(--syntax-type)" },
  { tag: [tags.number, tags.atom], color: "var(--syntax-number)" },
  { tag: tags.string, color: "var(--syntax-string)" },
  { tag: [tags.labelName, tags.macroName], color: "var(--syntax-symbol)" },
  { tag: tags.propertyName, color: "var(--text)" },
]);

const looks = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--surface)", color: "var(--text)", fontSize: "var(--size)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "0.94em", lineHeight: "var(--row)", overflow: "auto", outlineOffset: "-2px" },
  "&.cm-focused .cm-scroller": { outline: "2px solid transparent" },
  ".cm-content": { padding: "4px 0", caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)", borderLeftWidth: "2px" },
  ".cm-line": { padding: "0 8px 0 4px" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--hover)" },
  ".cm-line.cm-current-op": { backgroundColor: "var(--tint-line)" },
  "&.cm-focused .cm-line.cm-current-op": { backgroundColor: "var(--tint-line)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection":
    { backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", border: "none" },
  ".cm-gutters-after": { borderLeft: "1px solid var(--line)", backgroundColor: "var(--chrome)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "3ch", padding: "0 8px 0 2px" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--text)" },
  ".cm-marks": { width: "32px", cursor: "pointer" },
  ".cm-marks .cm-gutterElement": { padding: "0 2px 0 4px" },
  ".cm-marks .mark": { display: "flex", alignItems: "center", gap: "2px", height: "100%" },
  ".cm-marks .dot": { width: "11px", height: "11px", borderRadius: "50%", flex: "none" },
  ".cm-marks .dot.set": { backgroundColor: "var(--breakpoint)" },
  ".cm-marks .dot.loose": { border: "2px solid var(--control)" },
  ".cm-marks .cm-gutterElement:hover .dot.none": { backgroundColor: "color-mix(in srgb, var(--breakpoint) 35%, transparent)" },
  ".cm-marks .arrow": { color: "var(--accent)", fontFamily: "var(--face)", fontWeight: "700", lineHeight: "1" },
  ".cm-strip": { width: "var(--strip)" },
  ".cm-strip .cm-gutterElement": { display: "flex", alignItems: "center", gap: "8px", padding: "0 8px", overflow: "hidden", cursor: "default" },
  ".strip": { display: "flex", alignItems: "center", gap: "8px", width: "100%", minWidth: "0", whiteSpace: "nowrap", fontSize: "0.92em", cursor: "pointer" },
  ".strip.earlier canvas": { opacity: "0.5" },
  ".strip.earlier .range": { color: "var(--muted)", fontStyle: "italic" },
  ".strip.chosen": { boxShadow: "inset 2px 0 var(--accent)", marginLeft: "-8px", paddingLeft: "8px" },
  ".strip canvas": { width: "48px", height: "16px", flex: "none", imageRendering: "pixelated", borderRadius: "1px" },
  ".strip .type": { color: "var(--muted)", overflow: "hidden", textOverflow: "ellipsis", flex: "1 1 0", minWidth: "0" },
  ".strip .range": { color: "var(--text)", overflow: "hidden", textOverflow: "ellipsis", flex: "0 0.01 auto" },
  ".strip .alarm": { color: "var(--alarm)", fontWeight: "600", overflow: "hidden", textOverflow: "ellipsis", flex: "0 0.01 auto" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "none", boxShadow: "var(--shadow)", borderRadius: "var(--radius)", fontFamily: "var(--mono)", fontSize: "0.94em", maxWidth: "60ch" },
  ".cm-tooltip .value": { padding: "6px 10px" },
  ".value canvas": { display: "block", width: "144px", height: "48px", imageRendering: "pixelated", marginTop: "4px" },
  ".value .name": { color: "var(--syntax-value)", fontWeight: "600" },
  ".value .type": { color: "var(--muted)" },
  ".cm-diagnostic": { padding: "6px 10px", fontFamily: "var(--face)", borderLeft: "3px solid var(--alarm)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warning)" },
  // On the inner spans too: their underline would take the colour of their text.
  ".cm-lintRange-error, .cm-lintRange-error span": { backgroundImage: "none", textDecoration: "underline wavy var(--alarm) 1px", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-lintRange-warning, .cm-lintRange-warning span": { backgroundImage: "none", textDecoration: "underline wavy var(--warning) 1px", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-panels": { backgroundColor: "var(--chrome)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-textfield": { backgroundColor: "var(--surface)", border: "1px solid var(--control)", borderRadius: "var(--radius)" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--surface)", border: "1px solid var(--control)", borderRadius: "var(--radius)" },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--warning) 28%, transparent)" },
  ".cm-searchMatch-selected": { outline: "1px solid var(--warning)" },
  ".cm-selectionMatch": { backgroundColor: "var(--hover)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--hover)", border: "none", color: "var(--muted)" },
});

export const editorTheme = [looks, syntaxHighlighting(colours)];
