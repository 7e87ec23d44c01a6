"""Parts of a sharded value: cutting, joining, and the index maps between whole values and parts."""
