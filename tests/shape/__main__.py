"""Prints the table, or draws the picture of the layers."""

from __future__ import annotations

import argparse
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from .measures import Measure, Size, measures, sizes
from .picture import picture
from .tree import Tree

ROOT = Path(__file__).parents[2]


def main() -> None:
    options = _parser().parse_args()
    here = Tree(ROOT)
    if options.picture:
        Path(options.picture).write_text(picture(here))
    elif options.list:
        found = {measure.name: measure for measure in measures(here)}
        print("\n".join(found[options.list].counted))
    elif options.at:
        with at_revision(options.at) as earlier:
            _print([earlier, here], [options.at, "now"])
    else:
        _print([here], ["now"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.shape", description=__doc__)
    parser.add_argument("--at", metavar="REVISION", help="measure this revision of the repository as well")
    parser.add_argument(
        "--list", metavar="NAME", help="print what a line of the table counts, such as op-classes"
    )
    parser.add_argument("--picture", metavar="FILE", help="write the picture of the layers, as SVG")
    return parser


@contextmanager
def at_revision(revision: str) -> Iterator[Tree]:
    """The sources of a revision, in a folder that is there as long as they are needed."""
    packed = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Tree(Path(folder))


def _print(trees: list[Tree], titles: list[str]) -> None:
    found = [list(measures(tree)) for tree in trees]
    print(_line(["", *titles]))
    print("|---|" + "--:|" * len(titles))
    for row in zip(*found, strict=True):
        print(_line([f"{row[0].title} (`{row[0].name}`)", *map(_number, row)]))
    print()
    print(_line(["lines in files", *titles]))
    print("|---|" + "--:|" * len(titles))
    tables = [{size.package: size for size in sizes(tree)} for tree in trees]
    for package in sorted({package for table in tables for package in table}):
        print(_line([f"`{package}`", *(_size(table.get(package)) for table in tables)]))
    print(_line(["all", *(_size(_total(table)) for table in tables)]))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _number(measure: Measure) -> str:
    return "–" if measure.number is None else str(measure.number)


def _size(size: Size | None) -> str:
    return "–" if size is None else f"{size.lines:,} in {size.files}"


def _total(table: dict[str, Size]) -> Size:
    return Size("all", sum(size.lines for size in table.values()), sum(size.files for size in table.values()))


if __name__ == "__main__":
    main()
