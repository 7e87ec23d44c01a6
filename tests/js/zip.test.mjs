import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checksum, makeZip } from "../../static/js/core/zip.js";

test("the checksum is CRC-32", () => {
  assert.equal(checksum(new TextEncoder().encode("123456789")), 0xcbf43926);
  assert.equal(checksum(new Uint8Array()), 0);
});

const LIST = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps({name: len(archive.read(name)) for name in archive.namelist()}))
`;

test("what is packed is what Python's zipfile reads", async () => {
  const told = [];
  const entries = [
    { path: "dump/a.txt", file: new Blob(["HloModule a\n".repeat(1000)]) },
    { path: "dump/größe.txt", file: new Blob([]) },
  ];
  const archive = await makeZip(entries, (done) => told.push(done));
  assert.ok(archive.size < 1000);
  assert.deepEqual(told, [1, 2]);
  const folder = mkdtempSync(join(tmpdir(), "zip-"));
  try {
    const path = join(folder, "dump.zip");
    writeFileSync(path, new Uint8Array(await archive.arrayBuffer()));
    const said = execFileSync(process.env.PYTHON ?? "python3", ["-c", LIST, path], { encoding: "utf8" });
    assert.deepEqual(JSON.parse(said), { "dump/a.txt": 12_000, "dump/größe.txt": 0 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("too many files are refused", async () => {
  await assert.rejects(makeZip(Array(70_000).fill({ path: "a", file: new Blob([]) })), /more than 65,535 files/);
});
