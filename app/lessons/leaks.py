"""Leaks of a lesson: what tells an answer before its question is answered, in its texts, names, positions and values.

    find_leaks(lesson, resolved)    a warning for each, at the line of the question

The page covers the asked value itself, its type and its findings (`hides` of `app/wire/lessons.py`); what this module
finds, only the author can mend.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import unescape

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.grading.report import FindingReport
from hloscope.engine.debugger.provenance import Budget, Links, RecordedRun, Walking
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.run_location import RunLocation
from hloscope.engine.indexing.elements.element_sets import ElementSet

from ..present.typed_answers import read_number
from ..wire.lessons import AskBlock, LessonBlock, LessonPlace
from .covers import number_asked
from .resolve import Resolved
from .runs import Recorded
from .tree import Ask, Block, Lesson, LessonError

LONG = 100
"""Whole numbers this large, and fractions, rarely appear in a text by coincidence."""
WALK_SECONDS = 2.0
_NUMBER = re.compile(
    r"(?<![\w.%/])[-+−]?(?:\d[\d,_]*\d|\d)(?:\.\d+)?(?:e[-+]?\d+)?(?![\w/]|\.\d)|[-+−]?\b(?:inf|nan)\b", re.I
)
_INDEXED = re.compile(r"%[\w.$#-]+\s*\[[^\]]*\]|%[\w.$#-]+")
_COUNTED = re.compile(
    r"\b(?:rows?|columns?|dimensions?|processe?s?|positions?|ind(?:ex|ices)|elements?|lines?|steps?|rounds?|iterations?|"
    r"windows?|offsets?|groups?|axis|axes|pieces?|channels?|images?|start|"
    r"Zeilen?|Spalten?|Dimensionen|Prozessen?|Stellen?|Indizes|Elementen?|Schritten?|Runden?|Iterationen|"
    r"Fenstern?|Gruppen?|Achsen?|Stücke?n?|Kanal|Kanälen?|Bild(?:ern?)?|"
    r"lignes?|colonnes?|processus|indices?|éléments?|étapes?|pas|itérations?|fenêtres?|décalages?|groupes?|axes?|"
    r"morceaux?|canal|canaux|débuts?|têtes?)"
    r" -?\d+(?:(?:,| and| und| et| to| bis| à) -?\d+)*",
    re.I,
)
"""Numbers that only count things."""
_SIZES = re.compile(
    r"(?<![\w.%])(?:\d+(?: ?[x×] ?\d+)+(?![\d])|[\[(] ?\d+(?:, \d+)*,? ?[\])]|(?<=<)\d+(?=x[a-z])|(?<=\w\[)\d+(?:,\d+)*(?=\]))"
)
_TYPED = re.compile(
    r"(?<=<)(\d+(?:x\d+)*)(?=x[a-z])|(?<=\b[fsu]\d\d\[)(\d+(?:,\d+)*)(?=\])|(?<=\bpred\[)(\d+(?:,\d+)*)(?=\])"
)
_WRITTEN = re.compile(r'<span class="lesson-value" title="([^"]*)">([^<]*)</span>')
_SENTENCE = re.compile(r"(?<=[.:;?!])\s+")
_CODE = re.compile(r"<code>(.*?)</code>")


def find_leaks(lesson: Lesson, resolved: Resolved) -> Iterator[LessonError]:
    """A warning for each leak, at the line of its question."""
    info = resolved.info
    pages = [info["intro"], *(step["blocks"] for step in info["steps"])]
    trees = [lesson.intro, *(step.blocks for step in lesson.steps)]
    titles = [info["title"], *(step["title"] for step in info["steps"])]
    for number, (blocks, tree) in enumerate(zip(pages, trees, strict=True)):
        for at, (block, own) in enumerate(zip(blocks, tree, strict=True)):
            if block["kind"] == "ask" and isinstance(own, Ask):
                asked = _Asked(block, own, number, at, pages, trees, titles, resolved.runs)
                yield from (LessonError(own.line, *told) for rule in RULES for told in rule(asked))


@dataclass(frozen=True)
class _Asked:
    """A question in its place: `page` among the introduction and the steps, `at` among their blocks."""

    block: AskBlock
    ask: Ask
    page: int
    at: int
    pages: Sequence[Sequence[LessonBlock]]
    trees: Sequence[Sequence[Block]]
    titles: Sequence[str]
    runs: Sequence[Recorded]

    @property
    def recording(self) -> Recording:
        """The run that the question is about."""
        found = self.runs[self.block["run"] - 1].recording
        assert found is not None
        return found

    @property
    def is_given(self) -> bool:
        """Whether the answer is a number of the inputs."""
        return self.block["ask"] == "number" and number_asked(self.block).is_given(self.recording)

    @property
    def looks(self) -> Iterator[LessonPlace]:
        """The places that the step of the question and the next one show."""
        for blocks in self.pages[self.page : self.page + 2]:
            yield from (block["place"] for block in blocks if block["kind"] == "look" and block["place"])

    @property
    def names(self) -> set[str]:
        """The names of the values that the question hides."""
        return {_name_of(self.recording, Address.parse(hidden["address"])) for hidden in self.block["hides"]}


Told = tuple[str, str]
"""What is wrong, and how to mend it."""


# What a text tells.


def tells(text: str, ask: AskBlock, names: Iterable[str] = (), *, is_given: bool = False) -> bool:
    """Whether a text contains the answer; a common or a given number counts only in a sentence that names the value."""
    if ask["ask"] == "number":
        by_name = is_given or number_asked(ask).is_common
        sentences = [each for each in _SENTENCE.split(text) if not by_name or _has_name(each, names)]
        return any(number_asked(ask).matches(found) for each in sentences for found in numbers_in(each))
    if ask["ask"] == "shape" and ask["hides"]:
        return ask["truth"] in _sizes_in(text, all_forms=bool(names) and _has_name(text, names))
    return False


def numbers_in(text: str) -> list[str]:
    """The numbers in a text that are not part of a name or an index, and count nothing."""
    return _NUMBER.findall(_COUNTED.sub(" ", _INDEXED.sub(" ", text)))


def _has_name(text: str, names: Iterable[str]) -> bool:
    return any(re.search(rf"{re.escape(name)}(?![\w.$#])", text) for name in names)


def _sizes_in(text: str, *, all_forms: bool) -> list[list[int]]:
    """The shapes in a text: of types, or in all forms."""
    found = [match[0] for match in (_SIZES if all_forms else _TYPED).finditer(text)]
    return [[int(size) for size in re.findall(r"\d+", each)] for each in found]


def text_of(html: str) -> str:
    """The text of HTML, without values of the run."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", _WRITTEN.sub(" ", html))))


