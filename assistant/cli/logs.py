"""What is noted while a command runs, for somebody at a terminal: one line each, never a traceback."""

import logging


class _Sentences(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        why = " ".join(str(record.exc_info[1]).split()) if record.exc_info else ""
        return f"assistant: {record.getMessage()} {why}".rstrip()


def log_in_sentences() -> None:
    """Where nothing else has been set up for logging."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_Sentences())
