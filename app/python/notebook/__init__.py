"""The debugger in a notebook cell: the page, served by the kernel that has the recording."""
