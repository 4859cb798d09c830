"""What is told of a draft that came of a blackboard."""

from assistant.pipeline.versions import use
from assistant.pipeline.votes import why
from risk.versions import Post, Version, Written

SAID = Post(by="lawyer", type="ANALYSIS", text="Promise\nno refund. " + "And so on. " * 60)
WEIGHED = Written(
    strategy="blackboard",
    kind="reply",
    versions=(
        Version(by="mediator", subject="Re: Trail", body="Sorry."),
        Version(by="decider", subject="Re: Trail", body="Let us talk."),
    ),
    chosen=1,
    posts=(SAID, Post(by="critic", type="CRITIQUE", text="It sounds guilty.")),
    reasons=("it is a decision with several sides",),
    notes=("baker is out: no answer.",),
)


def told(written: Written) -> list[str]:
    return why(written, written.winner.body).splitlines()


def test_it_is_told_who_said_what_and_that_nobody_voted() -> None:
    lines = told(WEIGHED)
    assert lines[:2] == [
        "Several weighed it on a blackboard because it is a decision with several sides.",
        "What came of it is draft 2 (decider); nobody votes there.",
    ]
    assert lines[2].startswith("- lawyer (analysis): Promise no refund. And so on.") and lines[2].endswith("…")
    assert lines[3:] == ["- critic (critique): It sounds guilty.", "baker is out: no answer."]


def test_the_one_that_the_user_took_is_told_as_such() -> None:
    assert told(use(WEIGHED, 0))[1] == "You took draft 1 (mediator)."


def test_of_a_long_talk_the_last_is_told() -> None:
    posts = tuple(Post(by="critic", type="CRITIQUE", text=f"Point {n}") for n in range(40))
    lines = told(WEIGHED.model_copy(update={"posts": posts}))
    assert lines[-2] == "- critic (critique): Point 39" and not any(line.endswith("Point 0") for line in lines)
