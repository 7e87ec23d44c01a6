"""The command line: `main.py` lists the commands, each of which is a module."""
