"""`hloscope dap`: the Debug Adapter Protocol over standard input and output."""
