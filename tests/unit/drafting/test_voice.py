"""How the user writes to somebody, read off their own mails."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from doubles.llm import ScriptedEndpoint, data
from hypothesis import given
from hypothesis import strategies as st

from assistant.drafting.voice import ENOUGH, voice_of
from assistant.llm.endpoint import Endpoint, EndpointClient
from assistant.reasoning.base import Setting
from assistant.reasoning.llm.reasoner import ROLES, LlmReasoner
from assistant.reasoning.offline.saying.languages import language_of, tone_of
from assistant.reasoning.offline.saying.writing import draft as plain_draft
from assistant.values import Brief
from integrations.common.mime import read_message
from integrations.types import SENT, Address, Attachment, Mail

ME = (Address(email="alex@northwind.example", name="Alex Morgan"),)
ANNA = Address(email="anna@berg.example", name="Anna Berg")
TOM = Address(email="tom@berg.example", name="Tom Lee")
EVA = Address(email="eva@klinik.example", name="Dr. Eva Klein")
STRANGER = Address(email="karl@neu.example", name="Karl Neu")
SETTING = Setting(now=datetime(2026, 11, 21, 10, tzinfo=UTC), zone=ZoneInfo("Europe/Berlin"), me=ME)
NEWEST = datetime(2026, 11, 20, 9, tzinfo=UTC)
REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "realmail" / "eml"


def sent(*mails: tuple[Address | tuple[Address, ...], str]) -> tuple[Mail, ...]:
    """Newest first."""
    return tuple(
        Mail(
            account="work",
            id=str(number),
            etag="",
            folder=SENT,
            sender=ME[0],
            to=to if isinstance(to, tuple) else (to,),
            date=NEWEST - timedelta(days=number),
            body=body,
        )
        for number, (to, body) in enumerate(mails)
    )


def received(body: str, sender: Address = STRANGER) -> Mail:
    return Mail(account="work", id="in", etag="", folder="INBOX", sender=sender, to=ME, date=NEWEST, body=body)


TO_ANNA = """Hey Anna,

Friday works for me, I'll bring the photos and the two long cables.

Cheers
Alex

On Fri, 20 Nov 2026 at 10:00, Anna Berg <anna@berg.example> wrote:
> Dear Mr Morgan,
> could you come on Friday?
> Kind regards
> Anna
"""
TO_TOM = """Hi Tom,

here are the numbers you asked for. Shout if they look off to you.

Best,
Alex

Sent from my iPhone
"""
TO_EVA = """Sehr geehrte Frau Dr. Klein,

vielen Dank für Ihre Nachricht. Ich schicke Ihnen die Unterlagen bis Montag.

Mit freundlichen Grüßen
Alex Morgan