# The rules.


def _in_texts(asked: _Asked) -> Iterator[Told]:
    """The text of the step, or of a step beside it, tells the answer."""
    mend = "Ask about another element, or write the text without it."
    given = asked.is_given
    is_known = given or isinstance(read_number(str(asked.block["truth"])), float)
    for page in (asked.page - 1, asked.page, asked.page + 1):
        if not 0 <= page < len(asked.pages):
            continue
        where = "" if page == asked.page else f" of the {'previous' if page < asked.page else 'next'} step"
        if page == asked.page and tells(asked.titles[page], asked.block, asked.names):
            yield f"the title of the step tells the answer, {_truth(asked.block)}", "Give it another title."
        for block, tree in zip(asked.pages[page], asked.trees[page], strict=True):
            for html in _texts_of(block, read=page < asked.page):
                known = given if page == asked.page else is_known
                if tells(text_of(html), asked.block, asked.names, is_given=known) or (
                    not given and _writes(html, asked)
                ):
                    yield f"the text on line {tree.line}{where} tells the answer, {_truth(asked.block)}", mend


def _texts_of(block: LessonBlock, *, read: bool) -> Iterator[str]:
    """The HTML of a block; of a question that is read before, also its replies."""
    if block["kind"] == "look":
        yield block["label"]
        return
    yield block["html"]
    if block["kind"] == "ask":
        yield from (option["html"] for option in block["options"])
    if read and block["kind"] in ("ask", "change"):
        yield from (*block["hints"], block["right_html"])


def _writes(html: str, asked: _Asked) -> bool:
    """Whether a text writes out a computed value that is the answer."""
    if asked.block["ask"] != "number":
        return False
    given = _given_names(asked.recording)
    return any(
        number_asked(asked.block).matches(unescape(text))
        for expression, text in _WRITTEN.findall(html)
        if any(name not in given for name in re.findall(r"%[\w.$-]+", unescape(expression)))
    )


def _in_names(asked: _Asked) -> Iterator[Told]:
    """The name of the value contains the answer: `%sum_12`, `%table_2x3`, `%gathered` where `gather` is the answer."""
    for name in asked.names:
        plain = name.removeprefix("%")
        parts = re.findall(r"\d+(?:x\d+)+|\d+|[A-Za-z]+", plain)
        if not plain.isdigit() and any(_is_told_by(part, asked.block) for part in parts):
            yield f"the name {name} tells the answer, {_truth(asked.block)}", "Give the value another name."


