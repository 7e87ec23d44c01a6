"""The playground: a form for one op alone, and its result for the user's input.

`forms` describes, `evaluate` responds, in a worker. No other page uses this package.
"""
