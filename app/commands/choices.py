"""What may be chosen on the command line, for which no command has to be loaded."""

LANGUAGES = ("hlo", "stablehlo", "generic")
STYLES = ("xla", "xla-2024")
DIRECTIONS = {"output-to-input": (False,), "input-to-output": (True,), "both": (False, True)}
"""Whether maps are inverse, in the order in which they are printed."""


def find_style(text: str) -> str:
    """`seed` is what `xla-2024` was called before 0.1."""
    return "xla-2024" if text == "seed" else text
