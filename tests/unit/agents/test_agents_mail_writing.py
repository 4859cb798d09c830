"""What the email agent proposes."""

import pytest

from assistant.agents.composing import titled
from integrations.actions import DeleteDraft, DeleteTemplate, MarkMail, MoveMail, SaveDraft, SaveTemplate, SendMail
from integrations.types import Address


@pytest.fixture
def box(office):
    office.mail("1", "anna", "Budget", "20 09:00", thread="t1", cc=(Address(email="tom@office.example", name="Tom Lee"),))
    office.mail("2", "tom", "Lunch", "22 12:00", unread=True)
    office.mail("3", "anna", "Contract", "23 08:00", unread=True)
    return office


def emails(addresses):
    return [a.email for a in addresses]


async def test_dictated_words_are_taken_letter_for_letter(box, say):
    (action,) = await box.actions("mail.send", to=(say.who("Anna"),), body="I'll be late,  sorry!\nSam")
    assert isinstance(action, SendMail)
    assert action.body == "I'll be late,  sorry!\nSam"
    assert action.to == (Address(email="anna@acme.example", name="Anna Berg"),)
    assert action.subject == ""
    assert action.account == "work"


async def test_a_dictated_mail_has_no_brief(box, say):
    data = await box.data("mail.send", to=(say.who("Anna"),), body="x", subject="Hi")
    assert data.proposals[0].brief is None
    assert data.proposals[0].says == 'send "Hi" to Anna Berg'


async def test_what_was_not_dictated_becomes_a_brief(box, say):
    data = await box.data("mail.send", to=(say.who("Anna"),), about="the delay")
    brief = data.proposals[0].brief
    assert brief is not None
    assert (brief.kind, brief.about, emails(brief.to)) == ("mail", "the delay", ["anna@acme.example"])


async def test_a_mail_with_nothing_to_say_asks_what(box, say):
    ambiguity = await box.asks("mail.send", to=(say.who("Anna"),))
    assert ambiguity.question == "What should the mail to Anna Berg say?"
    assert ambiguity.choices == ()


async def test_the_answer_to_what_it_should_say_is_its_text(box, say):
    ambiguity = await box.asks("mail.send", to=(say.who("Anna"),))
    box.bindings[ambiguity.entity] = "See you at noon"
    (action,) = await box.actions("mail.send", to=(say.who("Anna"),))
    assert action.body == "See you at noon"


async def test_two_davids_become_a_question_with_choices_to_tell_them_apart(box, say):
    ambiguity = await box.asks("mail.send", to=(say.who("David"),), body="x")
    assert ambiguity.entity == "David"
    assert ambiguity.question == "Which David do you mean?"
    assert [c.label for c in ambiguity.choices] == [
        "David Chen <david.chen@bolt.example> (Bolt, Designer)",
        "David Smith <david.smith@acme.example> (Acme Corporation, Account manager)",
    ]


async def test_the_answered_david_is_used(box, say):
    box.bindings["David"] = "david.chen@bolt.example"
    (action,) = await box.actions("mail.send", to=(say.who("David"),), body="x")
    assert action.to == (Address(email="david.chen@bolt.example", name="David Chen"),)


async def test_a_full_name_is_no_question(box, say):
    (action,) = await box.actions("mail.send", to=(say.who("david smith"),), body="x")
    assert emails(action.to) == ["david.smith@acme.example"]


async def test_a_mistyped_name_is_asked_about_with_those_near_it(box, say):
    question = await box.asks("mail.send", to=(say.who("Sara Novac"),), body="x")
    assert question.question == "I know nobody called Sara Novac. Do you mean Sarah Novak?"
    assert [choice.value for choice in question.choices] == ["Sarah Novak"]


async def test_nobody_near_a_name_is_said(box, say):
    failure = await box.fails("mail.send", to=(say.who("Xaver"),), body="x")
    assert failure.type == "not_found"
    assert "I found nobody called Xaver" in failure.message


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Ms Berg", ["anna@acme.example"]), ("David from Bolt", ["david.chen@bolt.example"]),
        ("everyone at Acme", ["anna@acme.example", "david.smith@acme.example"]), ("the designer at Bolt",
        ["david.chen@bolt.example"]),
        ("all managers", ["anna@acme.example", "david.smith@acme.example"]), ("the sales manager", ["anna@acme.example"]),
    ],
)  # fmt: skip
async def test_people_are_found_by_what_their_cards_say(box, say, said, meant):
    (action,) = await box.actions("mail.send", to=(say.who(said),), body="x")
    assert sorted(emails(action.to)) == meant


