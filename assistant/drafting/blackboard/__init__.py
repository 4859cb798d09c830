"""The blackboard: agents of different parts write on one board until a decider finds the answer on it."""

from assistant.drafting.blackboard.asking import Limits, Mind
from assistant.drafting.blackboard.engine import Blackboard
from assistant.drafting.blackboard.prompts import PromptProfile

__all__ = ["Blackboard", "Limits", "Mind", "PromptProfile"]
