import assert from "node:assert/strict";
import test from "node:test";
import { opDataPath, pageHere } from "../../static/js/core/reference_paths.js";
import { readFrom, source } from "../../static/js/core/source.js";
import { sessionId } from "../../static/js/core/store.js";

/** @param {string} session @param {string} path of the page @param {() => void} look */
function at(session, path, look) {
  sessionId.value = session;
  const before = Object.getOwnPropertyDescriptor(globalThis, "location");
  Object.defineProperty(globalThis, "location", { value: { pathname: path }, configurable: true });
  look();
  if (before) Object.defineProperty(globalThis, "location", before);
}

test("who reads by a link, or has made a copy, asks beside the session", () => {
  at("abc", "/s/abc", () => {
    assert.equal(opDataPath(), "/api/ops");
    assert.equal(opDataPath("stablehlo.add"), "/api/ops/stablehlo.add");
    assert.equal(pageHere("/ops/stablehlo.add"), "/ops/stablehlo.add");
  });
  at("own-1", "/s/own-1", () => {
    assert.equal(opDataPath("func.call"), "/api/sessions/own-1/ops/func.call");
    assert.equal(pageHere("/help#tensor"), "/s/own-1/help#tensor");
  });
  at("view-1", "/room/room-1", () => {
    assert.equal(opDataPath(), "/api/sessions/view-1/ops");
    assert.equal(pageHere("/ops/stablehlo.add"), "/s/view-1/ops/stablehlo.add");
    assert.equal(pageHere("/help/rooms"), "/s/view-1/help/rooms");
    for (const elsewhere of ["/ops", "/lessons/dot-general", "https://example.org/help"])
      assert.equal(pageHere(elsewhere), elsewhere);
  });
});

test("a lesson's own page is for who has signed in, and a file has no server", () => {
  at("view-1", "/lessons/dot-general", () => assert.equal(pageHere("/ops/stablehlo.add"), "/ops/stablehlo.add"));
  const server = source();
  readFrom({ ...server, isFile: true });
  at("view-1", "/tmp/lesson.html", () => assert.equal(opDataPath(), "/api/ops"));
  readFrom(server);
});