async def test_whom_a_description_fits_twice_is_asked_about(box, say):
    question = await box.asks("mail.send", to=(say.who("the manager at Acme"),), body="x")
    assert len(question.choices) == 2


async def test_whoever_is_left_out_gets_nothing_on_any_line(box, say):
    gone = say.who("Tom", role="except")
    (action,) = await box.actions("mail.send", to=(say.who("Anna"), gone), cc=(say.who("the marketing team"),), body="x")
    assert (emails(action.to), emails(action.cc)) == (["anna@acme.example"], ["sarah@office.example"])


async def test_who_is_left_out_is_said(box, say):
    data = await box.data("mail.send", to=(say.who("the marketing team"), say.who("Tom", role="except")), body="x")
    assert "without Tom Lee" in data.proposals[0].notes


async def test_a_group_becomes_its_members(box, say):
    (action,) = await box.actions("mail.send", to=(say.who("the marketing team"),), body="x")
    assert emails(action.to) == ["tom@office.example", "sarah@office.example"] or emails(action.to) == [
        "sarah@office.example",
        "tom@office.example",
    ]


async def test_an_earlier_result_stands_for_its_addresses(box, say):
    box.results["1"] = await box.data("contact.address", select=say.which(people=("Anna",)))
    (action,) = await box.actions("mail.send", to=(say.who(ref="1"),), body="x")
    assert action.to == (Address(email="anna@acme.example", name="Anna Berg"),)


async def test_nobody_is_named_on_two_lines(box, say):
    (action,) = await box.actions("mail.send", to=(say.who("Anna"),), cc=(say.who("Annie"), say.who("Tom")), body="x")
    assert emails(action.cc) == ["tom@office.example"]


async def test_a_typed_address_is_taken_as_it_is(box, say):
    (action,) = await box.actions("mail.send", to=(say.who(email="New@Else.example"),), body="x")
    assert emails(action.to) == ["new@else.example"]


async def test_a_mail_to_nobody_is_not_understood(box):
    assert (await box.fails("mail.send", body="x")).type == "not_understood"


async def test_a_template_is_filled_with_the_first_name(box, say):
    (action,) = await box.actions("mail.send", to=(say.who("Anna"),), template="thanks")
    assert action.body == "Hi Anna, thanks a lot!"
    assert action.subject == "Thank you"


async def test_an_unknown_template_names_those_there_are(box, say):
    failure = await box.fails("mail.send", to=(say.who("Anna"),), template="sorry")
    assert failure.type == "not_found"
    assert "thanks" in failure.message


async def test_a_draft_is_saved_with_the_same_content(box, say):
    (action,) = await box.actions("mail.draft", to=(say.who("Anna"),), subject="S", body="b")
    assert action == SaveDraft(account="work", to=action.to, subject="S", body="b")


async def test_a_drafted_reply_answers_the_mail(box, say):
    (action,) = await box.actions("mail.draft", field="reply", body="ok", select=say.which("Lunch"))
    assert isinstance(action, SaveDraft)
    assert action.reply_to is not None and action.reply_to.id == "2"
    assert action.subject == "Re: Lunch"


async def test_a_reply_goes_to_the_sender_from_the_account_that_got_it(box, say):
    data = await box.data("mail.reply", select=say.which(people=(say.who("Tom", role="from"),), order="last"), body="Got it")
    (proposal,) = data.proposals
    assert proposal.action == SendMail(
        account="work",
        to=(Address(email="tom@office.example", name="Tom Lee"),),
        subject="Re: Lunch",
        body="Got it",
        reply_to=proposal.before.ref,
    )
    assert proposal.says == 'reply to Tom Lee: "Lunch"'


async def test_a_reply_to_goes_to_the_reply_to_address(box, say):
    box.mail("7", "rita", "Press", "23 09:00", reply_to=(Address(email="desk@press.example"),))
    (action,) = await box.actions("mail.reply", select=say.which("Press"), body="x")
    assert emails(action.to) == ["desk@press.example"]


async def test_a_reply_to_all_leaves_the_user_out(box, say):
    (action,) = await box.actions("mail.reply", select=say.which("Budget"), field="all", body="x")
    assert emails(action.to) == ["anna@acme.example"]
    assert emails(action.cc) == ["tom@office.example"]


async def test_a_plain_reply_leaves_the_others_out(box, say):
    (action,) = await box.actions("mail.reply", select=say.which("Budget"), body="x")
    assert action.cc == ()


async def test_a_reply_to_an_own_mail_goes_to_those_it_went_to(box, say):
    box.mail("8", "me", "Question", "22 09:00")
    (action,) = await box.actions("mail.reply", select=say.which("Question"), body="x")
    assert emails(action.to) == ["anna@acme.example"]


