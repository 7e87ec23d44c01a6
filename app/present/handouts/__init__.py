"""A step of a run without scripts: as one SVG for other sites, and as pages to print."""
