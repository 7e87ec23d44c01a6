"""The playground: a form for one op alone, and the answer to what one types into it.

`forms` describes, `evaluate` answers, in a worker. Nothing here is used by the other pages.
"""

from .forms import form_json, form_list, form_of, has_form

__all__ = ["form_json", "form_list", "form_of", "has_form"]
