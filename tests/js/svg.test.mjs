/** What functions that draw on canvases write as SVG: well-formed, with texts as texts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SvgContext } from "../../static/js/drawing/svg.js";

test("shapes, curves and texts are written, and groups are closed", async () => {
  const context = new SvgContext({ width: 40, height: 30 });
  context.save();
  context.scale(1, 1);
  context.scale(0.5, 0.5);
  context.translate(-2, 3);
  context.fillStyle = "#123456";
  context.fillRect(0, 1, 2.004, 3);
  context.beginPath();
  context.moveTo(0, 0);
  context.bezierCurveTo(0, 1, 2, 3, 4.5, 5);
  context.closePath();
  context.stroke();
  context.restore();
  context.font = '600 11px "A & B", monospace';
  context.textBaseline = "middle";
  context.fillText("a < b", 1, 10);
  const text = await context.file('f "x"').text();
  assert.match(
    text,
    /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="40" height="30" viewBox="0 0 40 30"><title>f &quot;x&quot;<\/title>/,
  );
  assert.match(
    text,
    /<g transform="scale\(0.5 0.5\)"><g transform="translate\(-2 3\)"><rect x="0" y="1" width="2" height="3" fill="#123456"\/>/,
  );
  assert.match(text, /<path d="M0 0C0 1 2 3 4.5 5z" fill="none" stroke="#000"/);
  assert.match(
    text,
    /<text x="1" y="13.96" font-size="11px" font-family="&quot;A &amp; B&quot;, monospace" font-weight="600" fill="#000" text-anchor="start">a &lt; b<\/text><\/svg>\n$/,
  );
  assert.equal(text.match(/<g /g)?.length, text.match(/<\/g>/g)?.length);
});
