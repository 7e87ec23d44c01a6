"""The playground: a form for one op alone, and its result for the user's input.

`forms` describes, `evaluate` responds, in a worker. No other page uses this package.
"""

from .forms import form_json, form_list, form_of, has_form

__all__ = ["form_json", "form_list", "form_of", "has_form"]
