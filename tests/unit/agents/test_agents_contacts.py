"""What the contacts agent finds and proposes."""

import pytest

from assistant.agents.details import changed, read_details
from assistant.reasoning.calls import Person
from assistant.values import Failure, Partial, Success
from integrations.actions import CreateContact, DeleteContact, UpdateContact
from integrations.types import Address, Contact, Skipped


def names(data):
    return [contact.name for contact in data.contacts]


async def test_a_person_is_found_by_name(office, say):
    data = await office.data("contact.find", select=say.which(people=("David Smith",)))
    assert names(data) == ["David Smith"]


@pytest.mark.parametrize("operation", ["contact.find", "mail.send"])
async def test_an_account_that_could_not_be_read_is_named_whether_or_not_somebody_was_found(office, say, operation):
    office.skipped = (Skipped(where="home", reason="The disk is gone.", account=True),)
    unread = "I couldn't read the account home (The disk is gone)"

    def asked(name):
        people = (
            {"select": say.which(people=(name,))} if operation == "contact.find" else {"to": (Person(text=name),), "body": "Hi"}
        )
        return office.report(operation, **people)

    found, missed = await asked("David Smith"), await asked("Zebedee")
    assert isinstance(found, Partial) and found.limitations == (unread,)
    assert unread in (missed.message if isinstance(missed, Failure) else missed.limitations)


async def test_looking_shows_everybody_of_that_name(office, say):
    assert names(await office.data("contact.find", select=say.which(people=("David",)))) == ["David Chen", "David Smith"]


async def test_names_fit_without_case_and_accents(office, say):
    office.contacts.append(Contact(account="work", id="z", etag="e", uid="z", name="Zoë Müller", emails=("zoe@x.example",)))
    assert names(await office.data("contact.find", select=say.which(people=("zoe muller",)))) == ["Zoë Müller"]


async def test_a_whole_name_comes_before_a_beginning(office, say):
    office.contacts.append(Contact(account="work", id="z", etag="e", uid="z", name="Annabel Roe", emails=("r@x.example",)))
    assert names(await office.data("contact.find", select=say.which(people=("Anna",)))) == ["Anna Berg"]


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        ({"title": "manager"}, ["Anna Berg", "David Smith"]),
        ({"company": "Acme Corporation"}, ["Anna Berg", "David Smith"]),
        ({"company": "acme", "title": "sales"}, ["Anna Berg"]),
        ({"group": "the marketing team"}, ["Sarah Novak", "Tom Lee"]),
        ({"group": "Marketing", "title": "engineer"}, ["Tom Lee"]),
    ],
)
async def test_people_are_listed_by_company_title_and_group(office, say, select, expected):
    assert names(await office.data("contact.find", select=say.which(**select))) == expected


async def test_a_company_under_a_longer_name_is_a_guess(office, say):
    report = await office.report("contact.find", select=say.which(company="Bolt Industries"))
    assert isinstance(report, Partial)
    assert names(report.data) == ["David Chen"]


async def test_a_field_asked_for_is_the_answer(office, say):
    data = await office.data("contact.find", select=say.which(people=("Anna",)), field="phone number")
    assert (data.kind, data.text) == ("text", "Anna Berg: +49 30 1")


async def test_a_field_that_is_not_there_is_a_limitation(office, say):
    report = await office.report("contact.find", select=say.which(people=("Tom",)), field="phone")
    assert isinstance(report, Partial)
    assert report.limitations == ("Tom Lee's card has no phone",)


async def test_somebody_known_from_mail_only_is_given_as_such(office, say):
    office.mail("1", "rita", "Hello", "20 09:00")
    report = await office.report("contact.find", select=say.which(people=("Rita Gomez",)))
    assert isinstance(report, Partial)
    assert report.data.addresses == (Address(email="rita@press.example", name="Rita Gomez"),)


async def test_nobody_found_is_an_answer_to_a_search(office, say):
    report = await office.report("contact.find", select=say.which(people=("Zorro",)))
    assert isinstance(report, Success)
    assert not report.data.holds


async def test_an_address_is_one_persons(office, say):
    data = await office.data("contact.address", select=say.which(people=("Anna",)))
    assert data.addresses == (Address(email="anna@acme.example", name="Anna Berg"),)
    assert names(data) == ["Anna Berg"]


async def test_an_address_of_a_name_that_two_have_is_asked(office, say):
    ambiguity = await office.asks("contact.address", select=say.which(people=("David",)))
    assert [c.value for c in ambiguity.choices] == ["david.chen@bolt.example", "david.smith@acme.example"]


