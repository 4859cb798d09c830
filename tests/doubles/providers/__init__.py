"""The providers that the crash bench and the tests of lost replies run against.

A further one is a subclass of `ProviderDouble` over whatever fakes its service: how the registry opens its accounts (`config`), how
things get into them (`stock`), how often a write took effect (`effects`: from the service's log or, by `Standing`, from what
can be read), how a connection is lost (`lose`). Its name here is all that the bench and the tests need besides.
"""

from doubles.providers.base import ProviderDouble
from doubles.providers.google import Google
from doubles.providers.local import Folders
from doubles.providers.microsoft import Microsoft
from doubles.providers.remote import Mute, Remote
from doubles.providers.standards import Standards

DOUBLES: dict[str, type[ProviderDouble]] = {
    "local": Folders,
    "double": Remote,
    "mute": Mute,
    "google": Google,
    "microsoft": Microsoft,
    "imap": Standards,
}
