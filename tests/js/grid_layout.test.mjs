/** Where the cells of a grid lie. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellUnder, foldings, layoutOf, neighbour, placeOf } from "../../static/js/features/grid/layout.js";

const ROOM = { width: 420, height: 520 };

test("how much a cell says depends on how many there are", () => {
  assert.equal(layoutOf({ replicas: 1, partitions: 2 }, ROOM).level, "full");
  assert.equal(layoutOf({ replicas: 1, partitions: 4 }, ROOM).columns, 2);
  assert.equal(layoutOf({ replicas: 1, partitions: 8 }, ROOM).level, "full");
  assert.equal(layoutOf({ replicas: 4, partitions: 8 }, { width: 700, height: 520 }).level, "compact");
  assert.equal(layoutOf({ replicas: 1, partitions: 64 }, ROOM).level, "compact");
  assert.equal(layoutOf({ replicas: 16, partitions: 16 }, ROOM).level, "tile");
});

test("everything fits across", () => {
  for (const team of [
    [1, 3],
    [2, 4],
    [1, 8],
    [3, 5],
    [1, 17],
    [8, 8],
    [1, 64],
    [1, 256],
    [256, 1],
    [16, 16],
    [2, 128],
  ]) {
    const [replicas, partitions] = team;
    for (const width of [300, 420, 900]) {
      const layout = layoutOf({ replicas, partitions }, { width, height: 500 });
      assert.ok(layout.width <= width, `${team} in ${width}: ${JSON.stringify(layout)}`);
      assert.ok(layout.rows * layout.columns >= replicas * partitions);
    }
  }
});

test("a grid of both keeps its rows where they fit", () => {
  const layout = layoutOf({ replicas: 2, partitions: 4 }, { width: 700, height: 500 });
  assert.equal(layout.columns, 4);
  assert.equal(layout.rows, 2);
});

test("cells use the room, and are larger where their words are", () => {
  const room = { width: 1880, height: 780 };
  const usual = layoutOf({ replicas: 1, partitions: 8 }, room);
  assert.ok(usual.height > 400, JSON.stringify(usual));
  const large = layoutOf({ replicas: 1, partitions: 8 }, room, 2.5);
  assert.ok(large.cell.height >= 2.5 * 80 && large.cell.width >= 2.5 * 120, JSON.stringify(large));
  assert.ok(large.width <= room.width && large.height <= room.height);
});

test("a long row is folded evenly", () => {
  assert.deepEqual(foldings({ replicas: 1, partitions: 8 }), [1, 2, 4, 8]);
  const { columns, rows } = layoutOf({ replicas: 1, partitions: 256 }, ROOM);
  assert.equal(columns * rows, 256);
  assert.ok(columns >= 8 && rows >= 8, `${columns} x ${rows}`);
});

test("cells are found under points, and not between them", () => {
  const layout = layoutOf({ replicas: 2, partitions: 2 }, ROOM);
  for (let index = 0; index < 4; index++) {
    const { x, y } = placeOf(layout, index);
    assert.equal(cellUnder(layout, 4, { x: x + 1, y: y + 1 }), index);
  }
  assert.equal(cellUnder(layout, 4, { x: layout.cell.width + layout.gap / 2, y: 5 }), null);
  assert.equal(cellUnder(layout, 3, placeOf(layout, 3)), null);
});

test("arrows walk the grid and stay inside", () => {
  const layout = { columns: 3 };
  const walk = (index, key) => neighbour(layout, 8, index, key);
  assert.equal(walk(0, "ArrowRight"), 1);
  assert.equal(walk(2, "ArrowRight"), 2);
  assert.equal(walk(4, "ArrowUp"), 1);
  assert.equal(walk(5, "ArrowDown"), 5);
  assert.equal(walk(4, "End"), 5);
  assert.equal(walk(7, "End"), 7);
  assert.equal(walk(7, "PageUp"), 1);
  assert.equal(walk(2, "PageDown"), 5);
  assert.equal(walk(1, "x"), null);
});