async def test_a_reply_without_words_is_a_brief_with_the_mail(box, say):
    data = await box.data("mail.reply", select=say.which("Budget"), about="that I agree")
    brief = data.proposals[0].brief
    assert brief.kind == "reply"
    assert brief.answering.body == "About Budget."


async def test_a_reply_to_a_no_reply_address_is_cautioned(box, say):
    box.mail("9", "rita", "Alert", "23 09:00", reply_to=(Address(email="no-reply@press.example"),))
    data = await box.data("mail.reply", select=say.which("Alert"), body="x")
    assert "nobody reads" in data.proposals[0].notes[0]


@pytest.mark.parametrize(
    ("prefix", "subject", "expected"),
    [
        ("Re", "Budget", "Re: Budget"),
        ("Re", "RE: Re: Budget", "Re: Budget"),
        ("Re", "AW: Budget", "Re: Budget"),
        ("Fwd", "Fw: FWD: Budget", "Fwd: Budget"),
        ("Fwd", "Re: Budget", "Fwd: Re: Budget"),
        ("Re", "Re[2]: Budget", "Re: Budget"),
        ("Re", "Results", "Re: Results"),
        ("Re", "", "Re:"),
    ],
)
def test_prefixes_never_double(prefix, subject, expected):
    assert titled(prefix, subject) == expected


async def test_the_newest_of_a_persons_mails_is_answered_and_that_is_a_guess(box, say):
    data = await box.data("mail.reply", select=say.which(people=(say.who("Anna", role="from"),)), body="x")
    assert data.proposals[0].action.reply_to.id == "3"
    assert "the newest of 2" in data.proposals[0].guesses[0]


async def test_several_mails_of_different_threads_are_asked_about(box, say):
    ambiguity = await box.asks("mail.archive", select=say.which(people=(say.who("Anna", role="from"),)))
    assert ambiguity.question == "Which mail do you mean?"
    assert [c.label for c in ambiguity.choices] == [
        '"Contract" from Anna Berg, Mon 23 Nov, 08:00',
        '"Budget" from Anna Berg, Fri 20 Nov, 09:00',
    ]


async def test_the_chosen_mail_is_acted_on(box, say):
    select = say.which(people=(say.who("Anna", role="from"),))
    ambiguity = await box.asks("mail.archive", select=select)
    box.bindings[ambiguity.entity] = ambiguity.choices[1].value
    (action,) = await box.actions("mail.archive", select=select)
    assert action.mail.id == "1"


async def test_each_acts_on_all(box, say):
    actions = await box.actions("mail.archive", select=say.which(people=(say.who("Anna", role="from"),), each=True))
    assert [a.mail.id for a in actions] == ["3", "1"]


async def test_a_result_of_an_earlier_step_is_acted_on_whole(box, say):
    box.results["1"] = await box.data("mail.find", select=say.which(people=("Anna",)))
    assert len(await box.actions("mail.trash", select=say.which(refs=("1",)))) == 2


async def test_several_shown_mails_are_asked_about(box, say):
    box.results["shown"] = await box.data("mail.find", select=say.which(people=("Anna",)))
    await box.asks("mail.trash", select=say.which(refs=("shown",)))


async def test_a_mail_shown_before_is_read_again_before_it_is_changed(box, say):
    box.results["shown"] = await box.data("mail.find", select=say.which("Lunch"))
    box.mails[1] = box.mails[1].model_copy(update={"etag": "newer"})
    (action,) = await box.actions("mail.archive", select=say.which(refs=("shown",)))
    assert action.mail.etag == "newer"


async def test_more_than_two_hundred_are_too_many(box, say):
    for n in range(250):
        box.mail(f"x{n}", "rita", "Offer", "10 09:00")
    failure = await box.fails("mail.trash", select=say.which("Offer", each=True))
    assert failure.type == "too_many"
    assert failure.context["count"] == 250


async def test_nothing_to_act_on_is_not_found(box, say):
    failure = await box.fails("mail.trash", select=say.which("zeppelin"))
    assert failure.type == "not_found"
    assert "zeppelin" in failure.message


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("mail.mark_read", {"seen": True, "flagged": None}),
        ("mail.flag", {"seen": None, "flagged": True}),
    ],
)
async def test_marking_names_what_it_sets(box, say, operation, expected):
    (action,) = await box.actions(operation, select=say.which("Lunch"))
    assert isinstance(action, MarkMail)
    assert {"seen": action.seen, "flagged": action.flagged} == expected
    assert action.mail.etag == "e-2"


