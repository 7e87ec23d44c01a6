"""Texts of index maps: both printed styles, their parser, and maps in English (docs/index-maps.md)."""
