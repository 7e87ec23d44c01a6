"""`hloscope lsp`: a language server for StableHLO and HLO text, over standard input and output."""
