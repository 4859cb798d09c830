"""Several who write, and how they come to one text."""

import logging

logging.getLogger(__name__).addHandler(logging.NullHandler())  # what happens is told to people; the log is for whoever wants it
