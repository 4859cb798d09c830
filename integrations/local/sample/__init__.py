"""The sample account: a mailbox, calendars and an address book laid out around today."""

from integrations.local.sample.builder import make_sample

__all__ = ["make_sample"]
