"""Values, programs and maps as HTML without scripts; notebooks show it without a kernel."""
