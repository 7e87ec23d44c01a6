"""Numbers in JSON."""

from typing import Literal, TypeAlias

JsonNumber: TypeAlias = int | float | str
"""A number, or text if JSON or JavaScript would change it: NaN, infinities, integers beyond 2^53."""
WireType: TypeAlias = Literal["f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
