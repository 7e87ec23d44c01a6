"""The playground: a form for one op alone, and the answer to what one types into it.

`forms` describes, `answering` answers, in a worker. Nothing here is used by the other pages.
"""

from .forms import described, form_of, has_form, listed

__all__ = ["described", "form_of", "has_form", "listed"]
