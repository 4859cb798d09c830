"""What a mail asks of the user, and what a draft answers of it."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.drafting.asks import MOST, Ask, asks_of, gap_for, standings, unanswered
from assistant.reasoning.offline.saying.writing import GAP
from integrations.types import Address, Mail

ANNA = Address(email="anna@berg.example", name="Anna Berg")
ME = Address(email="alex@northwind.example", name="Alex Morgan")
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def mail(body: str, sender: Address = ANNA, hours: int = 0) -> Mail:
    return Mail(account="a", id=str(hours), etag="", folder="INBOX", sender=sender, date=NOON + timedelta(hours=hours), body=body)


def asked(body: str) -> list[tuple[str, str]]:
    return [(ask.kind, ask.text) for ask in asks_of(mail(body))]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("When does the train leave?", "question"),
        ("Have you heard from the landlord?", "question"),
        ("Can you bring the projector?", "request"),
        ("Please sign the contract.", "request"),
        ("Send me the final numbers.", "request"),
        ("Let me know whether the room is big enough.", "question"),
        ("I was wondering whether Tom is coming.", "question"),
        ("We would like to know how many seats you need.", "question"),
        ("I need your approval for the order.", "request"),
        ("Which of the two rooms do you prefer?", "choice"),
        ("Shall we meet on Tuesday or on Wednesday?", "choice"),
        ("Tell me whether you take the red one or the blue one.", "choice"),
        ("The report is due on 30 November.", "deadline"),
        ("We have to hand it in by Friday.", "deadline"),
        ("Kannst du am Freitag kommen?", "request"),
        ("Bitte schick mir die Rechnung.", "request"),
        ("Wann fährt der Zug?", "question"),
        ("Pourriez-vous confirmer la date ?", "request"),
        ("Merci de signer le contrat.", "request"),
        ("¿Puedes mandarme el plan, por favor?", "request"),
        ("Potresti mandarmi il piano?", "request"),
        ("Kun je mij het plan sturen?", "request"),
    ],
)
def test_a_point_is_known_by_its_wording(sentence, kind):
    assert asked(f"Hi Alex,\n\n{sentence}\n\nBest,\nAnna") == [(kind, sentence)]


@pytest.mark.parametrize(
    "sentence",
    [
        "The weather was lovely.",
        "How are you?",
        "How are things at the office?",
        "I hope you are well.",
        "Please find attached the plan.",
        "Please see the list below.",
        "Let me know if you have any questions.",
        "If you have any further questions, please call us.",
        "Feel free to call me.",
        "I'll send the invoice by Friday.",
        "We have sent the parcel, it is here by Monday.",
        "Thank you for your mail.",
        "Click here to unsubscribe?",
        "Checks are done.",
    ],
)
def test_what_only_sounds_like_it_is_no_point(sentence):
    assert asked(f"Hi Alex,\n\n{sentence}\n\nBest,\nAnna") == []


def test_two_questions_in_one_sentence_are_two_points():
    assert asked("Can you come on Friday, and who brings the projector?") == [
        ("request", "Can you come on Friday?"),
        ("question", "who brings the projector?"),
    ]


def test_what_and_where_is_one_question():
    assert asked("What time and where do we meet?") == [("question", "What time and where do we meet?")]


def test_greeting_signature_and_history_ask_nothing():
    history = "On Fri, 20 Nov 2026, Alex wrote:\n> Will you come?"
    assert asked(f"Hi Alex,\n\nsee you there.\n\nBest,\nAnna\n--\nWhy not follow us?\n\n{history}") == []


def test_points_stand_in_the_order_of_the_mails_and_each_once():
    first, second = (
        mail("Who pays for the bus?"),
        mail("Where is the key?\nAs I asked: who pays for the bus?\nWho pays for the bus?", hours=1),
    )
    assert [ask.text for ask in asks_of(first, second)][:2] == ["Who pays for the bus?", "Where is the key?"]
    assert len([ask for ask in asks_of(first, second) if ask.text == "Who pays for the bus?"]) == 1


def test_a_questionnaire_is_cut():
    assert len(asks_of(mail("\n".join(f"What about item number {n}?" for n in range(50))))) == MOST


def test_what_came_since_the_users_last_word_is_unanswered():
    thread = (mail("Who?", hours=1), mail("I do.", ME, hours=2), mail("When?", hours=3), mail("Where?", hours=4))
    assert [one.body for one in unanswered(thread[::-1], frozenset({ME.email}))] == ["When?", "Where?"]
    assert unanswered(thread[:2], frozenset({ME.email})) == ()


FRIDAY = Ask(text="Can you come on Friday?", kind="request")
PROJECTOR = Ask(text="Who brings the projector?", kind="question")
WHEN = Ask(text="When does it start?", kind="question")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I can come on Friday. Tom brings the projector.", ("answered", "answered")),
        ("Friday is fine.", ("answered", "open")),
        ("Nice to hear from you.", ("open", "open")),
        ("I'll come on Friday.\n\n[answer: Who brings the projector?]", ("answered", "gap")),
        ("The projector comes with [name].\n\nFriday it is.", ("answered", "open")),
        ("[answer: Can you come on Friday?]\n[answer: Who brings the projector?]", ("gap", "gap")),
        ("Who brings the projector?", ("open", "open")),
        ("> Friday is fine, and Tom brings the projector.", ("open", "open")),
        ("I am writing about the projector.", ("open", "open")),
        ("", ("open", "open")),
    ],
)
def test_a_point_is_answered_by_a_sentence_about_it_and_left_by_a_gap(text, expected):
    assert standings(text, (FRIDAY, PROJECTOR)) == expected


@pytest.mark.parametrize(
    ("text", "ask", "expected"),
    [
        ("Yes, I will be there.", FRIDAY, "answered"),
        ("Unfortunately not.", FRIDAY, "answered"),
        ("At 3 pm.", WHEN, "answered"),
        ("On 4 December.", WHEN, "answered"),
        ("It is in the big room.", WHEN, "open"),
    ],
)
def test_a_single_point_is_answered_by_yes_or_no_or_the_kind_of_thing_asked_for(text, ask, expected):
    assert standings(text, (ask,)) == (expected,)


def test_yes_alone_does_not_answer_two_points():
    assert standings("Yes, gladly.", (FRIDAY, PROJECTOR)) == ("open", "open")


@given(st.text(min_size=1, max_size=300))
def test_a_gap_for_a_point_is_one_visible_gap(text):
    gap = gap_for(Ask(text=text, kind="question"))
    assert len(GAP.findall(gap)) == 1
    assert GAP.fullmatch(gap)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_mail_and_any_draft_can_be_read(body, text):
    asks = asks_of(mail(body))
    assert len(standings(text, asks)) == len(asks) <= MOST
    assert all(ask.text for ask in asks)


POINTS = ["Can you come on Friday?", "Who brings the projector?", "Please sign the contract.", "Shall it be red or blue?"]


@given(st.lists(st.sampled_from(POINTS), unique=True, min_size=1))
def test_a_gap_for_each_point_leaves_none_open(points):
    asks = asks_of(mail("\n\n".join(points)))
    assert len(asks) == len(points)
    assert set(standings("\n".join(map(gap_for, asks)), asks)) == {"gap"}
