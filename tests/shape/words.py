"""Private words: names and phrases for which the field has a term."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from .tree import Tree

NAMES: dict[str, str] = {
    r"[Tt]eller|[Ss]tandstill": "deadlock report",
    r"(?<![A-Za-z])[Ss]tory(?![a-z])|Story": "deadlock report",
    r"(?<![A-Za-z])[Ss]eats?(?![a-z])": "session worker",
    r"[Nn]ursery": "fork server",
    r"post_?[Oo]ffice|PostOffice": "rendezvous",
    r"queue_?[Dd]esk|QueueDesk": "host queues",
    r"(?<![A-Za-z])[Mm]oments?(?![a-z])": "iteration space, or the step",
    r"[Rr]ounds(?![a-z])": "loop summary, or iteration",
    r"[Hh]anded|[Hh]anding": "forwarding",
    r"(?<![A-Za-z])[Ll]ate(?![a-z])": "dynamic op",
    r"found_?[Oo]ut|found_?[Aa]t(?![a-z])": "auxiliary values, process values",
    r"(?<![A-Za-z])behind(?![a-z])": "compose",
    r"(?<![A-Za-z_])kin(?![A-Za-z])": "shared caches",
    r"[Ee]xcuses": "known insensitive",
    r"(?<![A-Za-z])[Tt]aps?(?![a-z])": "window positions",
    r"(?<![A-Za-z])[Ii]nk(?![a-z])": "colour scale",
    r"(?<![A-Za-z])[Tt]ogether(?![a-z])": "lockstep",
    r"(?<![A-Za-z])[Ss]eeing(?![a-z])": "process view",
    r"[Jj]udged|[Bb]lamed": "a verb or a noun",
    r"(?<![A-Za-z])[Ss]eed_?2024|SEED_2024": "xla-2024",
}
"""Patterns of parts of identifiers and file names, and what to say instead."""

PHRASES: dict[str, str] = {
    r"\b[Hh]ang(?:s|ing)? on\b|\b[Hh]ung on\b": "depends on",
    r"\b[Ss]tands? here\b|\b[Ss]tands? there\b": "appears here",
    r"\bwho stands where\b": "the position of each process",
    r"\bNot wanted\b": "say what is not wanted, and why",
    r"\bnot so anyway\b": "say what already holds",
}
"""In comments, docstrings, labels and pages."""

PARTICIPLE = re.compile(
    r"(?!.*(?:need|feed|seed|speed|embed)$)[a-z]{3,}ed"
    r"|bound|broken|brought|built|chosen|done|drawn|found|given|gone|grown|held|kept|known|laid|left|lost|made|meant"
    r"|met|paid|said|seen|sent|shown|sold|spent|spoken|stood|taken|taught|thought|told|understood|woven|written"
)
"""What a function is not named by: its name says what it does or returns."""

_NAME = re.compile("|".join(NAMES))
_PHRASE = re.compile("|".join(PHRASES))
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')


def private_names(tree: Tree) -> list[str]:
    """Each identifier or file name with a private word, once a file."""
    found: list[str] = []
    for name in [*tree.python, *tree.javascript]:
        words = {word for word in _identifiers(tree, name) if _NAME.search(word)}
        found += [f"{name}: {word}" for word in sorted(words)]
        found += [f"{name}: the file" for part in [name.rsplit("/", 1)[-1]] if _NAME.search(part)]
    return found


def participles(tree: Tree) -> list[str]:
    """Each function whose name is a participle alone, such as `converted` or `_found`; a property may be a state."""
    return [
        f"{name}:{node.lineno}: {node.name}"
        for name, parsed in tree.parsed.items()
        for node in ast.walk(parsed)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and PARTICIPLE.fullmatch(node.name.strip("_"))
        and not any("property" in ast.unparse(each) for each in node.decorator_list)
    ]


def private_phrases(tree: Tree) -> list[str]:
    """Each line with a private phrase, in code and in what users read."""
    files = [*tree.python, *tree.javascript, *tree.files("templates", ".html"), *tree.files("docs", ".md")]
    files += [name for name in ("README.md", "CONTRIBUTING.md") if (tree.root / name).is_file()]
    return [
        f"{name}:{number}: {found.group()}"
        for name in files
        for number, line in enumerate(tree.text(name).splitlines(), 1)
        if (found := _PHRASE.search(line))
    ]


def _identifiers(tree: Tree, name: str) -> set[str]:
    if name.endswith(".js"):
        return set(_IDENTIFIER.findall(_STRING.sub('""', tree.code(name))))
    tokens = tokenize.generate_tokens(io.StringIO(tree.text(name)).readline)
    return {token.string for token in tokens if token.type == tokenize.NAME}
