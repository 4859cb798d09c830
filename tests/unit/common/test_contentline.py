"""The tree of content lines: what is read renders back, what is made reads back."""

from hypothesis import given
from hypothesis import strategies as st

from integrations.common.contentline import Block, decode, escape, made, parse, prop, render, split, unescape

LINE_BREAKS = "\u2028\u2029\x85"
ORDINARY = st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters=LINE_BREAKS)
TEXT = st.text(ORDINARY | st.sampled_from("\\;,:\n\"'ß食"))


def read(text: str) -> Block:
    (block,) = parse(text)
    assert isinstance(block, Block)
    return block


def test_what_was_read_renders_back_to_the_very_text() -> None:
    text = (
        'BEGIN:VCARD\r\nVERSION:2.1\r\nNOTE;ENCODING=QUOTED-PRINTABLE:a=\r\nb=0D\r\nX;P="a:b":c\r\n d\r\n\te\r\n'
        "PHOTO;BASE64:\r\n abc\r\n\r\nno colon here\r\nEND:vCard\r\n"
    )
    assert render(parse(text)) == text


@given(st.lists(st.sampled_from(["BEGIN:A", "END:A", "BEGIN:B", "END:B", "X:1", " folded", "", "AGENT:", ":", "=", 'Y;P=":'])))
def test_any_order_of_lines_is_kept(lines: list[str]) -> None:
    text = "".join(f"{line}\r\n" for line in lines).strip("\r\n")
    assert "".join(render(parse(text)).split()) == "".join(text.split())


def test_folds_are_joined_and_quoted_printable_goes_on_after_an_equals_sign() -> None:
    block = read("BEGIN:A\nX:one \n two\nY;ENCODING=QUOTED-PRINTABLE:one=\ntwo\nZ:1=\nEND:A\n")
    assert [block.value(name) for name in "XYZ"] == ["one two", "onetwo", "1="]


def test_a_colon_inside_quotes_does_not_end_the_parameters() -> None:
    line = read('BEGIN:A\nitem1.X;CN="a:b;c,d";TYPE=x;TYPE=y;PREF:v:w\nEND:A\n').get("X")
    assert line is not None
    assert line.value == "v:w"
    assert line.group == "item1"
    assert line.params == {"CN": "a:b;c,d", "TYPE": "x,y,PREF"}


def test_one_parameter_is_set_and_the_others_stay() -> None:
    line = made('ATTENDEE;CN="Berg, Anna";partstat=ACCEPTED;X-Y=1:mailto:a@x.example').with_param("PARTSTAT", "DECLINED")
    assert line.text == 'ATTENDEE;CN="Berg, Anna";X-Y=1;PARTSTAT=DECLINED:mailto:a@x.example'


def test_a_missing_end_does_not_swallow_what_follows() -> None:
    blocks = [entry for entry in parse("BEGIN:VCARD\nFN:a\nBEGIN:VCARD\nFN:b\nEND:VCARD\n") if isinstance(entry, Block)]
    assert [block.value("FN") for block in blocks] == ["a", "b"]
    assert [block.end is None for block in blocks] == [True, False]


@given(TEXT)
def test_an_escaped_text_reads_back(text: str) -> None:
    assert unescape(escape(text)) == text


@given(st.lists(TEXT, min_size=1), st.sampled_from(";,"))
def test_a_structured_value_reads_back(parts: list[str], separator: str) -> None:
    found = split(separator.join(map(escape, parts)), separator)
    assert found == (parts[:-1] if len(parts) > 1 and not parts[-1] else parts)


@given(TEXT, TEXT)
def test_a_property_reads_back_and_its_lines_are_short(value: str, name: str) -> None:
    line = prop("X-P", escape(value), CN=name)
    read_back = read(f"BEGIN:A\r\n{line.raw}\r\nEND:A\r\n")
    found = read_back.get("X-P")
    assert found is not None
    assert unescape(found.value) == value
    assert len(list(read_back.lines)) == 1
    assert all(len(piece.encode()) <= 75 for piece in line.raw.split("\r\n"))


@given(st.binary())
def test_any_bytes_can_be_read(content: bytes) -> None:
    render(parse(decode(content)))


def test_old_text_that_is_no_utf8_is_read_as_western() -> None:
    assert decode("FN:Jörg".encode("cp1252")) == "FN:Jörg"
    assert decode("\ufeffFN:Jörg".encode()) == "FN:Jörg"