--
Northwind Maps
Tel. 030 1234567
"""
FOLDER = sent((ANNA, TO_ANNA), (EVA, TO_EVA), (TOM, TO_TOM))


def test_the_same_person_is_written_to_as_before():
    voice = voice_of(FOLDER, (ANNA,), ME)
    assert (voice.greeting, voice.closing, voice.like, voice.mails) == ("Hey Anna,", "Cheers\nAlex", "person", 1)


def test_quoted_history_is_nobodys_voice():
    assert voice_of(FOLDER[:1], (ANNA,), ME).words == 13
    assert "Regards" not in voice_of(FOLDER, (ANNA,), ME).closing


def test_somebody_at_the_same_place_is_written_to_like_the_colleagues_there():
    voice = voice_of(FOLDER, (Address(email="xaver@berg.example", name="Xaver Bo"),), ME)
    assert (voice.greeting, voice.closing, voice.like, voice.mails) == ("Hey Xaver,", "Cheers\nAlex", "domain", 2)


def test_neighbours_at_a_mail_provider_have_nothing_in_common():
    folder = sent(
        (Address(email="one@gmail.com", name="One"), "Yo One,\n\nthat is what we have to do for you.\n\nAlex"), (TOM, TO_TOM)
    )
    assert voice_of(folder, (Address(email="two@gmail.com", name="Two"),), ME).like == "all"


def test_others_are_written_to_as_everybody():
    voice = voice_of(FOLDER, (STRANGER,), ME)
    assert (voice.greeting, voice.like) == ("Hey Karl,", "all")


def test_the_language_is_that_of_the_thread():
    voice = voice_of(FOLDER, (STRANGER,), ME, received("Könnten Sie mir bitte die Karten schicken? Das wäre für uns eine Hilfe."))
    assert (voice.language, voice.tone, voice.closing) == ("de", "formal", "Mit freundlichen Grüßen\nAlex Morgan")


def test_a_title_and_a_gender_are_never_carried_over_to_somebody_else():
    voice = voice_of(FOLDER, (STRANGER,), ME, received("Könnten Sie mir bitte die Karten schicken? Das wäre für uns eine Hilfe."))
    assert voice.greeting == "Guten Tag Karl Neu,"


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("Liebe Anna,", "Hallo Karl,"),
        ("Hallo Anna,", "Hallo Karl,"),
        ("Moin Anna!", "Moin Karl!"),
        ("Hallo Frau Berg,", "Guten Tag Karl Neu,"),
        ("Anna,", "Karl,"),
        ("Hallo Ännchen,", "Hallo Karl,"),
        ("Hallo,", "Hallo,"),
    ],
)
def test_a_greeting_is_turned_from_one_person_to_another(written, becomes):
    terms = "können Sie mir bitte sagen, ob Sie am Montag" if "Frau" in written else "kannst du mir bitte sagen, ob du am Montag"
    folder = sent((ANNA, f"{written}\n\n{terms} zu uns kommen und die Karten mit dabei sind?\n\nViele Grüße\nAlex"))
    assert voice_of(folder, (STRANGER,), ME).greeting == becomes


def test_a_nickname_stays_with_its_person():
    folder = sent((ANNA, "Hi Annie,\n\nsee you at the station on Monday.\n\nLex"))
    assert voice_of(folder, (ANNA,), ME).greeting == "Hi Annie,"
    assert voice_of(folder, (TOM,), ME).greeting == "Hi Tom,"


def test_terms_differ_from_the_users_other_letters_where_the_thread_does():
    voice = voice_of(FOLDER, (STRANGER,), ME, received("Hallo Alex, kannst du mir bitte die Karten schicken? Danke dir!"))
    assert (voice.greeting, voice.closing, voice.like) == ("Hallo Karl,", "Viele Grüße\nAlex", "none")


def test_a_signature_block_is_kept_as_it_stands():
    assert voice_of(FOLDER, (EVA,), ME).signature == "--\nNorthwind Maps\nTel. 030 1234567"


def test_a_device_signs_for_nobody():
    voice = voice_of(FOLDER, (TOM,), ME)
    assert (voice.closing, voice.signature) == ("Best,\nAlex", "")


def test_a_postscript_is_no_signature():
    folder = sent((ANNA, "Hi Anna,\n\nthe train is at ten and we are on it.\n\nBest,\nAlex\n\nPS bring the blue cable"))
    assert voice_of(folder, (ANNA,), ME).signature == ""


def test_a_signature_without_a_dash_is_known_by_its_coming_back():
    body = "Dear Sofia,\n\nhere is what we have for you and for the team.\n\nKind regards\nAlex Morgan\nNorthwind Maps\nOslo"
    assert voice_of(sent((ANNA, body), (ANNA, body)), (ANNA,), ME).signature == "Northwind Maps\nOslo"
    assert voice_of(sent((ANNA, body), (ANNA, body)), (ANNA,), ME).closing == "Kind regards\nAlex Morgan"


def test_only_a_name_may_be_the_whole_farewell():
    folder = sent((ANNA, "Spring it is. I would rather launch with the first good weather than after it.\n\nAlex"))
    assert voice_of(folder, (ANNA,), ME).closing == "Alex"


def test_who_never_greets_is_not_made_to():
    folder = sent(*[(ANNA, f"The {thing} is done, and it is on the server.\n\nA") for thing in ("map", "plan", "list")])
    assert len(folder) == ENOUGH
    assert voice_of(folder, (ANNA,), ME).greeting == ""


def test_who_is_not_greeted_in_a_long_exchange_does_not_speak_for_others():
    folder = sent(
        *[(ANNA, f"The {thing} is done, and it is on the server.\n\nA") for thing in ("map", "plan", "list")], (TOM, TO_TOM)
    )
    assert voice_of(folder, (STRANGER,), ME).greeting == "Hi Karl,"
    assert voice_of(folder[:3], (STRANGER,), ME).greeting == "Hi Karl,"


def test_one_mail_without_a_greeting_is_no_habit():
    assert voice_of(sent((ANNA, "Sounds good to me, see you there.")), (ANNA,), ME).greeting == "Hi Anna,"


def test_the_usual_outnumbers_the_newest():
    often = "Hi Anna,\n\nthat is fine with me and with the others.\n\nBest,\nAlex"
    folder = sent((ANNA, "Dear Anna,\n\nI have to decline this time.\n\nKind regards\nAlex"), (ANNA, often), (ANNA, often))
    assert voice_of(folder, (ANNA,), ME).greeting == "Hi Anna,"


def test_the_length_is_the_middle_one_of_the_texts_between_greeting_and_closing():
    folder = sent(*[(ANNA, f"Hi Anna,\n\n{'word ' * count}\n\nBest,\nAlex") for count in (10, 20, 90)])
    assert voice_of(folder, (ANNA,), ME).words == 20


def test_a_group_is_greeted_as_groups_are():
    folder = sent((ANNA, TO_ANNA), ((ANNA, TOM), "Hi all,\n\nthe meeting is at ten in the big room.\n\nAlex"))
    assert voice_of(folder, (TOM, EVA), ME).greeting == "Hi all,"
    assert voice_of(folder, (ANNA,), ME).greeting == "Hey Anna,"


def test_without_any_mail_the_usual_is_used():
    voice = voice_of((), (ANNA,), ME)
    assert (voice.greeting, voice.closing, voice.like, voice.words) == ("Hi Anna,", "Best regards,\nAlex", "none", 0)
    assert voice_of((), (ANNA, TOM), ME).greeting == "Hi Anna and Tom,"
    assert voice_of((), (), ()).greeting == "Hello,"


def test_what_calendars_and_absences_sent_by_themselves_is_no_letter():
    answer, absence = sent(
        (ANNA, "Hi Anna,\n\nAlex has accepted this invitation for you.\n\nBest"), (ANNA, "Hi,\n\nI am away now.")
    )
    calendar = Attachment(part="2", filename="i.ics", content_type="text/calendar", size=1)
    folder = (answer.model_copy(update={"attachments": (calendar,)}), absence.model_copy(update={"subject": "Out of office: Re"}))
    assert voice_of(folder, (ANNA,), ME).like == "none"


def test_a_bare_forward_tells_nothing():
    body = "---------- Forwarded message ----------\nFrom: Tom <tom@berg.example>\nSubject: x\n\nDear Alex,\nhere it is.\nTom"
    assert voice_of(sent((ANNA, body)), (ANNA,), ME).like == "none"


def test_residue_of_markup_is_taken_off():
    body = "<div>Hey Anna,</div><p>that&nbsp;is fine with me &amp; the others.</p><div>Cheers<br>Alex</div>[cid:image001.png]"
    voice = voice_of(sent((ANNA, body)), (ANNA,), ME)
    assert (voice.greeting, voice.closing, voice.words) == ("Hey Anna,", "Cheers\nAlex", 8)


@pytest.mark.parametrize(
    ("code", "body", "greeting", "closing"),
    [
        (
            "fr",
            "Bonjour Anna,\n\nje te remercie pour le plan, il est parfait.\n\nÀ bientôt\nAlex",
            "Bonjour Anna,",
            "À bientôt\nAlex",
        ),
        ("es", "Hola Anna:\n\nmuchas gracias por el plan, está muy bien.\n\nUn abrazo\nAlex", "Hola Anna:", "Un abrazo\nAlex"),
        ("it", "Ciao Anna,\n\nti ringrazio per il piano, va molto bene.\n\nA presto\nAlex", "Ciao Anna,", "A presto\nAlex"),
        ("nl", "Beste Anna,\n\ndank voor het plan, dat is een goed idee.\n\nGroetjes\nAlex", "Beste Anna,", "Groetjes\nAlex"),
        ("de", "Liebe Anna,\n\ndanke für den Plan, das passt gut.\n\nLiebe Grüße\nAlex", "Liebe Anna,", "Liebe Grüße\nAlex"),
    ],
)
def test_other_languages_are_read_alike(code, body, greeting, closing):
    voice = voice_of((*sent((ANNA, body)), *FOLDER[1:]), (ANNA,), ME)
    assert (voice.language, voice.greeting, voice.closing) == (code, greeting, closing)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Could you please send me the slides? I have to show them to the board on Monday."),
        ("de", "Ich komme am Freitag nicht, weil wir noch auf das Material warten."),
        ("fr", "Nous serons dans le bureau avec les clients, est-ce que cela vous convient ?"),
        ("es", "No puedo ir el viernes porque tengo que estar en la oficina con los clientes."),
        ("it", "Non posso venire venerdì, ma ti mando il documento con le note per la riunione."),
        ("nl", "Ik kan vrijdag niet komen, maar we hebben het document al voor je klaar."),
        ("", "Ok"),
        ("", ""),
        ("", "12345 67890 www.example.org"),
        ("", "Я не могу прийти в пятницу"),
    ],
)
def test_a_language_is_known_by_its_small_words(code, text):
    assert language_of(text) == code


@pytest.mark.parametrize(
    ("text", "code", "tone"),
    [
        ("Können Sie mir Ihre Nummer geben?", "de", "formal"),
        ("Kannst du mir deine Nummer geben?", "de", "familiar"),
        ("Sie ist heute nicht da.", "de", ""),
        ("Pouvez-vous me donner votre numéro ?", "fr", "formal"),
        ("Tu peux me donner ton numéro ?", "fr", "familiar"),
        ("Dear Ms Berg,\nyours sincerely", "en", "formal"),
        ("Hey there, thanks!", "en", "familiar"),
        ("anything", "", ""),
    ],
)
def test_terms_are_known_by_how_the_reader_is_addressed(text, code, tone):
    assert tone_of(text, code) == tone


async def test_a_model_that_drafts_alone_is_told_the_voice_and_may_sign_with_it():
    voice = voice_of(FOLDER, (EVA,), ME, received("Könnten Sie mir bitte die Karten schicken? Das wäre für uns eine Hilfe.", EVA))
    brief = Brief(kind="mail", about="dass die Karten unterwegs sind", to=(EVA,), voice=voice)
    body = f"{voice.greeting}\n\ndie Karten sind unterwegs.\n\n{voice.closing}\n{voice.signature}"
    with ScriptedEndpoint([data({"subject": "Karten", "body": body, "gaps": []})]) as endpoint:
        client = EndpointClient(Endpoint(model="scripted", base_url=endpoint.url, api_key=endpoint.key))
        reasoner = LlmReasoner(dict.fromkeys(ROLES, client), 60)
        draft = await reasoner.draft(brief, SETTING)
        await reasoner.close()
    assert "Begins with: Sehr geehrte Frau Dr. Klein," in endpoint.requests[0].last
    assert draft.body == body


def test_a_draft_without_a_model_begins_and_ends_as_the_user_does():
    brief = Brief(kind="mail", about="that the maps are ready", to=(ANNA,), voice=voice_of(FOLDER, (ANNA,), ME))
    assert plain_draft(brief, SETTING).body == "Hey Anna,\n\nThe maps are ready.\n\nCheers\nAlex"


def test_a_signature_stands_below_the_name():
    brief = Brief(kind="mail", about="dass die Karten für uns schon da sind", to=(EVA,), voice=voice_of(FOLDER, (EVA,), ME))
    farewell = "Mit freundlichen Grüßen\nAlex Morgan\n--\nNorthwind Maps\nTel. 030 1234567"
    assert plain_draft(brief, SETTING).body.endswith(f"\n\n{farewell}")


LINES = "Hi Anna,|Dear Ms Berg,|Best,|Alex|--|> quoted|On Monday, Anna wrote:||Liebe Grüße|<div>|Sent from my x".split("|")
ODD = Address(email="o@y.example", name="O'Neil, Pat (x)")
lines = st.one_of(st.sampled_from(LINES), st.text(max_size=60))
people = st.sampled_from([ANNA, TOM, EVA, STRANGER, Address(email="x@y.example"), ODD])


@given(st.lists(st.tuples(people, st.lists(lines, max_size=12).map("\n".join)), max_size=5), st.lists(people, max_size=3))
def test_whatever_lies_in_the_folder_a_voice_comes_of_it(mails, to):
    voice = voice_of(sent(*mails), tuple(to), ME)
    assert voice.words >= 0
    assert voice == voice_of(sent(*mails), tuple(to), ME)


@given(st.lists(st.tuples(people, st.lists(lines, max_size=12).map("\n".join)), max_size=5), people)
def test_a_greeting_names_nobody_but_whom_it_is_for_or_was_written_to(mails, to):
    said = " ".join((to.name, *(body for _, body in mails), "Hi Hello Hallo Guten Tag Dear Bonjour Hola Ciao Hoi all"))
    for word in re.findall(r"[^\W\d_]{2,}", voice_of(sent(*mails), (to,), ME).greeting):
        assert word in said


@pytest.mark.skipif(not REAL.exists(), reason="needs the collection of real mails")
def test_real_mails_are_read_without_error():
    bodies = [read_message(path.read_bytes()).text for path in sorted(REAL.rglob("*"))[:300] if path.is_file()]
    assert voice_of(sent(*[(ANNA, body) for body in bodies]), (ANNA,), ME).mails > 0
