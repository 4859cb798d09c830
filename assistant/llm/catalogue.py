"""The models that an endpoint lists, with what it says about them."""

from collections.abc import Mapping
from typing import Any

from integrations.types import Value

CONTEXT = ("loaded_context_length", "max_model_len", "context_length", "context_window", "max_context_length")
"""LM Studio's, vLLM's, OpenRouter's, Groq's and again LM Studio's name for it; llama.cpp's is within `meta`."""


class Offered(Value):
    """`context` in tokens, None where the endpoint does not tell."""

    name: str
    context: int | None = None


def offered(answer: object) -> tuple[Offered, ...]:
    """Raises ValueError for what is no list of models."""
    listed = answer.get("data") if isinstance(answer, Mapping) else answer
    if not isinstance(listed, list):
        raise ValueError("no list of models")
    models = (one for one in listed if isinstance(one, Mapping) and isinstance(one.get("id"), str))
    return tuple(Offered(name=model["id"], context=_context(model)) for model in models)


def _context(model: Mapping[str, Any]) -> int | None:
    meta = model.get("meta")
    told = [model.get(name) for name in CONTEXT]
    told += [meta.get(name) for name in ("n_ctx", "n_ctx_train")] if isinstance(meta, Mapping) else []
    return next((number for number in told if isinstance(number, int) and number > 0), None)
