"""`hloscope dap`: the Debug Adapter Protocol over standard input and output, so that editors step through programs."""
