"""Programs that are wrong, and what is said about them."""
