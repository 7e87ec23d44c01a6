"""Numbers from index maps: what is read and how often, who writes twice, what a warp touches."""
