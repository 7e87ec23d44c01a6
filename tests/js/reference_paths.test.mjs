import assert from "node:assert/strict";
import test from "node:test";
import { opDataPath, pageHere, readByLink } from "../../static/js/core/reference_paths.js";
import { readFrom, source } from "../../static/js/core/source.js";
import { sessionId } from "../../static/js/core/store.js";

test("who reads by a link, or has made a copy, asks for ops beside the session", () => {
  sessionId.value = "abc";
  assert.deepEqual([opDataPath(), opDataPath("stablehlo.add")], ["/api/ops", "/api/ops/stablehlo.add"]);
  sessionId.value = "own-1";
  assert.equal(opDataPath("func.call"), "/api/sessions/own-1/ops/func.call");
  sessionId.value = "view-1";
  assert.equal(opDataPath(), "/api/sessions/view-1/ops");
  const server = source();
  readFrom({ ...server, isFile: true });
  assert.equal(opDataPath(), "/api/ops");
  readFrom(server);
});

test("links lead where whoever has the page may go", () => {
  sessionId.value = "view-1";
  assert.equal(pageHere("/ops/stablehlo.add"), "/ops/stablehlo.add");
  assert.equal(pageHere("/lessons/dot-general"), "/lessons/dot-general");
  readByLink(true);
  assert.equal(pageHere("/lessons/dot-general#start"), "/lessons/dot-general#start");
  assert.equal(pageHere("/lessonsless"), null);
  readByLink(false);
  assert.equal(pageHere("/ops/stablehlo.add"), "/s/view-1/ops/stablehlo.add");
  assert.equal(pageHere("/help/rooms"), "/s/view-1/help/rooms");
  assert.equal(pageHere("/help#tensor"), "/s/view-1/help#tensor");
  for (const closed of ["/ops", "/lessons/dot-general", "/playground/gather", "/helpless"])
    assert.equal(pageHere(closed), null);
  for (const elsewhere of ["https://example.org/help", "#clamped"]) assert.equal(pageHere(elsewhere), elsewhere);
});
