"""Settings, errors, logs, cache keys and machine limits for every room."""
