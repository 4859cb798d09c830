import pytest

from assistant.reasoning.offline.saying.verdicts import value_in, verdict


@pytest.mark.parametrize(
    ("question", "sentence", "verdict_"),
    [
        ("is the permit granted?", "The permit is granted.", True),
        ("check whether the permit is granted", "The permit was granted on Friday.", True),
        ("is the permit granted?", "The permit has not been granted yet.", False),
        ("has the offer been accepted?", "We can't say that the offer is accepted.", False),
        ("is the permit granted?", "If the permit is granted, we begin in March.", None),
        ("is the permit granted?", "Has the permit been granted?", None),
        ("is the permit granted?", "The permit lies on my desk.", None),
        ("is the reserve 3,000 euros?", "The reserve is 4,000 euros now.", None),
        ("when is the permit granted?", "The permit is granted.", None),
    ],
)
def test_a_sentence_says_yes_or_no_only_where_it_speaks_of_all_that_is_asked(question, sentence, verdict_) -> None:
    assert verdict(question, sentence) is verdict_


@pytest.mark.parametrize(
    ("question", "sentence", "value"),
    [
        ("when is the fair?", "The fair is on 12 December at 3 pm in the mill.", "12 December at 3 pm"),
        ("when does the concrete come?", "The concrete comes on 23 November instead of 19 November.", "23 November"),
        ("when is the rent due?", "The rent of 900 euros is due October 1, 2022.", "October 1, 2022"),
        ("how much is the roof?", "All 24 windows and the roof cost €12,400.", "€12,400"),
        ("what's the reference number?", "Its reference number is R-4471.", "R-4471"),
        ("what is the link?", "Go to https://example.org/x to sign.", "https://example.org/x"),
        ("what is my score?", "Your score is 93.", "93"),
        ("what did she say?", "The fair is on 12 December.", ""),
        ("when is the fair?", "The fair is soon.", ""),
    ],
)
def test_the_value_asked_for_is_taken_out_of_its_sentence(question, sentence, value) -> None:
    assert value_in(question, sentence) == value
