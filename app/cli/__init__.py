"""What `hloscope check`, `hloscope maps`, `hloscope print` and `hloscope run` do.

The command line imports the one that it runs: each loads what it needs, and starts the sooner.
"""
