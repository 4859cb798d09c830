"""What the email agent finds and answers."""

from datetime import timedelta

import pytest

from assistant.agents.report import CLEAN
from assistant.values import Partial, Success
from integrations.errors import AuthExpired, Unavailable
from integrations.types import Address, Attachment, Skipped

FILE = Attachment(part="2", filename="a.pdf", content_type="application/pdf", size=10)


@pytest.fixture
def box(office):
    office.mail("1", "anna", "Budget 2027", "20 09:00", body="The budget approval is due on Friday.", thread="t1")
    office.mail("2", "tom", "Lunch", "22 12:00", unread=True)
    office.mail("3", "anna", "Contract", "23 08:00", unread=True, attachments=(FILE,))
    office.mail("4", "me", "Proposal", "18 10:00", thread="t4", to=(office_address("dsmith"),))
    office.mail("5", "rita", "Newsletter", "21 07:00", bulk=True)
    return office


def office_address(who):
    from integrations.types import Address

    return {"dsmith": Address(email="david.smith@acme.example", name="David Smith")}[who]


def ids(data):
    return [mail.id for mail in data.mails]


async def test_mails_are_found_by_sender_newest_first(box, say):
    data = await box.data("mail.find", select=say.which(people=(say.who("Anna", role="from"),)))
    assert ids(data) == ["3", "1"]
    assert data.total == 2
    assert data.heading == "mails from Anna"


async def test_a_phrase_is_searched_as_it_is(box, say):
    assert ids(await box.data("mail.find", select=say.which("budget approval"))) == ["1"]


async def test_words_in_another_order_are_found_and_said_to_be_a_guess(box, say):
    report = await box.report("mail.find", select=say.which("approval budget"))
    assert isinstance(report, Partial)
    assert ids(report.data) == ["1"]
    assert "any order" in report.limitations[0]
    assert report.confidence < CLEAN


async def test_a_range_includes_its_start_and_excludes_its_end(box, say):
    when = say.span("20 09:00", "22 12:00")
    assert ids(await box.data("mail.find", select=say.which(when=when))) == ["5", "1"]


@pytest.mark.parametrize(
    ("state", "expected"),
    [({"unread": True}, ["3", "2"]), ({"has_attachment": True}, ["3"]), ({"bulk": True}, ["5"]), ({"folder": "sent"}, ["4"])],
)
async def test_mails_are_selected_by_state(box, say, state, expected):
    assert ids(await box.data("mail.find", select=say.which(**state))) == expected


async def test_all_parts_of_a_selection_hold_together(box, say):
    select = say.which(people=(say.who("Anna", role="from"),), unread=True)
    assert ids(await box.data("mail.find", select=select)) == ["3"]


async def test_a_nickname_is_searched_by_its_addresses(box, say):
    assert ids(await box.data("mail.find", select=say.which(people=(say.who("Annie", role="from"),)))) == ["3", "1"]


async def test_a_groups_mails_are_those_of_its_members(box, say):
    assert ids(await box.data("mail.find", select=say.which(people=(say.who("the marketing team", role="from"),)))) == ["2"]


async def test_a_companys_mails_are_those_of_its_people(box, say):
    assert ids(await box.data("mail.find", select=say.which(company="Acme"))) == ["3", "1", "4"]


async def test_finding_nothing_is_an_answer(box, say):
    report = await box.report("mail.find", select=say.which("zeppelin"))
    assert isinstance(report, Success)
    assert report.data.mails == ()
    assert report.confidence == CLEAN


async def test_an_unknown_folder_is_named_with_those_there_are(box, say):
    failure = await box.fails("mail.find", select=say.which(folder="Taxes"))
    assert failure.type == "not_found"
    assert "INBOX" in failure.message


async def test_the_last_mail_is_the_newest(box, say):
    data = await box.data("mail.read", select=say.which(people=(say.who("Anna", role="from"),), order="last"))
    assert ids(data) == ["3"]
    assert data.mails[0].body


async def test_the_first_mail_is_the_oldest(box, say):
    data = await box.data("mail.read", select=say.which(people=(say.who("Anna", role="from"),), order="first"))
    assert ids(data) == ["1"]


async def test_the_last_two_are_the_newest_two(box, say):
    assert ids(await box.data("mail.find", select=say.which(order="last", number=2))) == ["3", "2"]


async def test_the_second_of_what_was_shown_counts_as_shown(box, say):
    box.results["shown"] = await box.data("mail.find", select=say.which(people=("Anna",)))
    data = await box.data("mail.read", select=say.which(refs=("shown",), order="nth", number=2))
    assert ids(data) == ["1"]


async def test_a_reference_can_be_narrowed_further(box, say):
    box.results["2"] = await box.data("mail.find", select=say.which(people=("Anna",)))
    assert ids(await box.data("mail.find", select=say.which(refs=("2",), unread=True))) == ["3"]


async def test_a_reference_to_nothing_shown_is_said_plainly(box, say):
    failure = await box.fails("mail.read", select=say.which(refs=("shown",)))
    assert failure.type == "not_found"
    assert "nothing was shown" in failure.message


