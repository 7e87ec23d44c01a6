"""The data model of index maps: expressions, intervals and maps, with their arithmetic."""
