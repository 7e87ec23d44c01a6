"""A recording as one page that opens offline from the disk, to step through it.

The page holds the server's responses, by the same paths: `collecting` makes the requests, `table` keeps the
responses, `page` writes them into a page, and `reading` finds the program in such a page again.
"""
