"""The language server and the debug adapter, over standard input and output."""
