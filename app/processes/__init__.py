"""Child processes: started, confined, and spoken to in frames of JSON and buffers."""
