"""All that is emulated."""

from doubles.graph import calendar, contacts, mail, profile
from doubles.graph.serving import Operations

OPERATIONS = Operations(
    {**profile.HANDLERS, **mail.HANDLERS, **calendar.HANDLERS, **contacts.HANDLERS},
    {**mail.MODELS, **calendar.MODELS, **contacts.MODELS},
    {**profile.ANSWERS, **mail.ANSWERS, **calendar.ANSWERS, **contacts.ANSWERS},
)
