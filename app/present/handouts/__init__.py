"""A moment of a run without scripts: as one SVG for a page of another site, as pages to print."""

from .page import handout_html
from .picture import picture_svg
from .place import Moment, find_moment

__all__ = ["Moment", "find_moment", "handout_html", "picture_svg"]
