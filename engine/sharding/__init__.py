"""Shardings: the part of each tensor that each device of a mesh holds.

This package has the notation alone: meshes, HLO's and Shardy's shardings as data, parsed from text, and `Tiling`, their
common form. `engine/ops/sharded_parts` cuts values into parts and joins them, with the index maps of both;
`engine/sharded_runs` cuts the inputs of a run, joins its results, and finds the sharding of each shown value. The ops are
in `engine/ops/sharding`, the syntax is in `engine/syntax`, which does not interpret shardings.
"""
