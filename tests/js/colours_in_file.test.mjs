/** The colour maps of a saved page are those of d3. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { interpolateRgbBasis } from "d3-interpolate";
import { schemeGreys, schemePuOr, schemeRdBu } from "d3-scale-chromatic";
import * as ours from "../../static/js/drawing/colours_in_file.js";

test("curves through colours agree at every entry of a table", () => {
  for (const colours of [schemeGreys[9], schemePuOr[11], schemeRdBu[11]]) {
    const [theirs, own] = [interpolateRgbBasis(colours), ours.interpolateRgbBasis(colours)];
    for (let entry = 0; entry < 256; entry++) assert.equal(own(entry / 255), theirs(entry / 255), `${entry}`);
  }
});
