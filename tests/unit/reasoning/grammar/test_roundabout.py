"""Requests in roundabout words: frames of politeness, sayings, remarks, what is told or ruled out before what is asked for."""

import pytest

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.offline.lexicon import alternatives
from assistant.reasoning.offline.planning.message.messages import pieces
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.reading.clauses.missives import as_answer, missive
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.text.tokens import tokenise


def steps(message: str, setting: Setting) -> list[str]:
    return [step.instruction for step in analyse(Request(text=message, setting=setting)).plan.steps]


def test_a_pattern_stands_for_all_its_phrases() -> None:
    assert list(alternatives("it|that would be kind|nice if you could?")) == [
        "it would be kind if you could", "it would be kind if you", "it would be nice if you could", "it would be nice if you",
        "that would be kind if you could", "that would be kind if you", "that would be nice if you could",
        "that would be nice if you",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "lows"),
    [
        ("thats", ["that", "'s"]), ("whens", ["when", "'s"]), ("couldnt", ["could", "not"]), ("gimme", ["give", "me"]),
        ("wanna", ["want", "to"]), ("tomorrows plan", ["tomorrow", "'s", "plan"]), ("cannot", ["can", "not"]),
    ],
)  # fmt: skip
def test_everyday_spellings_are_two_words(text: str, lows: list[str]) -> None:
    tokens = tokenise(text)
    assert [token.low for token in tokens] == lows
    assert (tokens[0].begin, tokens[-1].end) == (0, len(text))


def test_a_known_name_with_an_s_owns_what_follows(setting: Setting) -> None:
    assert [item.low for item in mark("annas last mail", setting)] == ["anna", "'s", "last", "mail"]


@pytest.mark.parametrize(
    "frame",
    [
        "any chance you could {}", "is there any chance that you could {}", "it'd be really nice if you could {}",
        "i'd love for you to {}",
        "i don't suppose you could {}", "do you think you could {}", "be so good as to {}", "go on and {}", "id like you to {}",
        "um could you maybe {}", "hi there, {}", "if you don't mind, {}", "when you have a moment {}", "{} when you get a chance",
        "{} would you please", "{} if that's ok", "lemme {}", "i wanna {}", "why don't you {}", "you might want to {}",
    ],
)  # fmt: skip
def test_politeness_says_nothing_about_what_is_asked_for(frame: str, setting: Setting) -> None:
    assert [step.lower() for step in steps(frame.format("move the standup to 11"), setting)] == ["move the standup to 11"]


@pytest.mark.parametrize(
    ("message", "request_"),
    [
        ("would you mind archiving the newsletters", "archive the newsletters"),
        ("I'd be grateful if you archived the newsletters", "archive the newsletters"),
        ("how about moving the standup to 11", "move the standup to 11"),
        ("I'd rather not have the standup tomorrow", "cancel the standup tomorrow"),
        ("I'd rather not have Tom in the standup", "uninvite Tom from the standup"),
        ("i don't feel like going to the standup tomorrow", "cancel the standup tomorrow"),
        ("give the standup a miss tomorrow", "cancel the standup tomorrow"),
        ("take the standup off my calendar", "cancel the standup"),
        ("put a star on the mail from Anna", "flag the mail from Anna"),
        ("start the standup an hour later", "move the standup an hour later"),
        ("standup at 11 instead of 10", "move standup to 11"),
        ("keep friday from 9 to 10 free for the tax papers", "block friday from 9 to 10 for the tax papers"),
        ("Choir on Sunday from 5 to 6 goes into my diary", 'put "Choir" on Sunday from 5 to 6 into my diary'),
    ],
)
def test_a_wish_or_a_saying_is_the_request_that_it_means(message: str, request_: str, setting: Setting) -> None:
    assert [piece.text for piece in pieces(message, setting)] == [request_]


@pytest.mark.parametrize(
    "message", ["I don't want to cancel the standup", "I don't want to drop Tom", "I'd rather you didn't move it"]
)
def test_what_is_not_wanted_is_not_done(message: str, setting: Setting) -> None:
    assert steps(message, setting) == []


@pytest.mark.parametrize(
    ("message", "body"),
    [
        ("answer the last mail from Anna - I'd love to", "I'd love to"),
        ("reply to Anna's mail yes I will be there", "yes I will be there"),
        ("reply to Tom, sure, see you there", "sure, see you there"),
        ("email Tom I'm running late", "I'm running late"),
        ("reply to Anna that lunch on Friday works", "lunch on Friday works"),
        ("drop Tom a line that I'm late", "I'm late"),
        ("give Anna a heads up that the room has changed", "the room has changed"),
        ("tell Tom that Friday is fine", "Friday is fine"),
    ],
)
def test_dictated_words_need_no_marker(message: str, body: str, setting: Setting) -> None:
    call = parse(message, setting).call
    assert call is not None and call.body == body


