"""The page and the language server find the same definitions and uses."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from hloscope.app.editors.language_server.analysis import Analysis
from hloscope.app.present.program import program_table
from hloscope.app.reference.examples import examples
from hloscope.engine.limits import DEFAULT_LIMITS
from tests.app.present.test_index_map_evaluation import EXAMPLES, node

RUNNER = Path(__file__).parents[2] / "js" / "mentions_of_program.mjs"
Words = frozenset[tuple[int, int]]


def test_the_page_and_the_language_server_agree() -> None:
    """On the examples of the opening page and of all ops: the words of each value and of each function."""
    texts = {each.name: each.text for each in examples()} | {path.name: path.read_text() for path in EXAMPLES}
    analyses = [Analysis(text, name, DEFAULT_LIMITS) for name, text in texts.items()]
    known = [(analysis, analysis.program) for analysis in analyses if analysis.program]
    assert len(known) > 100
    programs = [{"text": analysis.text, "table": program_table(program)} for analysis, program in known]
    done = subprocess.run(
        [node(), RUNNER], input=json.dumps(programs), text=True, capture_output=True, check=True
    )
    for (analysis, _), found in zip(known, json.loads(done.stdout), strict=True):
        page, server = words_of_page(found), words_of_server(analysis)
        told = f"{analysis.source.name}: {shown(analysis.text, server - page)}, page: {shown(analysis.text, page - server)}"
        assert server <= page, told


def words_of_page(found: list[list[list[int]]]) -> set[Words]:
    """Results of one op have one definition."""
    groups: defaultdict[tuple[int, ...], set[tuple[int, int]]] = defaultdict(set)
    for words in found:
        if words:
            groups[tuple(words[0])] |= {(start, end) for start, end in words}
    return {frozenset(words) for words in groups.values()}


def words_of_server(analysis: Analysis) -> set[Words]:
    """Those that the text defines; `reduce … applies stablehlo.add` defines values without a name."""
    return {
        frozenset((mention.span.start, mention.span.end) for mention in mentions)
        for mentions in analysis.by_key.values()
        if any(mention.defines for mention in mentions)
        and (analysis.is_hlo or analysis.text[mentions[0].span.start] in "%@")
    }


def shown(text: str, groups: Iterable[Words]) -> list[list[str]]:
    """The first of them, each word with its line."""
    return [
        [f"{text.count(chr(10), 0, start) + 1} {text[start:end]}" for start, end in sorted(words)]
        for words in list(groups)[:3]
    ]
