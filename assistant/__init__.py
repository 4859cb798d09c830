"""A personal assistant for mail, calendar and contacts that asks before it acts, and acts exactly once."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assistant.bootstrap import LocalAccount, open_assistant

__all__ = ["LocalAccount", "open_assistant"]


def __getattr__(name: str) -> Any:
    # Loaded on first use, so that the command line can show its help at once.
    if name in __all__:
        from assistant import bootstrap

        return getattr(bootstrap, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
