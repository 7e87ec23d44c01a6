"""What XLA dumps between its passes: names and texts in, records out."""
