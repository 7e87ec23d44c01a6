"""The engine's data as JSON and bytes for the browser; no other folder decides a wire form."""

from .chunks import Chunk, chunk_count, frames_chunk, outline_chunk
from .elements import Wire, wire_of
from .input_specs import input_spec, input_spec_json
from .nonfinite import nonfinite_element
from .npy import npy_bytes
from .numbers import json_number
from .ops import op_details
from .program import entries, location_text, program_table
from .source_offsets import Offsets, diagnostic, diagnostics
from .summary import short_type, summary_without_value, value_summary, value_text
from .thumbnails import thumbnail
from .types import layout_json, type_text
from .value_windows import Window, WindowError, window_bytes

__all__ = [
    "Chunk",
    "Offsets",
    "Window",
    "WindowError",
    "Wire",
    "chunk_count",
    "diagnostic",
    "diagnostics",
    "entries",
    "frames_chunk",
    "input_spec",
    "input_spec_json",
    "json_number",
    "layout_json",
    "location_text",
    "nonfinite_element",
    "npy_bytes",
    "op_details",
    "outline_chunk",
    "program_table",
    "short_type",
    "summary_without_value",
    "thumbnail",
    "type_text",
    "value_summary",
    "value_text",
    "window_bytes",
    "wire_of",
]
