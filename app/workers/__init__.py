"""Worker processes that run programs, and the supervisor that replays a killed one."""
