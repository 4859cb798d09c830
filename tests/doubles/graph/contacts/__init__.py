"""Contacts and their folders."""

from doubles.graph.contacts.book import AddressBook, Contact
from doubles.graph.contacts.contacts import ANSWERS, HANDLERS, MODELS

__all__ = ["ANSWERS", "HANDLERS", "MODELS", "AddressBook", "Contact"]
