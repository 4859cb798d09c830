"""Settings that can't be used: one sentence that names the setting."""

from pathlib import Path

import pytest

from assistant.bootstrap import matrix_of, open_database, settings_for, zone_of
from assistant.errors import UserError
from assistant.hosting import open_worker

WRONG = [
    ('zone = "Europe"', "zone", "'Europe'"),
    ('zone = "Mars/Olympus"', "zone", "'Mars/Olympus'"),
    ("zone = 5", "zone", "string"),
    ('home = "/elsewhere"', "home", "--home"),
    ('day_starts = "19:00"', "day_starts", "day_ends"),
    ("day_starts = 9", "day_starts", '"09:00"'),
    ('day_ends = "soon"', "day_ends", "time"),
    ('risk_matrix = "nowhere.toml"', "risk_matrix", "not there"),
    ("risk_matrix = 3", "risk_matrix", "path"),
    ('database_url = "mysql://me:pa55word@host/db"', "database_url", "postgresql://"),
    ("database_url = 5", "database_url", "string"),
    ('secret_key = "AAAA"', "secret_key", "ASSISTANT_SECRET_KEY"),
    ('runner = "cluster"', "runner", "database_url"),
    ('runner = "many"', "runner", "'process' or 'cluster'"),
    ("undo_window = -1", "undo_window", "greater than or equal to 0"),
    ('undo_window = "soon"', "undo_window", "whole number"),
    ("colour = 1", "colour", "day_starts"),
    ("zone =", "config.toml", "not valid TOML"),
]


def used(home: Path) -> None:
    settings = settings_for(home)
    zone_of(settings.zone)
    matrix_of(settings)


@pytest.mark.parametrize(("line", "setting", "words"), WRONG, ids=[line for line, _, _ in WRONG])
def test_it_is_one_sentence_that_names_the_setting(tmp_path, line, setting, words):
    (tmp_path / "config.toml").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(UserError) as told:
        used(tmp_path)
    assert setting in str(told.value) and words in str(told.value) and "\n" not in str(told.value)
    assert "pa55word" not in str(told.value)


@pytest.mark.parametrize("text", ["[[rules]]\nlevel = 'none'\n", "[strange]\n", "x = ["], ids=["wrong", "unknown", "broken"])
def test_a_risk_matrix_of_ones_own_is_checked(tmp_path, text):
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    (tmp_path / "config.toml").write_text('risk_matrix = "mine.toml"\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"risk_matrix.*mine\.toml"):
        used(tmp_path)


async def test_a_database_on_a_server_is_used_where_the_setting_names_one(tmp_path, monkeypatch, postgres_url):
    monkeypatch.setenv("ASSISTANT_DATABASE_URL", postgres_url)
    database = open_database(settings_for(tmp_path / "home"))
    assert database.shared and (tmp_path / "home").is_dir() and not list((tmp_path / "home").iterdir())
    await database.close()


def test_the_password_of_the_database_is_not_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSISTANT_DATABASE_URL", "postgresql://me:pa55word@host/db")
    assert "pa55word" not in repr(settings_for(tmp_path)) + str(settings_for(tmp_path)) + settings_for(tmp_path).model_dump_json()


@pytest.mark.parametrize("key", ["pa55word", "A" * 44, "ä" * 44], ids=["short", "long", "strange"])
def test_a_key_that_is_none_is_refused_and_not_shown(tmp_path, monkeypatch, key):
    monkeypatch.setenv("ASSISTANT_SECRET_KEY", key)
    with pytest.raises(UserError, match="secret_key is not usable: write 32 random bytes in base64") as told:
        settings_for(tmp_path)
    assert key not in str(told.value)


def test_a_key_may_be_written_in_either_alphabet_of_base64(tmp_path, monkeypatch):
    for key in (f"{'-_' * 21}8=", f"{'+/' * 21}8="):
        monkeypatch.setenv("ASSISTANT_SECRET_KEY", key)
        assert settings_for(tmp_path).secret_key.get_secret_value() == f"{'-_' * 21}8="


def test_settings_that_are_no_utf8_are_named(tmp_path):
    (tmp_path / "config.toml").write_bytes(b'zone = "\xff"\n')
    with pytest.raises(UserError, match="UTF-8"):
        used(tmp_path)


def test_settings_that_are_a_folder_are_named(tmp_path):
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(UserError, match=r"config\.toml can't be read"):
        used(tmp_path)


def test_a_home_that_is_a_file_or_empty_is_refused(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(UserError, match="is a file"):
        used(file)
    with pytest.raises(UserError, match="empty"):
        settings_for("")


async def test_a_worker_needs_a_database_that_others_reach(tmp_path):
    with pytest.raises(UserError, match="ASSISTANT_DATABASE_URL"):
        async with open_worker(tmp_path):
            pass
