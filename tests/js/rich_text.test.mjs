import assert from "node:assert/strict";
import test from "node:test";
import { nodesOf } from "../../static/js/ui/rich_text.js";

/** A node as text again, so that one can read it. */
const shown = (node) => {
  if (Array.isArray(node)) return node.map(shown).join("");
  if (node === null || node === undefined || typeof node !== "object") return String(node ?? "");
  const { children, ...attributes } = node.props;
  const said = Object.entries(attributes)
    .map(([name, value]) => ` ${name}=${value}`)
    .join("");
  return `(${node.type}${said}|${shown(children)})`;
};
const read = (text) => shown(nodesOf(text));

test("paragraphs, marks in them, and characters that were escaped", () => {
  assert.equal(read("<p>a <em>b</em> &lt;c&gt; &amp; &quot;d&quot; &#233; &#x41;</p>"), '(p|a (em|b) <c> & "d" é A)');
  assert.equal(read("one<br />two<hr>"), "one(br|)two(hr|)");
  assert.equal(read('<ol start="3"><li>x</li></ol>'), "(ol start=3|(li|x))");
});

test("scripts, pictures and handlers have no way in", () => {
  assert.equal(read("<script>alert(1)</script>"), "alert(1)");
  assert.equal(read('<img src="x" onerror="alert(1)">'), "");
  assert.equal(read('<img src="https://elsewhere.example/x.png" alt="a row">'), "a row");
  assert.equal(
    read('<img src="data:image/png;base64,AA" alt="a row" onload="x">'),
    "(img alt=a row src=data:image/png;base64,AA|)",
  );
  assert.equal(read('<p onclick="alert(1)" style="x">a</p>'), "(p|a)");
  assert.equal(read('<a href="javascript:alert(1)">a</a>'), "(a|a)");
  assert.equal(read('<a href="//elsewhere.example">a</a>'), "(a|a)");
  assert.equal(read("&lt;script&gt;"), "<script>");
});

test("links open beside the lesson", () => {
  assert.equal(
    read('<a href="/ops/stablehlo.gather">g</a>'),
    "(a href=/ops/stablehlo.gather target=_blank rel=noopener|g)",
  );
  assert.equal(
    read('<a href="https://openxla.org/">o</a>'),
    "(a href=https://openxla.org/ target=_blank rel=noopener|o)",
  );
});

test("what is not closed, or not opened, breaks nothing", () => {
  assert.equal(read("<p>a <em>b</p> c"), "(p|a (em|b)) c");
  assert.equal(read("a</em> < b"), "a < b");
});
