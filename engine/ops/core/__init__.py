"""Everything that the families of ops share. Each group uses only the groups above it.

- Processes: `process_groups`, and `exchanges` for requests to other processes.
- Arithmetic: `values`, `numeric`, `complex_functions`, `quantization`, `blas`, `quiet`.
- Errors and faults: `ranks`, `faults`, `causes`, `index_faults`, `integer_wraps`, `fold_wraps`, `devices`, `rounding`,
  `nudging`, `fold_bounds`.
- `facets/`: the concerns besides the specification's parts, one file each.
- The op: `op`, with `field_plans` and `binding` (fields from the text), and `registry` (families, ops by name).
- Constraints: `rules`, `kinds`, `regions`, `scalars`, `elided`.
- Bodies of reduce and similar ops: `bodies`, `body_reads`.
- Base classes: `bases` (forwarding, moving, selecting, stated sizes, partitioned) and `dynamic_op`.
- Maps: `map_operands`, `integer_folding`.
"""
