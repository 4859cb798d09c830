"""What a turn with a model in trouble looks like, and what there is on disk."""

from pathlib import Path

from assistant.facade import Turn


def kept(turn: Turn) -> bool:
    """The request waits, and the user is asked how to go on."""
    return (
        turn.status == "waiting"
        and turn.question is not None
        and [choice.value for choice in turn.question.choices] == ["again", "offline", "stop"]
        and turn.question.text in turn.reply
    )


def clear(turn: Turn) -> bool:
    """One sentence for people, then the offer."""
    trouble = turn.reply.partition(" Your request is kept.")[0]
    return trouble.endswith(".") and "Traceback" not in trouble and "Error" not in trouble and len(trouble) < 250


def written(home: Path) -> list[str]:
    """What there is in the sample's folders into which the assistant writes."""
    folders = [home / "sample" / "mail" / name for name in (".Outbox", ".Drafts", ".Archive", ".Trash")]
    return sorted(str(path) for folder in folders for path in folder.rglob("*") if path.is_file())
