"""Items as words again."""

from collections.abc import Sequence

from assistant.reasoning.offline.reading.entities import Item


def as_written(item: Item) -> str:
    return f'"{item.text}"' if item.kind == "quote" else f"{{{item.text}}}" if item.kind == "ref" else item.text


def said(items: Sequence[Item]) -> str:
    """As they were written, with one blank between words and quotes in quotation marks."""
    text = ""
    for n, item in enumerate(items):
        word = as_written(item)
        text += word if not n or item.begin == items[n - 1].end else f" {word}"
    return text
