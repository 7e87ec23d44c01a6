"""What is wrong with the text of a lesson is said with its line, and with what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from hloscope.app.lessons.sources import parse_source, read_source
from hloscope.app.lessons.tree import Ask, Change, Look, Text
from tests.app.lessons.texts import ASK, BODY_LINE, EVERY_KIND, HEAD, STEP, problems, write

BAD_HEADS = {
    "no head": ("", "1: a lesson must begin with a line `---`"),
    "no end": (HEAD.removesuffix("---\n"), "1: the `---` of the first line has no second `---`"),
    "no YAML": (HEAD.replace("title: Roots", "title: Roots: of"), "2: this is not YAML"),
    "unknown field": (HEAD.replace("minutes", "minuts"), "`minuts` | Did you mean `minutes`?"),
    "no title": (HEAD.replace("title: Roots\n", ""), "1: the lesson has no `title`"),
    "a truth as a title": (HEAD.replace("Roots\n", "yes\n", 1), "2: `title` is a text"),
    "minutes in words": (HEAD.replace("minutes: 1", "minutes: ten"), "4: `minutes` is a whole number"),
    "a language in words": (HEAD.replace("lang: en", "lang: English"), "5: `lang` must be a language"),
    "no program": (HEAD.replace("  roots: {file: roots.mlir, inputs: [iota]}\n", ""), "6: `programs` has a line"),
    "no such file": (HEAD.replace("roots.mlir", "rots.mlir"), "7: there is no file `rots.mlir`"),
    "a file elsewhere": (HEAD.replace("roots.mlir", "../../../etc/hosts"), "there is no file `../../../etc/hosts`"),
    "no file": (HEAD.replace("file: roots.mlir, ", ""), "7: the program `roots` has no file"),
    "unknown field of a program": (HEAD.replace("inputs", "input"), "`input` | Did you mean `inputs`?"),
    "a grid of nothing": (HEAD.replace("inputs: [iota]", "grid: 0x2"), "7: `grid` must be replicas times partitions"),
}  # fmt: skip


@pytest.mark.parametrize(("head", "said"), BAD_HEADS.values(), ids=BAD_HEADS)
def test_what_is_wrong_at_the_top(tmp_path: Path, head: str, said: str) -> None:
    (found,) = problems(write(tmp_path, head=head))
    assert said in found


BAD_BODIES = {
    "no step": ("Text.\n", "the lesson has no step"),
    "no id": ("## A title\nText.\n", f"{BODY_LINE}: a step needs an id"),
    "which id": ("## What is it?\n", "Write `## What is it? {#what-is-it}`"),
    "the same id": (STEP + STEP, f"{BODY_LINE + 1}: two steps have the id `one`"),
    "the id of the introduction": ("## Begin {#introduction}\n", f"{BODY_LINE}: the id `introduction` belongs to"),
    "a title in the text": ("# Title\n", "a step's heading has two #"),
    "no directive": (STEP + "::lok at=start\n", "`::lok` is not a directive"),
    "two colons": (STEP + "::note\n", "have three colons"),
    "no container": (STEP + ":::question\n:::\n", "there is no `:::question`"),
    "no end": (STEP + ":::note\ntext\n", f"{BODY_LINE + 1}: `:::note` has no end"),
    "an end alone": (STEP + ":::\n", "`:::` ends nothing here"),
    "one in another": (STEP + ":::note\n" + ASK + ":::\n", "this is inside the `:::note` of line"),
    "an empty look": (STEP + "::look\n", "`::look` does not say at what"),
    "an attribute": (STEP + "::look att=start\n", "has no attribute `att` | Did you mean `at`?"),
    "no attribute": (STEP + "::look %0\n", "`%0` is not an attribute of"),
    "twice": (STEP + "::look at=start at=end\n", "`at` appears twice"),
    "a step's number": (STEP + "::look at=3\n", "would not survive a change"),
    "a tab": (STEP + "::look at=start tab=tensr\n", "no tab `tensr` | Did you mean `tensor`?"),
    "an element alone": (STEP + "::look at=start element=1\n", "`element` is of a value"),
    "an index": (STEP + '::look value="%0" element="a"\n', "`element` is the index of an element"),
    "a value": (STEP + "::look value=0\n", "`value` names a value"),
    "an iteration alone": (STEP + "::look iteration=1\n", "`iteration` needs a place"),
    "an iteration of the end": (STEP + "::look at=end iteration=1\n", "is one place"),
    "a playground with a place": (STEP + "::look playground=gather at=end\n", "a playground has no `at`"),
    "a program": (STEP + "::look program=root at=end\n", "no program `root` | Did you mean `roots`?"),
    "no kind": (STEP + ":::ask\nWhat?\n:::\n", "`:::ask` needs the kind of question"),
    "a kind": (STEP + ':::ask nmber of="%0"\nWhat?\n:::\n', "`nmber` | Did you mean `number`?"),
    "no question": (STEP + ':::ask number of="%0[0,0]"\n:::\n', "the question has no text"),
    "nothing asked": (STEP + ":::ask number\nWhat?\n:::\n", 'a question of the kind number has of="…"'),
    "half a cell": (STEP + ':::ask cell in="%0"\nWhich?\n:::\n', 'of="…" and in="…" or in="…" and when="…"'),
    "digits of a shape": (STEP + ':::ask shape of="%0" digits=2\nWhich?\n:::\n', "has no attribute `digits`"),
    "an item": (STEP + ASK.replace("- wrong 5", "- wron 5"), "Did you mean `- wrong`?"),
    "text behind items": (STEP + ASK.replace("Ten.\n", "Ten.\nMore.\n"), "this text after the items is not an item"),
    "a silent item": (STEP + ASK.replace("- hint: Twice.", "- hint:"), "`- hint` says nothing"),
    "no colon": (STEP + ASK.replace("- hint: Twice.", "- hint Twice."), "`- hint` has no colon"),
    "two reasons": (STEP + ASK.replace("- hint", "- right"), "`- right:` stands once"),
    "a wrong answer to a choice": (
        STEP + ':::ask choice\nWhich?\n- option "true": a\n- wrong 3: b\n:::\n', "a choice has options"),
    "one option": (STEP + ':::ask choice\nWhich?\n- option "true": a\n:::\n', "at least two options"),
    "an option without quotes": (STEP + ":::ask choice\nWhich?\n- option yes: a\n:::\n", "expression in quotes"),
    "an option of a number": (STEP + ASK.replace("- wrong 5", '- option "true"'), "only a choice has options"),
    "no check": (STEP + ":::change solution=solved.mlir\nDo.\n:::\n", "`:::change` has no `passes`"),
    "no solution": (STEP + ':::change passes="true" solution=no.mlir\nDo.\n:::\n', "no file `no.mlir`"),
    "two exercises": (
        STEP + ':::change passes="%1[0,1] < 0" solution=solved.mlir\nDo.\n:::\n' * 2, "only one exercise"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "said"), BAD_BODIES.values(), ids=BAD_BODIES)
def test_what_is_wrong_in_the_text(tmp_path: Path, body: str, said: str) -> None:
    found = problems(write(tmp_path, body))
    assert any(said in each for each in found), found


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    found = problems(write(tmp_path, "## A\n## B\n::look at=7\n"))
    assert [each.partition(":")[0] for each in found] == [str(BODY_LINE + line) for line in (0, 1, 2)]


def test_a_whole_lesson_is_read_as_it_stands() -> None:
    lesson = parse_source(read_source(EVERY_KIND))
    assert [step.id for step in lesson.steps] == ["window", "loop", "processes", "mend"]
    assert lesson.front.title == "Every kind: a lesson of the tests"
    assert lesson.programs["window"].inputs == ("iota", "[[0], [9]]")
    assert lesson.programs["logs"].grid == (2, 1)
    kinds = [type(block) for block in lesson.steps[0].blocks]
    assert kinds == [Look, Look, Look, Text, Ask, Ask, Ask, Change]
    ask = lesson.steps[0].blocks[4]
    assert isinstance(ask, Ask)
    assert [wrong.text for wrong in ask.replies.wrong] == [
        "*Scatter* drops.",
        "That is in the first row,\nwhich the other start reads.",
    ]
    assert len(ask.replies.hints) == 2
    assert ask.line == EVERY_KIND.read_text().split("\n").index(':::ask number of="%1[1,0,0]" digits=2') + 1


def test_a_listing_is_text(tmp_path: Path) -> None:
    listing = "```text\n## No step\n::look nothing\n:::ask\n```\n"
    path = write(tmp_path, listing + STEP + listing + ASK)
    lesson = parse_source(read_source(path))
    assert [type(block) for block in lesson.intro] == [Text]
    assert [type(block) for block in lesson.steps[0].blocks] == [Text, Ask]


def test_a_file_of_windows_is_read_too(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert problems(path) == []
