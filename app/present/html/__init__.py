"""Values, programs and maps as HTML without scripts; notebooks show it without a kernel."""

from .maps import first_html, maps_html
from .programs import program_html
from .values import value_html

__all__ = ["first_html", "maps_html", "program_html", "value_html"]
