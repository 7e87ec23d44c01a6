"""What hloscope's speed is, measured side by side with what computes the same: `make bench`."""
