"""What may be chosen on the command line, for which no command has to be loaded."""

LANGUAGES = ("hlo", "stablehlo", "generic")
STYLES = ("seed", "xla")
DIRECTIONS = {"output-to-input": (False,), "input-to-output": (True,), "both": (False, True)}
"""Whether maps are inverse, in the order in which they are printed."""
