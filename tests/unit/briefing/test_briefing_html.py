"""A briefing as an HTML mail: everything in it is in it, and nothing of a stranger is more than text."""

from html.parser import HTMLParser

import pytest
from doubles.briefings import AT, MORNING, briefing, line, mail, section

from assistant.briefing.facts import Looked
from assistant.briefing.html import page

ALLOWED = frozenset("html head meta title style body table tr td h1 h2 p div a span".split())
HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</td></table><h1>Hi", "<!--", "&lt;b&gt; & co",
    "javascript:alert(1)",
    "' onmouseover='alert(1)", "{title} {rows}", "</style><b>", "\u202eexe.gnp", "x" * 5000,
]  # fmt: skip


class Read(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.text.append(data)


def with_stranger(text: str):
    return briefing(
        section("answer", line(mail("m", text, f"{text} <x@evil.example>", message_id=f"<{text}>"), 1, text)), lead=text
    )


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("base_url", ["", "https://a.example"])
def test_what_a_stranger_writes_makes_no_element_and_no_attribute(text, base_url):
    evil, good = Read(page(with_stranger(text), base_url)), Read(page(with_stranger("Hello"), base_url))
    assert evil.tags == good.tags and [name for name, _ in evil.attributes] == [name for name, _ in good.attributes]
    assert not evil.open
    for name, value in evil.attributes:
        if name == "href":
            assert value and value.startswith(("mid:", "https://a.example/#/mail/"))


def test_no_mail_program_makes_a_link_of_what_looks_like_phishing():
    why = "answers would go to x@quick-verify.example, not to it@northwind.example"
    told = page(briefing(section("phishing", line(mail("m", "Locked", message_id=""), 1, why))))
    assert "quick-verify.example" not in told and "x@quick" not in told and "quick-verify.&#8203;example" in told


def test_nothing_is_loaded_run_or_counted():
    told = Read(page(MORNING, "https://a.example"))
    assert set(told.tags) <= ALLOWED
    assert not {"src", "background", "srcset", "action"} & {name for name, _ in told.attributes}
    assert not any(name.startswith("on") for name, _ in told.attributes)
    assert "url(" not in page(MORNING) and "@import" not in page(MORNING)


def test_all_that_the_text_says_is_in_it():
    said = " ".join(Read(page(MORNING)).text)
    for section_ in MORNING.sections:
        assert section_.title in said
        for one in section_.lines:
            assert one.text in said and all(whom in said for whom in one.with_whom)
    assert MORNING.lead in said and "Covered: desk and private since" in said


def test_what_went_wrong_stands_above_the_rest():
    failed = Looked(account="office", since=AT, until=AT, trouble="The server did not answer.")
    said = page(MORNING.model_copy(update={"looked": (*MORNING.looked, failed)}))
    assert said.index(MORNING.title) < said.index("office is not in here") < said.index("Two mails need an answer")


def test_it_is_no_wider_than_a_mail_and_knows_the_dark():
    told = page(MORNING)
    assert "max-width:640px" in told and "prefers-color-scheme: dark" in told and 'name="color-scheme"' in told


def test_without_styles_it_reads_from_top_to_bottom():
    said = "".join(Read(page(MORNING)).text)
    places = [said.index(words) for words in ("Needs an answer", "Asks you a question", "Looks like phishing", "Free")]
    assert places == sorted(places)
