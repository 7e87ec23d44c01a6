"""Tiles through index maps: offset, size and stride of what a tile of one tensor needs of another."""
