"""Shardings: which part of which tensor each device of a mesh holds.

Three layers, each above the one before; nothing here is imported by the package itself:

`notation`  above `ir`: meshes, HLO's and Shardy's shardings as data, read from text; `Tiling`, which both become.
`parts`     above `ops.core`: cuts values into parts, joins parts to values, and says by which index maps.
`runs`      above `program`: cuts the inputs of a run, joins its results, and finds the sharding of each value shown.

The ops themselves are in `engine/ops/sharding`, with all other ops. The forms of their text are in `engine/syntax`, which
reads and prints without knowing what a sharding means.
"""