@pytest.mark.parametrize("answer", ["david.smith@acme.example", "David Smith"])
async def test_the_answer_may_be_the_address_or_the_name(office, say, answer):
    office.bindings["david"] = answer
    data = await office.data("contact.address", select=say.which(people=("David",)))
    assert [a.email for a in data.addresses] == ["david.smith@acme.example"]


async def test_no_address_of_a_stranger(office, say):
    failure = await office.fails("contact.address", select=say.which(people=("Zorro",)))
    assert failure.type == "not_found"
    assert failure.message == "I found nobody called Zorro in your contacts or mail."


async def test_a_card_without_an_address_falls_back_to_mail_and_says_so(office, say):
    office.contact("rita", emails=())
    office.mail("1", "rita", "Hello", "20 09:00")
    report = await office.report("contact.address", select=say.which(people=("Rita",)))
    assert [a.email for a in report.data.addresses] == ["rita@press.example"]
    assert "no address" in report.limitations[0]


async def test_two_cards_of_one_person_are_one(office, say):
    office.contacts.append(office.contacts[0].model_copy(update={"id": "again"}))
    data = await office.data("contact.address", select=say.which(people=("Anna",)))
    assert [a.email for a in data.addresses] == ["anna@acme.example"]


async def test_several_strangers_of_one_name_are_asked_about(office, say):
    for email in ("rita@press.example", "rita@other.example"):
        office.mail(email, "rita", "Hello", "20 09:00")
        office.mails[-1] = office.mails[-1].model_copy(update={"sender": Address(email=email, name="Rita")})
    ambiguity = await office.asks("contact.address", select=say.which(people=("Rita",)))
    assert {c.value for c in ambiguity.choices} == {"rita@press.example", "rita@other.example"}


async def test_one_stranger_with_two_addresses_is_no_question(office, say):
    for email in ("rita@press.example", "rita@other.example"):
        office.mail(email, "rita", "Hello", "20 09:00")
        office.mails[-1] = office.mails[-1].model_copy(update={"sender": Address(email=email, name="Rita Gomez")})
    office.mail("s", "me", "Hi", "21 09:00", to=(Address(email="rita@other.example", name="Rita Gomez"),))
    data = await office.data("contact.address", select=say.which(people=("Rita",)))
    assert [a.email for a in data.addresses] == ["rita@other.example"]


async def test_more_than_eight_of_a_name_are_counted_in_the_question(office, say):
    for n in range(12):
        card = Contact(account="work", id=f"k{n}", etag="e", uid=f"k{n}", name=f"Kim No{n}", emails=(f"kim{n}@x.example",))
        office.contacts.append(card)
    ambiguity = await office.asks("contact.address", select=say.which(people=("Kim",)))
    assert len(ambiguity.choices) == 8
    assert "8 of 12" in ambiguity.question


@pytest.mark.parametrize("name", ["marketing", "Marketing", "the marketing team", "marketing list", "all marketing people"])
async def test_a_group_is_found_as_people_say_it(office, say, name):
    data = await office.data("contact.group", select=say.which(group=name))
    assert {a.email for a in data.addresses} == {"tom@office.example", "sarah@office.example"}
    assert data.heading == "members of Marketing"


async def test_a_group_that_is_not_there_names_those_that_are(office, say):
    failure = await office.fails("contact.group", select=say.which(group="board"))
    assert failure.type == "not_found"
    assert "Marketing" in failure.message


async def test_a_company_stands_in_for_a_group_as_a_guess(office, say):
    report = await office.report("contact.group", select=say.which(group="Acme"))
    assert isinstance(report, Partial)
    assert {a.name for a in report.data.addresses} == {"Anna Berg", "David Smith"}


async def test_counting_contacts(office, say):
    assert (await office.data("contact.count", select=say.which(company="Acme"))).count == 2


async def test_adding_a_contact(office):
    details = (("name", "Eva Klein"), ("email", "Eva@Klein.example"), ("phone", "+49 1"), ("company", "Klein"))
    data = await office.data("contact.add", details=details)
    assert data.proposals[0].action == CreateContact(
        account="work", name="Eva Klein", emails=("eva@klein.example",), phones=("+49 1",), company="Klein"
    )
    assert data.proposals[0].says == "add Eva Klein to your contacts: eva@klein.example, +49 1 and Klein"


async def test_adding_somebody_who_is_there_says_so(office):
    data = await office.data("contact.add", details=(("name", "Anna Berg"), ("email", "anna@acme.example")))
    assert len(data.proposals[0].notes) == 2


async def test_a_name_can_be_guessed_from_the_address(office):
    data = await office.data("contact.add", details=(("email", "eva.klein@klein.example"),))
    assert data.proposals[0].action.name == "Eva Klein"
    assert "from the address" in data.proposals[0].guesses[0]


