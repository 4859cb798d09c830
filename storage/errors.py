"""What can go wrong with stored data. `str(error)` is one sentence for people."""


class StorageError(Exception):
    """Nothing of the transaction took effect."""


class DiskFull(StorageError):
    pass


class Unwritable(StorageError):
    """The file or its folder is missing, read-only or belongs to somebody else."""


class CorruptDatabase(StorageError):
    pass


class NewerDatabase(StorageError):
    """A later version of the program has upgraded it."""


class DatabaseLocked(StorageError):
    """Another process held it for longer than the time-out."""


class Duplicate(StorageError):
    """A row of that id, name, key or position is there already."""


class StaleVersion(StorageError):
    """A flow was changed by somebody else, or is leased to another owner, since it was read."""
