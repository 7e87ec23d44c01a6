"""Statistics of index maps: reads and reuse, duplicate writes, memory accesses of a warp."""