async def test_counting_counts_all(box, say):
    data = await box.data("mail.count", select=say.which(people=(say.who("Anna", role="from"),)))
    assert (data.kind, data.count) == ("count", 2)


async def test_a_summary_is_the_reasoners_over_full_texts(box, say):
    data = await box.data("mail.summarise", select=say.which(unread=True, each=True))
    assert data.kind == "text"
    assert data.text == "Contract: About Contract. | Lunch: About Lunch."


async def test_a_check_is_true_where_there_is_such_a_mail(box, say):
    data = await box.data("mail.check", select=say.which(people=(say.who("Tom", role="from"),), when=say.day(22)))
    assert data.truth is True
    assert ids(data) == ["2"]


async def test_a_check_is_false_where_there_is_none(box, say):
    data = await box.data("mail.check", select=say.which(people=(say.who("Tom", role="from"),), when=say.day(21)))
    assert data.truth is False


async def test_a_reply_is_an_answer_by_others_in_the_thread_of_what_was_sent(box, say):
    box.mail("6", "dsmith", "Re: Proposal", "19 09:00", thread="t4")
    data = await box.data("mail.check", question="reply", select=say.which("proposal", people=("David Smith",)))
    assert data.truth is True
    assert ids(data) == ["6"]


async def test_without_an_answer_the_check_is_false(box, say):
    data = await box.data("mail.check", question="reply", select=say.which("proposal", people=("David Smith",)))
    assert data.truth is False
    assert data.heading == 'answers to your mails to David Smith about "proposal"'


async def test_the_users_own_follow_up_is_no_reply(box, say):
    box.mail("6", "me", "Re: Proposal", "19 09:00", thread="t4")
    assert (await box.data("mail.check", question="reply", select=say.which("proposal"))).truth is False


async def test_an_unknown_client_is_left_out_of_the_check_and_that_is_said(box, say):
    box.mail("6", "dsmith", "Re: Proposal", "19 09:00", thread="t4")
    report = await box.report("mail.check", question="reply", select=say.which("proposal", people=("the client",)))
    assert isinstance(report, Partial)
    assert report.data.truth is True
    assert "the client" in report.limitations[0]


async def test_replies_to_yesterdays_message(box, say):
    box.mail("7", "me", "Plan", "22 09:00", thread="t7")
    box.mail("8", "tom", "Re: Plan", "23 09:00", thread="t7")
    data = await box.data("mail.check", question="reply", select=say.which(when=say.day(22)))
    assert data.truth is True
    assert ids(data) == ["8"]


async def test_unanswered_are_the_threads_where_others_have_the_last_word(box, say):
    box.mail("9", "me", "Re: Budget 2027", "21 10:00", thread="t1")
    assert ids(await box.data("mail.unanswered")) == ["3", "2"]


async def test_bulk_mail_needs_no_answer(box):
    assert "5" not in ids(await box.data("mail.unanswered"))


async def test_a_later_mail_in_an_answered_thread_is_unanswered_again(box):
    box.mail("9", "me", "Re: Budget 2027", "21 10:00", thread="t1")
    box.mail("10", "anna", "Re: Budget 2027", "22 10:00", thread="t1")
    assert ids(await box.data("mail.unanswered")) == ["3", "2", "10"]


async def test_an_answer_waiting_in_the_outbox_counts_as_answered(box):
    box.mail("9", "me", "Re: Lunch", "22 14:00", thread="2", folder="Outbox")
    assert "2" not in ids(await box.data("mail.unanswered"))


async def test_who_has_not_answered_me_are_the_sent_mails_without_a_later_answer(box):
    box.mail("9", "me", "Question", "20 14:00", thread="t9")
    box.mail("10", "anna", "Re: Question", "21 14:00", thread="t9")
    assert ids(await box.data("mail.unanswered", field="them")) == ["4"]


async def test_items_that_could_not_be_read_are_a_limitation(box, say):
    box.skipped = (Skipped(where="INBOX/cur/9", reason="no headers"),)
    report = await box.report("mail.find", select=say.which("budget"))
    assert isinstance(report, Partial)
    assert report.limitations == ("1 item could not be read (INBOX/cur/9: no headers)",)


async def test_a_calendar_or_folder_that_could_not_be_read_is_no_item(box, say):
    box.skipped = (Skipped(where="INBOX/cur/9", reason="no headers"), Skipped(where="Club", reason="No longer shared.", whole=True))
    report = await box.report("mail.find", select=say.which("budget"))
    assert report.limitations == (
        "Club could not be read (No longer shared)",
        "1 item could not be read (INBOX/cur/9: no headers)",
    )


@pytest.mark.parametrize(
    ("error", "kind"), [(AuthExpired("Connect it again.", "work"), "auth_expired"), (Unavailable("Out of reach."), "api_down")]
)
async def test_a_providers_error_becomes_a_failure_of_its_kind(box, say, monkeypatch, error, kind):
    async def broken(self, query):
        raise error

    monkeypatch.setattr(say.memory.MemoryMail, "search", broken)
    failure = await box.fails("mail.find")
    assert failure.type == kind
    assert failure.message == str(error)
    assert failure.context["operation"] == "mail.find"


