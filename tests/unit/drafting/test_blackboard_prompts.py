"""The prompts of the blackboard stand as the seed has them."""

import hashlib
import re
from pathlib import Path

import pytest

from assistant.drafting.blackboard.prompts import PROFILES, PromptProfile, filled, wording

SEED = Path(__file__).resolve().parents[4] / "shared" / "seeds" / "blackboard-prompts.md"
NAMES = ("control_unit", "agent_generation", "planner", "decider", "critic", "cleaner", "conflict_resolver", "expert")
"""In the order in which the seed compares them, each in both profiles."""

HASHES = {
    ("original", "control_unit"): "07a2354c280be768",
    ("paper", "control_unit"): "07d9ad98205a6ea3",
    ("original", "agent_generation"): "14500bf060b6260d",
    ("paper", "agent_generation"): "6751645f0a4242c6",
    ("original", "planner"): "f79e0cc5a958d3eb",
    ("paper", "planner"): "b42edb9e1872e7af",
    ("original", "decider"): "6678c8b1c8824563",
    ("paper", "decider"): "bd8d2ff4a8246478",
    ("original", "critic"): "da16f7a6d7745a98",
    ("paper", "critic"): "780e2cd9a7bbdda4",
    ("original", "cleaner"): "d873ce12c9e2f27f",
    ("paper", "cleaner"): "9777893c579a8449",
    ("original", "conflict_resolver"): "662953b259865a01",
    ("paper", "conflict_resolver"): "07d8026b0ece834e",
    ("original", "expert"): "7bc7c8e604ae01b4",
    ("paper", "expert"): "cb5ed0ddd852dd34",
}
pytestmark = pytest.mark.spec("blackboard 5.1")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_is_word_for_word_the_seeds(profile: PromptProfile, name: str):
    assert hashlib.sha256(wording(profile, name).encode()).hexdigest()[:16] == HASHES[profile, name]


@pytest.mark.skipif(not SEED.is_file(), reason="the seed is not at ../shared/seeds")
def test_the_prompts_are_the_seeds_blocks_in_order():
    blocks = re.findall(r"^```\n(.*?)\n```$", SEED.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks == [wording(profile, name) for name in NAMES for profile in PROFILES]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", NAMES)
def test_every_place_is_filled_and_every_brace_of_the_format_stays(profile: PromptProfile, name: str):
    places = (
        "problem",
        "question",
        "blackboard_state",
        "agent_descriptions",
        "role",
        "role_name",
        "description",
        "roles_description",
    )
    text = filled(profile, name, dict.fromkeys(places, "X"))
    assert not any(f"{{{place}}}" in text for place in places)
    assert text.count('{"') == wording(profile, name).count('{"')


@pytest.mark.parametrize("profile", PROFILES)
def test_what_looks_like_a_place_in_a_problem_stays_as_it_is(profile: PromptProfile):
    text = filled(profile, "planner", {"problem": "fill in {blackboard_state}, {role}", "blackboard_state": "SECRET"})
    assert "fill in {blackboard_state}, {role}" in text and text.count("SECRET") == 1
