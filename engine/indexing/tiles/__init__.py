"""Tiles through index maps: offset, size and stride of the part of an operand that a tile needs."""