@pytest.mark.parametrize(("operation", "folder"), [("mail.archive", "Archive"), ("mail.trash", "Trash")])
async def test_filing_moves_to_the_folder(box, say, operation, folder):
    (action,) = await box.actions(operation, select=say.which("Lunch"))
    assert action == MoveMail(account="work", mail=action.mail, folder=folder)


async def test_restoring_looks_in_the_trash(box, say):
    box.mail("t", "anna", "Old plan", "1 09:00", folder="Trash")
    (action,) = await box.actions("mail.restore", select=say.which("Old plan"))
    assert (action.mail.id, action.folder) == ("t", "INBOX")


async def test_a_draft_in_the_way_is_deleted_not_moved(box, say):
    box.mail("d", "me", "Half done", "22 09:00", folder="Drafts")
    (action,) = await box.actions("mail.trash", select=say.which("Half done", folder="drafts"))
    assert isinstance(action, DeleteDraft)


async def test_what_is_so_already_is_said_and_no_failure(box, say):
    data = await box.data("mail.mark_read", select=say.which("Budget"))
    assert data.already and not data.proposals
    assert data.text.endswith(", is read already.")
    assert [mail.subject for mail in data.mails] == ["Budget"]


async def test_of_several_only_those_not_so_yet_are_changed(box, say):
    box.mail("r", "anna", "Read one", "19 09:00")
    actions = await box.actions("mail.mark_read", select=say.which(each=True))
    assert {a.mail.id for a in actions} == {"2", "3"}


async def test_the_mail_acted_on_stands_in_the_proposal(box, say):
    data = await box.data("mail.trash", select=say.which("Lunch"))
    assert data.proposals[0].before.subject == "Lunch"


async def test_forwarding_appends_nothing_to_what_was_not_said(box, say):
    data = await box.data("mail.forward", select=say.which("Contract"), to=(say.who("Tom"),))
    (proposal,) = data.proposals
    assert proposal.action.forward_of.id == "3"
    assert (proposal.action.subject, proposal.action.body) == ("Fwd: Contract", "")
    assert proposal.brief is None


async def test_forwarding_each_makes_one_mail_for_each(box, say):
    select = say.which(people=(say.who("Anna", role="from"),), each=True)
    actions = await box.actions("mail.forward", select=select, to=(say.who("Tom"),), body="FYI")
    assert [a.subject for a in actions] == ["Fwd: Contract", "Fwd: Budget"]
    assert {a.body for a in actions} == {"FYI"}


async def test_forwarding_to_nobody_is_not_understood(box, say):
    assert (await box.fails("mail.forward", select=say.which("Contract"))).type == "not_understood"


async def test_a_drafted_mail_is_sent_as_it_was_drafted(box, say):
    box.results["1"] = await box.data("mail.draft", to=(say.who("Anna"),), subject="S", body="b")
    (action,) = await box.actions("mail.send", select=say.which(refs=("1",)))
    assert isinstance(action, SendMail)
    assert (action.subject, action.body, emails(action.to)) == ("S", "b", ["anna@acme.example"])


async def test_saving_a_template_says_what_it_replaces(box):
    data = await box.data("template.save", template="thanks", body="Thanks!")
    assert data.proposals[0].action == SaveTemplate(name="thanks", body="Thanks!")
    assert "replaces" in data.proposals[0].notes[0]


async def test_a_template_is_deleted_by_name(box):
    assert await box.actions("template.delete", template="Thanks") == [DeleteTemplate(name="thanks")]


async def test_no_address_book_entry_but_mail_from_them_is_enough(box, say):
    box.mail("9", "rita", "Interview", "22 09:00")
    (action,) = await box.actions("mail.send", to=(say.who("Rita"),), body="x")
    assert action.to == (Address(email="rita@press.example", name="Rita Gomez"),)


async def test_of_several_addresses_the_one_most_written_to_is_used(box, say):
    box.contact("rita", emails=("rita@home.example", "rita@press.example"))
    box.mail("9", "me", "Hi", "22 09:00", to=(Address(email="rita@press.example", name="Rita Gomez"),))
    (action,) = await box.actions("mail.send", to=(say.who("Rita"),), body="x")
    assert emails(action.to) == ["rita@press.example"]


async def test_a_group_the_user_is_in_does_not_write_to_the_user(box, say):
    box.contact("me", groups=("Marketing",))
    (action,) = await box.actions("mail.send", to=(say.who("Marketing"),), body="x")
    assert "sam@office.example" not in emails(action.to)


async def test_me_is_the_users_own_address(box, say):
    (action,) = await box.actions("mail.send", to=(say.who("me"),), body="x")
    assert emails(action.to) == ["sam@office.example"]
