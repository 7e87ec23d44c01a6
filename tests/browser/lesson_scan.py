"""A lesson's page, searched for the answers of its open questions: in all its texts and in its pictures.

A page is a list of units: texts that belong together, such as a row, a line or a title. `find_answer` says which of
them tells the answer. A number that any page may show, as 2, or that other visible values contain, tells it only beside the
name of the asked value; others tell it anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from hloscope.app.lessons.covers import number_asked
from hloscope.app.lessons.leaks import numbers_in, text_of
from hloscope.app.lessons.resolve import Resolved
from hloscope.app.lessons.runs import Recorded
from hloscope.app.present.numbers import exact_number
from hloscope.app.present.repeats import Number
from hloscope.app.present.typed_answers import EXACT, is_number, read_number
from hloscope.app.wire.lessons import AskBlock
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.op import Array

SCAN = r"""() => {
  const [units, pictures] = [new Map(), []];
  const add = (where, text) => {
    const plain = (text ?? "").replace(/\s+/g, " ").trim();
    if (plain && plain.length < 900) units.set(`${where} ${plain}`, [where, plain]);
  };
  // The check of lessons reads their texts.
  const isText = (element) => element.closest(".lesson-text, .lesson-question, .lesson-options, .lesson-note") !== null;
  const ROWS = ".strip, tr, li, dt, dd, p, h1, h2, h3, h4, button, label, figcaption, output, option, input, text, title, [role=row], [role=option], [role=tooltip], [role=gridcell], .variable, .cm-tooltip, .chip";
  const nameBeside = (element) => {
    for (let around = element; around; around = around.parentElement) {
      const name = /%[\w.$#-]+/.exec(around.textContent);
      if (name) return name[0];
    }
    return "";
  };
  const visit = (root, where) => {
    for (const element of root.querySelectorAll("*")) {
      if (isText(element)) continue;
      const host = element.closest("[data-panel], .panel");
      const panel = host?.getAttribute("data-panel") ?? host?.id.replace(/^panel-/, "") ?? where;
      for (const name of ["title", "aria-label", "aria-description", "alt", "placeholder", "value"]) add(`${panel} @${name}`, element.getAttribute(name));
      if (element.matches(".cm-line")) add(`${panel} line`, element.textContent);
      else if (element.matches(ROWS)) {
        const line = element.closest(".cm-line");
        add(`${panel} ${element.localName}`, line && line !== element ? `${/%[\w.$#-]+/.exec(line.textContent)?.[0] ?? ""} strip ${element.textContent}` : element.textContent);
      } else if (element.children.length === 0) add(`${panel} ${element.localName}`, element.textContent);
      // Heat maps have the digits too, so no two values share one. Thumbnails of other values and processes may be alike.
      if (element.localName === "canvas" && element.width * element.height > 0)
        pictures.push([element.closest(".tensor-frame, .index-cells") ? `${panel} ${nameBeside(element)}` : panel, element.toDataURL()]);
      if (element.localName === "img" && element.src.startsWith("data:"))
        pictures.push([`${panel} ${/%[\w.$#-]+/.exec(element.closest(".cm-line, tr, li, [role=row]")?.textContent ?? "")?.[0] ?? ""}`, element.src]);
      if (element.shadowRoot) visit(element.shadowRoot, panel);
    }
  };
  visit(document, "page");
  return { units: [...units.values()], pictures };
}"""
"""The units of a page, each with its place, and its pictures."""

MOST = 4_096
LOW = 100
"""Smaller whole numbers are on every page: numbers of lines and steps, sizes, counts."""
_TYPES = re.compile(r"tensor<[^>]*>|\b(?:\d+x)+[a-z]+\d+|\b[a-z]+\d*\[[\d,]*\](?:\{[\d,]*\})?")
_MARKED = re.compile(r"\b(?:first|became|harmful|masked|NaN|infinity)\b", re.I)
_NAMES = re.compile(r"%[\w.$#-]+")


@dataclass(frozen=True)
class Unit:
    """A text of a page, and its place."""

    place: str
    text: str

    @cached_property
    def names(self) -> set[str]:
        """The values that it names."""
        return set(_NAMES.findall(self.text))

    @cached_property
    def numbers(self) -> list[str]:
        """The numbers in it that are no part of a type, a name or an index."""
        return numbers_in(_TYPES.sub(" ", self.text))


@dataclass(frozen=True)
class Question:
    """An open question: the names of the values that it hides, and the numbers that only they contain.

    `rare`: where the page shows the run of the question; `elsewhere`: where it shows another run. `telling`: the answer, or
    the elements that decide it. `clicked`: the name of the value of which an element is asked for. `line`: of the op of the step that is asked for.
    """

    ask: AskBlock
    names: frozenset[str]
    rare: tuple[str, ...]
    elsewhere: tuple[str, ...]
    telling: tuple[Number, ...] = ()
    clicked: str | None = None
    line: int | None = None


def units_of(found: Sequence[Sequence[str]]) -> list[Unit]:
    """The units of a scan."""
    return [Unit(place, text) for place, text in found]


def questions(resolved: Resolved) -> dict[str, Question]:
    """The questions of a lesson by their ids."""
    blocks = [block for step in resolved.info["steps"] for block in step["blocks"]]
    return {block["id"]: _question(resolved, block) for block in blocks if block["kind"] == "ask"}


def _question(resolved: Resolved, ask: AskBlock) -> Question:
    found = resolved.runs[ask["run"] - 1]
    recording = found.recording
    assert recording is not None
    addresses = {Address.parse(hidden["address"]) for hidden in ask["hides"]}
    names = frozenset(_name(recording, address) for address in addresses)
    text = text_of(f"{ask['html']} {' '.join(option['html'] for option in ask['options'])}")
    here = {*_visible(found, addresses, numbered=ask["ask"] == "number"), *_values_of(numbers_in(text))}
    others = {number for each in resolved.runs if each is not found for number in _visible(each, set())}
    asked = [str(ask["truth"])] if ask["ask"] == "number" else _numbers(map(recording.value, addresses))
    rare = [each for each in asked if _is_rare(each, here)]
    clicked = (
        _name(recording, Address.parse(ask["address"])) if ask["ask"] == "cell" and ask["address"] else None
    )
    elsewhere = tuple(each for each in rare if _is_rare(each, others))
    telling, line = tuple(_telling(recording, ask)), _line_asked(recording, ask)
    return Question(ask, names, tuple(rare), elsewhere, telling, clicked, line)


def _line_asked(recording: Recording, ask: AskBlock) -> int | None:
    if ask["ask"] != "step" or ask["place"] is None or not isinstance(ask["truth"], list):
        return None
    track = recording.tracks[ask["place"]["process"]]
    return recording.program.line_of(track.op_of(min(ask["truth"])))


def _telling(recording: Recording, ask: AskBlock) -> Iterator[Number]:
    if ask["ask"] == "number":
        yield number_asked(ask)
        return
    for hidden in ask["hides"]:
        element = hidden["element"]
        if element is not None and ask["ask"] in ("cell", "choice"):
            number = Number.of(np.asarray(recording.value(Address.parse(hidden["address"]))[tuple(element)]))
            # A counter has a small number in another round too, under the same name.
            if not number.is_common:
                yield number


def _name(recording: Recording, address: Address) -> str:
    return f"%{recording.program.values[recording.value_number(address)].name.removeprefix('%')}"


def _is_rare(number: str, seen: set[Fraction | float]) -> bool:
    value = read_number(number)
    return isinstance(value, Fraction) and value not in range(-LOW, LOW) and value not in seen


def _visible(run: Recorded, hidden: set[Address], *, numbered: bool = False) -> Iterator[Fraction | float]:
    """The numbers of a run and of its text, without those of hidden values and, for a number, of what is made after them."""
    assert run.recording is not None
    yield from _values_of(re.findall(r"[\w.+-]+", run.text))
    arrays = list(_arrays(run.recording, hidden, numbered))
    yield from _values_of(_numbers(arrays))
    # The page writes means too, which may be any number.
    yield from _values_of(
        repr(float(array.mean())) for array in arrays if array.size and array.dtype.kind in "iuf"
    )


def _values_of(numbers: Iterable[str]) -> set[Fraction | float]:
    return {value for each in numbers if (value := read_number(each)) is not None}


def _numbers(arrays: Iterable[Array]) -> list[str]:
    """The elements of small arrays, and the least and the largest of the others."""
    return sorted(
        {exact_number(each) for array in arrays if array.size <= MOST for each in array.reshape(-1)}
    )


def _arrays(recording: Recording, hidden: set[Address], numbered: bool) -> Iterator[Array]:
    for inputs in recording.launch.inputs:
        yield from inputs
    asked = [address.number for address in hidden if address.kind == "s" and numbered]
    for track in recording.tracks:
        for step in range(track.step_count):
            finish = track.finish_of(step)
            if finish is None or finish >= min(asked, default=track.step_count):
                continue
            for index in range(len(recording.program.ops[track.op_of(step)].results)):
                address = Address(track.number, "s", step, index)
                value = recording.value(address)
                if address not in hidden and isinstance(value, np.ndarray) and value.dtype != object:
                    yield value


def find_answer(units: Iterable[Unit], question: Question, run: int) -> list[Unit]:
    """The units that tell the answer, on a page that shows a run of the lesson: names are of that run."""
    is_own = run == question.ask["run"]
    names, rare = (question.names, question.rare) if is_own else (frozenset(), question.elsewhere)
    return [
        unit for unit in units if _tells(unit, question, names, rare) or (is_own and _points(unit, question))
    ]


def _points(unit: Unit, question: Question) -> bool:
    """Whether a text names the element to click: `%x[1, 2]`."""
    indices = [r",\s?".join(map(str, cell)) for cell in question.ask["cells"] or ()]
    if question.clicked is None or unit.place.endswith(" line"):
        return False
    return any(re.search(rf"{re.escape(question.clicked)}\s?\[{index}\]", unit.text) for index in indices)


def _tells(unit: Unit, question: Question, names: frozenset[str], rare: Sequence[str]) -> bool:
    ask, is_named = question.ask, not names.isdisjoint(unit.names)
    if ask["ask"] == "step":
        return _marks_step(unit, question)
    if ask["ask"] == "shape":
        return is_named and bool(ask["hides"]) and _tells_shape(unit.text, ask)
    if any(is_number("float", EXACT, each, number) for each in rare for number in unit.numbers):
        return True
    is_asked = is_named and not unit.place.endswith(" line")
    return is_asked and any(each.matches(number) for each in question.telling for number in unit.numbers)


def _marks_step(unit: Unit, question: Question) -> bool:
    """Whether a finding marks the step that is asked for, or its line."""
    assert isinstance(question.ask["truth"], list)
    place = rf"\bstep {min(question.ask['truth']):,}\b|\bline {question.line}(?!\d)"
    return bool(_MARKED.search(unit.text)) and re.search(place, unit.text) is not None


def _tells_shape(text: str, ask: AskBlock) -> bool:
    assert isinstance(ask["truth"], list)
    sizes = [str(size) for size in ask["truth"]]
    told = "x".join(sizes)
    forms = (f"tensor<{told}x(?=[a-z])", rf"(?<![\w.%]){told}x[a-z]+\d", rf"\b[a-z]+\d+\[{','.join(sizes)}\]")
    return any(re.search(form, text) for form in forms)


def pictures_of(pictures: Sequence[Sequence[str]], names: Iterable[str]) -> set[str]:
    """The pictures that stand beside a name."""
    return {picture for place, picture in pictures if any(place.endswith(f" {name}") for name in names)}