@pytest.mark.parametrize("message", ["find the mail from Anna - the last one", "reply to the mail that I got from Tom saying fine"])
def test_what_says_which_mail_is_not_dictated(message: str, setting: Setting) -> None:
    call = parse(message, setting).call
    assert call is not None and call.body in ("", "fine")


def test_a_reply_that_is_written_is_a_reply(setting: Setting) -> None:
    call = parse("write Anna a friendly reply that we agree", setting).call
    assert call is not None and (call.operation, call.body) == ("mail.reply", "we agree")
    assert as_answer(tokenise_items("Anna a friendly note", setting), ["\0", "a", "friendly", "note"]) is None


def tokenise_items(text: str, setting: Setting) -> tuple:  # type: ignore[type-arg]
    return mark(text, setting)


@pytest.mark.parametrize(
    ("words", "length"),
    [("a quick note that", 3), ("a heads up that", 3), ("the note", 0), ("a call", 0), ("a very short friendly line", 5)],
)
def test_a_missive_is_indefinite(words: str, length: int) -> None:
    assert missive(words.split(), 0, ()) == length


def test_whoever_is_put_in_copy_is_no_recipient(setting: Setting) -> None:
    for message in ("send Anna a mail, with Tom in copy, saying hello", "send Anna a mail saying hello, cc Tom"):
        call = parse(message, setting).call
        assert call is not None
        assert ([one.text for one in call.to], [one.text for one in call.cc], call.body) == (["Anna"], ["Tom"], "hello")


@pytest.mark.parametrize(
    ("message", "instructions"),
    [
        ("don't delete the newsletters, just archive them", ["Archive the newsletters"]),
        ("Don't cancel the standup, move it to 11", ["Move the standup to 11"]),
        ("don't delete the newsletters and archive them", []),
        ("don't delete the newsletters", []),
    ],
)
def test_what_is_ruled_out_is_what_the_rest_is_about(message: str, instructions: list[str], setting: Setting) -> None:
    assert steps(message, setting) == instructions


def test_a_remark_is_no_part_of_what_is_asked_for(setting: Setting) -> None:
    assert [piece.text for piece in pieces("delete the last mail from Tom, that's obviously fraud", setting)] == [
        "delete the last mail from Tom",
        "that's obviously fraud",
    ]
    assert len(pieces("email Tom saying the room is fine, that's all", setting)) == 1


@pytest.mark.parametrize(
    ("message", "operation"),
    [
        ("how many unread do I have", "mail.count"), ("have I got anything on this Friday?", "event.check"),
        ("anything planned for Friday afternoon", "event.check"), ("have I got anything from Tom?", "mail.check"),
        ("is there anything from Tom that I still have to answer?", "mail.unanswered"), ("do I owe Anna a reply",
        "mail.unanswered"),
        ("which invitations haven't I answered?", "event.find"), ("who wants a decision from me?", "mail.find"),
        ("when is Anna's birthday?", "contact.find"), ("what's the tracking number of Anna's parcel?", "mail.answer"),
        ("what's Anna's number?", "contact.find"), ("how's my Friday looking", "event.find"),
        ("what came in from Tom", "mail.find"), ("until when must I return the form?", "mail.answer"),
    ],
)  # fmt: skip
def test_an_everyday_question_finds_who_can_answer_it(message: str, operation: str, setting: Setting) -> None:
    call = parse(message, setting).call
    assert call is not None and call.operation == operation


@pytest.mark.parametrize(
    "told",
    [
        "Anna's phone number has changed to +49 30 5550199", "Anna has a new mobile number: +49 30 5550199",
        "Anna's number is now +49 30 5550199", "Anna's number has changed to +49 30 5550199, please update it",
    ],
)  # fmt: skip
def test_a_changed_number_is_one_to_be_saved(told: str, setting: Setting) -> None:
    call = parse(told, setting).call
    assert call is not None and (call.operation, dict(call.details)) == ("contact.update", {"phone": "+49 30 5550199"})


@pytest.mark.parametrize(
    ("text", "folder"), [("delete the draft to Tom", "Drafts"), ("show my drafts", "Drafts"), ("read the draft of the lease", "")]
)
def test_only_own_drafts_lie_in_drafts(text: str, folder: str, setting: Setting) -> None:
    call = parse(text, setting).call
    assert call is not None and call.select.folder == folder


