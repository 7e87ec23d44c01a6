"""hloscope's public face: the one name that programs and notebooks import."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("hloscope")