async def test_what_another_agent_does_is_not_understood(box):
    from assistant.agents.email import EmailAgent
    from assistant.reasoning.calls import Call

    report = await EmailAgent().perform(Call(operation="contact.count"), box.desk)
    assert report.status == "error"
    assert report.type == "not_understood"
    assert "with mail I can" in report.message


async def test_a_point_in_time_stands_for_its_hour(box, say):
    box.mail("20", "tom", "Early", "23 09:30")
    when = say.point("23 09:00")
    assert ids(await box.data("mail.find", select=say.which(when=when))) == ["20"]


async def test_templates_are_listed(box):
    data = await box.data("template.list")
    assert data.kind == "templates"
    assert "thanks: Hi {name}" in data.text


async def test_an_answer_is_the_sentence_with_its_mail(box, say):
    pytest.importorskip("assistant.reasoning.offline.saying.summary")
    select = say.which("budget", "approval")
    data = await box.data("mail.answer", question="when is the budget approval due?", select=select)
    assert "Friday" in data.text
    assert ids(data) == ["1"]


async def test_a_question_that_no_mail_answers_gets_that_as_the_answer(box, say):
    pytest.importorskip("assistant.reasoning.offline.saying.summary")
    data = await box.data("mail.answer", question="what is the wifi password?", select=say.which("wifi", "password"))
    assert data.kind == "nothing"
    assert not data.mails


async def test_the_window_of_unanswered_mail_is_a_month(box):
    box.mail("old", "tom", "Long ago", "1 09:00", thread="old")
    box.now = box.now + timedelta(days=20)
    assert "old" not in ids(await box.data("mail.unanswered"))


async def test_what_needs_attention_comes_with_its_reasons(box):
    box.mail("q", "anna", "Question", "23 09:00", body="Can you send me the numbers by tomorrow?", unread=True)
    data = await box.data("mail.attention")
    assert ids(data)[0] == "q"
    assert len(data.reasons) == len(data.mails)
    assert data.reasons[0]


async def test_what_is_asked_at_the_end_of_a_long_mail_needs_attention_too(box):
    long = "We talked about it at length, and all of us agreed. " * 9
    box.mail("q", "anna", "Talks", "23 09:00", body=f"{long}Can you send me the numbers?")
    data = await box.data("mail.attention")
    found = dict(zip(ids(data), data.reasons, strict=True))
    assert found["q"].startswith("asks you a question")
    assert all(mail.body == "" for mail in data.mails)


async def test_what_the_user_answered_last_does_not_need_attention_for_being_unanswered(box):
    box.mail("q", "anna", "Question", "22 09:00", body="Can you send me the numbers?", thread="tq")
    before = await box.data("mail.attention")
    box.mail("a", "me", "Re: Question", "22 10:00", thread="tq")
    after = await box.data("mail.attention")
    assert "q" in ids(before)
    rank = {mail.id: n for n, mail in enumerate(after.mails)}
    assert rank.get("q", len(rank)) >= ids(before).index("q")
    assert "unanswered" not in " ".join(r for m, r in zip(after.mails, after.reasons, strict=True) if m.id == "q")


async def test_only_the_person_asked_about_can_have_replied(box, say):
    box.mail("6", "tom", "Re: Proposal", "19 09:00", thread="t4")
    data = await box.data("mail.check", question="reply", select=say.which("proposal", people=("David Smith",)))
    assert data.truth is False


async def test_a_reply_by_somebody_the_mail_did_not_go_to_counts_when_they_are_asked_about(box, say):
    box.mail("6", "tom", "Re: Proposal", "19 09:00", thread="t4")
    data = await box.data("mail.check", question="reply", select=say.which("proposal", people=("Tom",)))
    assert data.truth is True


async def test_nobody_waits_for_an_answer_to_what_a_machine_sent(box):
    box.mail("11", "me", "Code", "22 15:00", thread="t11")
    bank = Address(email="no-reply@bank.example", name="Bank")
    box.mails[-1] = box.mails[-1].model_copy(update={"sender": bank, "folder": "INBOX", "body": "Your code is 1234."})
    assert "11" not in ids(await box.data("mail.unanswered"))


async def test_what_looks_like_phishing_answers_no_question(box, say):
    box.mail("12", "me", "Reunion", "22 15:00", thread="t12")
    forged = Address(email="info@paypa1.com", name="PayPal")
    box.mails[-1] = box.mails[-1].model_copy(
        update={"sender": forged, "folder": "INBOX", "body": "The zebra code is 99887 and you must confirm your account."}
    )
    data = await box.data("mail.answer", question="What is the zebra code?", select=say.which("zebra"))
    assert data.kind == "nothing"
    assert "phishing" in data.text


async def test_what_needs_attention_today_may_have_come_before(box, say):
    today = box.data("mail.attention", select=say.which(when=say.day(23)))
    assert ids(await today) == ids(await box.data("mail.attention"))