@pytest.mark.parametrize(
    ("wish", "deed"),
    [
        ("I'd rather have the standup in Room 2", "move the standup to Room 2"),
        ("I'd prefer the dentist on Friday at 3pm", "move the dentist to Friday at 3pm"),
        ("it would be nice if the standup were an hour later", "move the standup an hour later"),
        ("it would be great if the standup was half an hour shorter", "make the standup half an hour shorter"),
        ("I'd like the mail from Tom to be flagged", "flag the mail from Tom"),
        ("it'd be good if the mail from Tom were back in my inbox", "move the mail from Tom back to my inbox"),
        ("the mails from Tom should be in the archive", "move the mails from Tom to the archive"),
    ],
)
def test_how_something_should_be_is_a_request_to_make_it_so(wish: str, deed: str, setting: Setting) -> None:
    assert [piece.text for piece in pieces(wish, setting)] == [deed]


@pytest.mark.parametrize(
    "said", ["it would be nice if Tom was free on Friday", "I'd prefer a call on Monday", "I'd rather have lunch"]
)
def test_a_wish_that_nothing_here_could_fulfil_changes_nothing(said: str, setting: Setting) -> None:
    assert [piece.text for piece in pieces(said, setting)] == [said]


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("the last mail that isn't from Tom", {"people": ["Tom"]}),
        ("archive the mails that are not newsletters", {"bulk": True}),
        ("which meetings this week aren't in the studio?", {"words": ["studio"]}),
        ("delete the mails that don't have an attachment", {"has_attachment": True}),
        ("which mails from Eva do not mention lunch?", {"words": ["lunch"]}),
        ("show me my unread mails not from Tom", {"people": ["Tom"]}),
    ],
)
def test_what_things_are_not_is_left_out(text: str, left_out: dict[str, object], setting: Setting) -> None:
    call = parse(text, setting).call
    assert call is not None
    (without,) = call.select.without
    said = {"people": [person.text for person in without.people], "words": list(without.words)}
    said |= {"bulk": without.bulk, "has_attachment": without.has_attachment}
    assert {key: said[key] for key in left_out} == left_out


def test_one_that_is_not_so_is_one_of_many(setting: Setting) -> None:
    several, one = (
        parse(f"delete the {noun} that {verb} from Tom", setting).call for noun, verb in (("mails", "aren't"), ("mail", "isn't"))
    )
    assert several is not None and one is not None
    assert several.select.each and not one.select.each


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("which of Tom's mails haven't I read yet?", "mail.find"), ("how many mails from Tom have I not opened?", "mail.count"),
        ("what has Tom sent me since Monday?", "mail.find"), ("what did Tom send me?", "mail.read"),
        ("when could I squeeze in an hour on Friday?", "event.slots"), ("what did I answer Tom?", "mail.find"),
        ("which meetings would I have to cancel to take Friday off?", "event.find"), ("anything with Tom coming up?",
        "event.check"),
        ("any reply from Tom to my mail about the lease?", "mail.check"), ("Tom new phone number +49 30 5550199", "contact.update"),
    ],
)  # fmt: skip
def test_a_question_is_read_in_the_way_that_people_put_it(text: str, operation: str, setting: Setting) -> None:
    call = parse(text, setting).call
    assert call is not None and call.operation == operation


@pytest.mark.parametrize(
    ("message", "deed"),
    [
        ("Every mail from Anna should get the reply 'Noted'", "Reply to Every mail from Anna with 'Noted'"),
        ("Tom's last mail must be answered with 'Thanks'", "Reply to Tom's last mail with 'Thanks'"),
        ("Anna should see this: forward the last mail about the lease", "Forward the last mail about the lease to {1}"),
        ("Tom should know this: forward Anna's last mail to him", "Forward Anna's last mail to {1}"),
        (
            "Leave my first meeting tomorrow as it is and cancel the following ones",
            "Cancel all my meetings tomorrow except my first one",
        ),
        ("Compose an email to Tom. Subject: Lift Body: It runs", "Compose an email to {1}, subject: Lift, body: It runs"),
    ],
)  # fmt: skip
def test_what_shall_become_of_a_thing_is_the_deed(message: str, deed: str, setting: Setting) -> None:
    assert steps(message, setting)[-1] == deed


def test_only_what_is_before_the_kept_one_could_be_meant_by_the_later_ones(setting: Setting) -> None:
    said = "Leave my second meeting tomorrow as it is and cancel the later ones"
    assert not any("except" in step for step in steps(said, setting))
