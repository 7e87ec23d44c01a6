"""The maps of XLA's indexing document of 2024, identical to `hloscope maps --style xla-2024`.

The document's maps are next to each program of `xla_2024/`, verbatim, under the command's headings. One is
changed: the dot's `input_2 -> output`, in which the document uses a contracted index as an output dimension.
"""

from pathlib import Path
from typing import Any

import pytest

from hloscope.app.cli.main import main

PROGRAMS = Path(__file__).parent / "xla_2024"
STATED = sorted(PROGRAMS.glob("*.maps"))
OPS = {
    "elementwise": "add",
    "broadcast": "bc0",
    "concatenate": "concat",
    "dynamic_slice": "ds",
    "dynamic_update_slice": "dus",
    "reduce_window": "reduce-window",
    "reshape_collapse": "reshape",
    "reshape_expand": "reshape",
    "reshape_generic": "reshape",
    "reshape_parts": "reshape",
    "softmax": "fusion",
}
"""The op of each program, if the file is not named after it."""


def printed(capsys: Any, name: str, *options: str) -> dict[str, str]:
    """The command's output for one op, by heading."""
    assert main(["maps", str(PROGRAMS / f"{name}.hlo"), "--style", "xla-2024", *options]) == 0
    found: dict[str, str] = {}
    heading = ""
    for line in capsys.readouterr().out.splitlines():
        if line.startswith("#"):
            continue
        if line.startswith(("output", "input")):
            heading = line
            found[heading] = ""
        else:
            found[heading] += f"{line}\n"
    return found


def stated(name: str) -> dict[str, str]:
    """The document's maps, by heading."""
    parts = (PROGRAMS / f"{name}.maps").read_text().split("\n\n")
    pairs = (part.split("\n", 1) for part in parts)
    return {heading: text.rstrip("\n") + "\n" for heading, text in pairs}


def maps_in(text: str) -> set[str]:
    """The maps of a union, unordered."""
    found: list[list[str]] = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if lines[number + 1 : number + 2] == ["domain:"]:
            found.append([])
        found[-1].append(line)
    return {"\n".join(each) for each in found}


@pytest.mark.parametrize("file", STATED, ids=lambda file: file.stem)
def test_the_maps_print_as_the_document_has_them(file: Path, capsys: Any) -> None:
    name = file.stem
    found = printed(capsys, name, "--op", OPS.get(name, name), "--direction", "both")
    for heading, text in stated(name).items():
        assert maps_in(found[heading]) == maps_in(text), heading


def test_all_45_maps_are_stated() -> None:
    # The document has one map for operands with equal maps.
    alike = {"elementwise": 2, "dynamic_slice": 2, "dynamic_update_slice": 1, "reduce": 4}
    count = sum(len(maps_in(text)) for file in STATED for text in stated(file.stem).values())
    assert count - sum(alike.values()) == 45


def test_the_wrong_map_of_the_document_is_right_here(capsys: Any) -> None:
    found = printed(capsys, "dot", "--op", "dot", "--direction", "input-to-output")
    assert found["input 1, %p1 -> output:"].startswith("(d0, d1, d2)[s0] -> (d0, s0, d2)\n")


@pytest.mark.parametrize(
    ("name", "options", "heading", "wanted"),
    [
        ("fusion_two_maps", ["--op", "fusion"], "output -> input 0, %p:", ["(d0, d1) -> (d0, d1)", "(d0, d1) -> (d1, d0)"]),
        ("fusion_one_map", ["--op", "fusion"], "output -> input 0, %p:", ["(d0, d1, d2) -> (d2, d0, d1)"]),
        ("reshape_chain", ["--compose"], "output -> input 0, %p0:", ["(d0, d1, d2) -> (d0, d1, d2)"]),
    ],
)  # fmt: skip
def test_maps_of_chains_are_those_of_the_document(
    name: str, options: list[str], heading: str, wanted: list[str], capsys: Any
) -> None:
    text = printed(capsys, name, *options)[heading]
    assert sorted(each.partition("\n")[0] for each in maps_in(text)) == sorted(wanted)
