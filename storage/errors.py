"""What can go wrong with stored data. `str(error)` is one sentence for people."""


class StorageError(Exception):
    """Nothing of the transaction took effect."""


class DiskFull(StorageError):
    pass


class Unwritable(StorageError):
    """The file or its folder is missing, read-only or belongs to somebody else; the server does not let this user write."""


class CorruptDatabase(StorageError):
    pass


class NewerDatabase(StorageError):
    """A later version of the program has upgraded it."""


class DatabaseLocked(StorageError):
    """Another process held it for longer than the time-out."""


class Unreachable(StorageError):
    """There is no connection to the server."""


class Uncertain(Unreachable):
    """The connection was lost at the commit, and the server can't be asked whether the transaction took effect."""


class BrokenOff(StorageError):
    """The server ended the transaction for no fault of its work, which may be run anew."""


class Duplicate(StorageError):
    """A row of that id, name, key or position is there already."""


class StaleVersion(StorageError):
    """A flow was changed by somebody else, or is leased to another owner, since it was read."""


class BadBackup(StorageError):
    """The file is no backup, is damaged, or was made by a newer version."""
