"""What models write while they deliberate holds only what can be seen."""

import json

import pytest

from assistant.drafting.calls import arguments_of
from assistant.llm.messages import ToolCall

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")


@pytest.mark.parametrize("escaped", [True, False])
def test_the_arguments_of_a_call_hold_no_hidden_text(escaped: bool) -> None:
    given = json.dumps({"content": f"Dear Anna,{TAGS}\u202e\n\tYes.", "left": 3}, ensure_ascii=escaped)
    assert arguments_of(ToolCall(id="1", name="new_answer", arguments=given)) == {"content": "Dear Anna,\n\tYes.", "left": 3}