@pytest.mark.parametrize("email", ["eva", "eva@", "@x.example", "a b@x.example", "a@x.example,b@y.example", "a@x@y.example"])
async def test_what_is_no_address_is_not_saved(office, email):
    assert (await office.fails("contact.add", details=(("name", "Eva"), ("email", email)))).type == "not_understood"


async def test_an_unknown_field_is_named(office):
    failure = await office.fails("contact.add", details=(("name", "Eva"), ("shoe size", "38")))
    assert "shoe size" in failure.message


async def test_replacing_a_phone_keeps_the_other_numbers(office, say):
    data = await office.data("contact.update", select=say.which(people=("Sarah",)), details=(("phone", "+49 30 99"),))
    (proposal,) = data.proposals
    assert proposal.action == UpdateContact(account="work", contact=proposal.before.ref, phones=("+49 30 99", "+49 30 8"))
    assert proposal.action.contact.etag == "e-sarah"
    assert proposal.says == "change Sarah Novak's phone from +49 30 7 to +49 30 99"


async def test_a_new_address_takes_the_first_place(office, say):
    (action,) = await office.actions("contact.update", select=say.which(people=("Sarah",)), details=(("email", "s@new.example"),))
    assert action.emails == ("s@new.example",)


async def test_only_the_named_fields_are_set(office, say):
    (action,) = await office.actions("contact.update", select=say.which(people=("Tom",)), details=(("job title", "Lead"),))
    assert action.model_dump(exclude_none=True, exclude={"kind", "account", "contact"}) == {"title": "Lead"}


async def test_what_a_card_says_already_is_said_and_no_failure(office, say):
    data = await office.data("contact.update", select=say.which(people=("Tom",)), details=(("title", "Engineer"),))
    assert data.already and data.text == "Tom Lee's card says so already."
    assert [contact.name for contact in data.contacts] == ["Tom Lee"]


async def test_an_update_of_one_of_two_davids_is_asked(office, say):
    await office.asks("contact.update", select=say.which(people=("David",)), details=(("phone", "1"),))
    office.bindings["David"] = "david.chen@bolt.example"
    (action,) = await office.actions("contact.update", select=say.which(people=("David",)), details=(("phone", "1"),))
    assert action.contact.id == "c-dchen"


async def test_an_update_of_somebody_without_a_card_is_not_found(office, say):
    office.mail("1", "rita", "Hello", "20 09:00")
    assert (await office.fails("contact.update", select=say.which(people=("Rita",)), details=(("phone", "1"),))).type == "not_found"


async def test_deleting_one(office, say):
    data = await office.data("contact.delete", select=say.which(people=("Tom",)))
    assert data.proposals[0].action == DeleteContact(account="work", contact=data.proposals[0].before.ref)


async def test_deleting_without_a_name_is_not_understood(office):
    assert (await office.fails("contact.delete")).type == "not_understood"


async def test_deleting_all_of_a_company(office, say):
    actions = await office.actions("contact.delete", select=say.which(company="Acme", each=True))
    assert {a.contact.id for a in actions} == {"c-anna", "c-dsmith"}


async def test_the_people_of_an_earlier_result_are_found(office, say):
    office.results["1"] = await office.data("contact.address", select=say.which(people=("Anna",)))
    assert names(await office.data("contact.find", select=say.which(people=(say.who(ref="1"),)))) == ["Anna Berg"]


def test_a_group_is_added_and_others_stay():
    card = Contact(account="a", id="1", etag="e", uid="1", name="N", groups=("Board",))
    fields, said = changed(card, read_details((("group", "Sales"),)))
    assert fields == {"groups": ("Board", "Sales")}
    assert said == ["group: add Sales"]


def test_an_address_that_is_there_moves_to_the_front():
    card = Contact(account="a", id="1", etag="e", uid="1", name="N", emails=("a@x.example", "b@x.example"))
    fields, _ = changed(card, read_details((("email", "b@x.example"),)))
    assert fields == {"emails": ("b@x.example", "a@x.example")}


async def test_one_more_phone_comes_behind_the_others(office, say):
    (action,) = await office.actions("contact.update", select=say.which(people=("Sarah",)), details=(("also phone", "+49 30 99"),))
    assert action.phones == ("+49 30 7", "+49 30 8", "+49 30 99")


async def test_what_is_taken_off_leaves_the_rest(office, say):
    (action,) = await office.actions(
        "contact.update", select=say.which(people=("Sarah",)), details=(("without phone", "+49 30 7"),)
    )
    assert action.phones == ("+49 30 8",)


async def test_what_is_not_there_to_take_off_is_so_already(office, say):
    data = await office.data("contact.update", select=say.which(people=("Sarah",)), details=(("without group", "nobody"),))
    assert data.already and not data.proposals
