"""Programs run here: in worker processes that may be killed at any time, under a supervisor that replays."""
