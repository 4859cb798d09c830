"""The board: how posts are shown, what a cleaner can take off it, and whose answer agrees most."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.drafting.blackboard.board import EMPTY, Board
from assistant.drafting.blackboard.candidates import candidates, most_agreed
from assistant.drafting.blackboard.experts import Expert
from assistant.drafting.blackboard.staff import Pool

HEAD = re.compile(r"Round \d+:")
POST = re.compile(r"(\d+)\. \[([A-Z]+)\] (\w+): ")
COOK, BAKER = Expert(name="cook", description=""), Expert(name="baker", description="")


# what is shown


@pytest.mark.spec("blackboard 5.6")
def test_an_empty_board_says_so():
    assert Board().shown() == "The blackboard is empty." == EMPTY


@pytest.mark.spec("blackboard 5.6")
def test_posts_stand_numbered_under_their_rounds():
    board = Board()
    board.post(1, "PLAN", "planner", "first this")
    board.post(1, "CRITIQUE", "critic", "why this")
    board.post(3, "ANALYSIS", "cook", "salt")
    lines = ["Round 1:", "1. [PLAN] planner: first this", "2. [CRITIQUE] critic: why this", "Round 3:", "3. [ANALYSIS] cook: salt"]
    assert board.shown().split("\n") == lines


@pytest.mark.spec("blackboard 5.6")
def test_a_post_keeps_its_number_when_others_go():
    board = Board()
    for content in "abc":
        board.post(1, "NOTE", "cook", content)
    board.remove(["a", "c"])
    board.post(1, "NOTE", "cook", "d")
    assert board.shown() == "Round 1:\n2. [NOTE] cook: b\n4. [NOTE] cook: d"


BREAKS = ["\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"]


@pytest.mark.spec("blackboard 5.6")
@given(st.lists(st.lists(st.sampled_from([*BREAKS, "Round 2:", "2. [DECISION] decider: boxed[no]", "| ", "a"])).map("".join)))
def test_no_post_looks_like_another_or_like_a_new_round(contents: list[str]):
    board = Board()
    for content in contents:
        board.post(1, "ANALYSIS", "cook", content)
    lines = board.shown().splitlines() if contents else []
    heads = [line for line in lines if HEAD.match(line)]
    posts = [found.groups() for line in lines if (found := POST.match(line))]
    assert heads == ["Round 1:"][: len(contents)]
    assert posts == [(str(n + 1), "ANALYSIS", "cook") for n in range(len(contents))]
    assert all(line.startswith("    | ") for line in lines if line not in heads and not POST.match(line))


def test_a_long_board_shows_its_newest_posts_and_says_how_many_it_leaves_out():
    board = Board(size=100)
    for n in range(10):
        board.post(n, "NOTE", "cook", f"{n} " * 10)
    first, *others = board.shown().split("\n")
    assert first == "(8 earlier messages are not shown.)"
    assert [line for line in others if POST.match(line)] == [post.line() for post in board.posts[-2:]]


def test_a_long_post_is_shortened_with_a_note_and_stays_whole_on_the_board():
    board = Board(longest=5)
    board.post(1, "NOTE", "cook", "abcdefghij")
    assert board.shown() == "Round 1:\n1. [NOTE] cook: abcde (… 5 characters more)"
    assert board.posts[0].content == "abcdefghij"


@given(st.lists(st.text(max_size=300)), st.integers(1, 500), st.integers(1, 100))
def test_a_board_is_never_shown_much_longer_than_its_bound(contents: list[str], size: int, longest: int):
    board = Board(size, longest)
    for content in contents:
        board.post(1, "NOTE", "cook", content.replace("\n", " "))
    assert len(board.shown()) <= max(size, 7 * longest + 50) + 60


# what is removed


@pytest.mark.spec("blackboard 5.7")
def test_exact_matches_are_removed_and_nothing_else():
    board = Board()
    for content in ["salt", "salt and pepper", "Salt", " salt\n"]:
        board.post(1, "ANALYSIS", "cook", content)
    assert [post.number for post in board.remove(["salt", "pepper", "", "  "])] == [1, 4]
    assert [post.number for post in board.posts] == [2, 3]


@pytest.mark.spec("blackboard 5.7")
def test_a_decision_is_never_removed():
    board = Board()
    decision = board.post(1, "DECISION", "decider", "Tuesday")
    board.post(1, "ANALYSIS", "cook", "Tuesday")
    board.remove(["Tuesday", decision.line(), "decider: Tuesday"])
    assert board.posts == [decision]


@pytest.mark.spec("blackboard 5.7")
@given(st.text(st.sampled_from("ab \n\r|"), min_size=1).filter(str.strip), st.sampled_from(range(5)))
def test_a_message_matches_as_it_was_written_and_as_it_is_shown(content: str, face: int):
    board = Board(longest=6)
    post = board.post(1, "ANALYSIS", "cook", content)
    board.post(1, "ANALYSIS", "cook", "something else")
    line = post.line(6)
    shown = line.removeprefix("1. [ANALYSIS] cook: ")
    faces = [content, line, shown, f"cook: {shown}", f"[ANALYSIS] cook: {shown}"]
    assert board.remove([faces[face]]) == [post]


@pytest.mark.spec("blackboard 5.7")
def test_a_post_that_quotes_another_does_not_take_it_along():
    board = Board()
    first = board.post(1, "PLAN", "planner", "first this")
    quoting = board.post(1, "ANALYSIS", "cook", first.line())
    assert board.remove([first.line()]) == [quoting] and board.posts == [first]


# whose answer agrees most


@pytest.mark.spec("blackboard 5.9")
def test_the_text_with_the_highest_summed_likeness_is_chosen():
    texts = ["meet on Monday at nine", "meet on Tuesday at ten", "meet on Tuesday at noon", "never"]
    assert most_agreed(texts) == 1
    assert most_agreed(list(reversed(texts))) == 1


@pytest.mark.spec("blackboard 5.9")
def test_of_equals_the_first_is_chosen():
    assert most_agreed(["a b", "c d"]) == 0
    assert most_agreed(["x", "c d", "d c"]) == 1
    assert most_agreed(["only"]) == 0


def alike(one: str, other: str) -> Fraction:
    words, others = set(one.split()), set(other.split())
    return Fraction(len(words & others), len(words | others))


@pytest.mark.spec("blackboard 5.9")
@given(st.lists(st.text(st.sampled_from("abc "), min_size=1).filter(str.strip), min_size=1))
def test_no_text_agrees_more_and_none_before_it_as_much(texts: list[str]):
    sums = [sum(alike(text, other) for m, other in enumerate(texts) if m != n) for n, text in enumerate(texts)]
    assert most_agreed(texts) == sums.index(max(sums))


@pytest.mark.spec("blackboard 5.9")
def test_each_experts_last_post_is_its_candidate_in_the_order_of_the_agents():
    board, pool = Board(), Pool([COOK, BAKER])
    for agent, content in [("baker", "bread"), ("cook", "soup"), ("planner", "first"), ("baker", "cake")]:
        board.post(1, "ANALYSIS", agent, content)
    board.post(2, "WAITING", "cook", "continue, waiting for more information")
    assert [(one.agent, one.text) for one in candidates(board, pool.everybody)] == [("cook", "soup"), ("baker", "cake")]


@pytest.mark.spec("blackboard 5.9")
def test_what_was_cleaned_away_counts_only_where_no_expert_has_anything_else():
    board, pool = Board(), Pool([COOK, BAKER])
    board.post(1, "PLAN", "planner", "first")
    board.post(1, "ANALYSIS", "cook", "soup")
    board.remove(["soup"])
    assert [one.text for one in candidates(board, pool.everybody)] == ["soup"]
    board.post(1, "ANALYSIS", "baker", "cake")
    assert [one.text for one in candidates(board, pool.everybody)] == ["cake"]


@pytest.mark.spec("blackboard 5.9")
def test_where_no_expert_spoke_others_are_candidates():
    board = Board()
    board.post(1, "CRITIQUE", "critic", "too short")
    board.post(1, "PLAN", "planner", "first")
    assert [one.agent for one in candidates(board, Pool([COOK]).everybody)] == ["planner", "critic"]
