"""A step of a run without scripts: as one SVG for other sites, and as pages to print."""

from .page import handout_html
from .picture import picture_svg
from .step_view import StepView, find_step_view

__all__ = ["StepView", "find_step_view", "handout_html", "picture_svg"]