def _is_told_by(part: str, ask: AskBlock) -> bool:
    if ask["ask"] == "number":
        return number_asked(ask).matches(part)
    if ask["ask"] == "shape":
        return "x" in part and ask["truth"] == [int(size) for size in part.split("x") if size.isdigit()]
    codes = {option["right"]: _CODE.findall(option["html"]) for option in ask["options"]}
    return len(part) > 2 and part in codes.get(True, []) and part not in codes.get(False, [])


def _shown_before(asked: _Asked) -> Iterator[Told]:
    """A position above the question, or in an earlier step, shows the value, also on the handout."""
    hidden = {hidden["address"] for hidden in asked.block["hides"]}
    for page, blocks in enumerate(asked.pages[: asked.page + 1]):
        for at, block in enumerate(blocks):
            if (page, at) >= (asked.page, asked.at):
                return
            place = block["place"] if block["kind"] == "look" else None
            line = asked.trees[page][at].line
            if place is None or place["run"] != asked.block["run"]:
                continue
            shows = place["address"] in hidden
            if shows and (page == asked.page or asked.block["ask"] != "choice"):
                told = f"line {line} shows {', '.join(sorted(asked.names))} before the question about it"
                yield told, "Ask about a value that is not shown before, such as that of another run."
            if place["tab"] == "findings" and _has_finding(asked):
                told = f"line {line} opens the findings, which are also about what is asked here"
                yield told, "Open them after the question, or ask about another value."


def _has_finding(asked: _Asked) -> bool:
    """Whether a finding is about the values of the question, or about the step that it asks for."""
    steps = {
        (address.process, address.number)
        for hidden in asked.block["hides"]
        if (address := Address.parse(hidden["address"])).kind == "s"
    }
    findings = FindingReport(asked.recording).findings
    return any((each.process, each.step) in steps for found in findings for each in found.occurrences)


def _elsewhere(asked: _Asked) -> Iterator[Told]:
    """A value that this step or the next one shows contains the same digits, although the asked value is not made of it."""
    truth = str(asked.block["truth"])
    if (
        asked.block["ask"] != "number"
        or asked.block["place"] is None
        or asked.block["address"] is None
        or not _is_long(read_number(truth))
        or asked.is_given
    ):
        return
    run = asked.block["run"]
    left = {
        (each["run"], Address.parse(each["address"]))
        for blocks in asked.pages
        for block in blocks
        if block["kind"] == "ask"
        for each in block["hides"]
    }
    left |= {(run, each) for each in _ancestors(asked.recording, Address.parse(asked.block["address"]))}
    for place in (asked.block["place"], *asked.looks):
        recording = asked.runs[place["run"] - 1].recording
        assert recording is not None
        for name, other in RunLocation(recording, place["process"], place["step"]).visible():
            if (place["run"], other) in left or other.kind == "f":
                continue
            left.add((place["run"], other))
            value = recording.value(other)
            if number_asked(asked.block).is_in(value):
                told = f"%{name.removeprefix('%')}, which the page shows, contains the answer too, {truth}"
                yield told, "Ask about another element, or let the program compute something else."


def _is_long(number: Fraction | float | None) -> bool:
    """Whether a number rarely appears by coincidence: a fraction, or a large whole number."""
    return isinstance(number, Fraction) and (abs(number) >= LONG or number.denominator > 1)


def _ancestors(recording: Recording, address: Address) -> set[Address]:
    shape = recording.value(address).shape
    links = Links(RecordedRun(recording))
    walk = Walking(links, address, ElementSet.full(shape), Budget(WALK_SECONDS), forward=False).on()
    return set(walk.nodes)


def _name_of(recording: Recording, address: Address) -> str:
    return f"%{recording.program.values[recording.value_number(address)].name.removeprefix('%')}"


def _given_names(recording: Recording) -> set[str]:
    """The names of arguments and constants, which are always visible."""
    arguments = [_name_of(recording, address) for _, address in RunLocation(recording, 0, 0).visible()]
    constants = [
        recording.program.values[value].name
        for bound in recording.program.ops
        if bound.operation.name.endswith("constant")
        for value in bound.results
    ]
    return {f"%{name.removeprefix('%')}" for name in (*arguments, *constants)}


RULES: Sequence[Callable[[_Asked], Iterator[Told]]] = (_in_texts, _in_names, _shown_before, _elsewhere)


def _truth(ask: AskBlock) -> str:
    truth = ask["truth"]
    return "x".join(map(str, truth)) if isinstance(truth, list) else str(truth)
