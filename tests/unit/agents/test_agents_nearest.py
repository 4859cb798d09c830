"""What is found where nothing has all the words that were said."""

import pytest

from assistant.values import Partial


@pytest.fixture
def box(office):
    office.mail("1", "anna", "Your order 7741", "20 09:00", body="The paper has left our shop.", thread="t1")
    office.mail("2", "tom", "Password", "22 12:00", body="It expires tomorrow.")
    office.mail("3", "rita", "Press day", "21 07:00", body="See you on Friday.")
    office.event("e1", "Lamp presentation", "24 10:00", "24 11:00")
    office.event("e2", "Lamp delivery", "25 10:00", "25 11:00")
    return office


async def test_the_mail_with_most_of_the_words_is_shown_and_said_to_lack_the_rest(box, say):
    report = await box.report("mail.find", select=say.which("purple", "order", "7741"))
    assert isinstance(report, Partial)
    assert [mail.id for mail in report.data.mails] == ["1"]
    assert "“purple”" in report.limitations[0] and "“order” and “7741”" in report.limitations[0]


@pytest.mark.parametrize("words", [("zeppelin",), ("zeppelins", "airships", "password"), ("zeppelin order",)])
async def test_less_than_half_of_them_or_a_phrase_is_nothing(box, say, words):
    assert not (await box.data("mail.find", select=say.which(*words))).mails


async def test_a_write_takes_the_only_one_and_says_so(box, say):
    data = await box.data("mail.flag", select=say.which("purple", "order", "7741"))
    assert [proposal.action.mail.id for proposal in data.proposals] == ["1"]
    assert any("“purple”" in guess for guess in data.proposals[0].guesses)


async def test_a_write_does_not_choose_among_several(box, say):
    question = await box.asks("event.cancel", select=say.which("lamp", "workshop"))
    assert [choice.label.partition(",")[0] for choice in question.choices] == ["Lamp presentation", "Lamp delivery"]


@pytest.mark.parametrize("operation", ["mail.count", "mail.check"])
async def test_counts_and_checks_take_the_words_as_they_are(box, say, operation):
    data = await box.data(operation, select=say.which("purple", "order", "7741"))
    assert not data.count and not data.truth


async def test_all_that_there_are_is_never_widened(box, say):
    await box.fails("mail.trash", select=say.which("purple", "order", each=True))
