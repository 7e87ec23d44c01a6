"""Shardings: the part of each tensor that each device of a mesh holds.

Three layers, from the bottom up; this package itself imports nothing:

    notation   above `ir`: meshes, HLO's and Shardy's shardings as data, parsed from text; `Tiling`, their common form
    parts      above `ops.core`: cutting values into parts, joining them, and the index maps of both
    runs       above `program`: cutting inputs of a run, joining its results, and the sharding of each shown value

The ops are in `engine/ops/sharding`, the syntax is in `engine/syntax`, which does not interpret shardings.
"""
