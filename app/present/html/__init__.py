"""Values, programs and maps as HTML without scripts: what a notebook keeps, and shows where no kernel runs."""

from .maps import first_html, maps_html
from .programs import program_html
from .values import value_html

__all__ = ["first_html", "maps_html", "program_html", "value_html"]
