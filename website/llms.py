"""`llms.txt`: what agents read first of a site, by the convention of llmstxt.org."""

from __future__ import annotations

import re
from pathlib import Path

from hloscope.app.agents.skill import skill_text
from hloscope.app.reference.documents import documents

DOCS = Path(__file__).parent.parent / "docs"
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
HEAD = """# hloscope

> A step debugger in the browser for StableHLO and XLA HLO tensor programs. It executes a program, keeps every value, and
> says where NaN are born, where two runs diverge, which pass of XLA changed a value, and which elements an op reads.

Install it with `pip install hloscope`, for agents with `pip install 'hloscope[mcp]'`. `hloscope mcp` serves the Model
Context Protocol; `hloscope mcp TOOL JSON` calls a tool from a shell; every command prints JSON with `--json`.
"""


def llms_text(site: str) -> str:
    """The file for a site: what hloscope is, each document with its first sentence, and the skill."""
    listed = "\n".join(
        f"- [{found.title}]({site}{found.name}/): {_first_sentence(found.name)}" for found in documents()
    )
    skill = skill_text().partition("---\n")[2].partition("---\n")[2].strip()
    return f"{HEAD}\n## Documents\n\n{listed}\n\n{skill.replace('# Find', '## Find', 1)}\n"


def _first_sentence(name: str) -> str:
    text = FENCE.sub("", (DOCS / f"{name}.md").read_text("utf-8"))
    words = " ".join(LINK.sub(r"\1", text.partition("\n")[2]).split())
    return re.split(r"(?<=\.)\s", words, maxsplit=1)[0]
