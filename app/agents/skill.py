"""The skill: how an agent finds a fault, by worked cases. `SKILL.md` is beside this module."""

from pathlib import Path


def skill_text() -> str:
    """The text of SKILL.md."""
    return (Path(__file__).parent / "SKILL.md").read_text("utf-8")
