"""The command line as a script or a newcomer meets it: separate processes, a real home."""

import json
import mailbox
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

MAIL = (
    b"From: Eva Klein <eva@example.org>\r\nTo: me@example.org\r\nSubject: Keys\r\nMessage-ID: <1@x>\r\n\r\nWhere are the keys?\r\n"
)
CARD = b"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:eva\r\nFN:Eva Klein\r\nEMAIL:eva@example.org\r\nEND:VCARD\r\n"
COMMAND = (sys.executable, "-m", "assistant")


@pytest.fixture
def run(home: Path, commands):
    def call(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return commands.run("--home", str(home), *arguments, stdin=stdin, env=os.environ | {"COLUMNS": "200"})

    return call


def outbox(home: Path) -> int:
    folder = home / "sample" / "mail" / ".Outbox"
    return len(mailbox.Maildir(folder, create=False)) if folder.exists() else 0


def test_without_a_command_it_answers_each_line_of_a_pipe(run):
    done = run(stdin="what's on my calendar tomorrow?\nhow many unread mails do I have?\n")
    assert done.returncode == 0 and not done.stderr
    assert "SAMPLE ACCOUNT" in done.stdout and done.stdout.count("offline reasoner") >= 3


def test_a_preview_open_when_the_process_is_killed_is_approvable_once(run, home):
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    command = [*COMMAND, "--home", str(home)]
    chat = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert chat.stdin and chat.stdout
    chat.stdin.write("send a mail to Sarah saying I am on my way\n")
    chat.stdin.flush()
    for line in chat.stdout:
        if "fingerprint" in line:
            break
    chat.send_signal(signal.SIGKILL)
    chat.wait()
    assert outbox(home) == 0
    (shown,) = json.loads(run("previews", "--json").stdout)
    approved = run("approve", shown["id"], "--fingerprint", shown["fingerprint"])
    assert approved.returncode == 0 and outbox(home) == 1
    again = run("approve", shown["id"], "--fingerprint", shown["fingerprint"])
    assert again.returncode == 3 and "approved already" in again.stderr and outbox(home) == 1


def test_the_exit_status_tells_a_preview_from_an_answer(run):
    assert run("ask", "what's on my calendar tomorrow?").returncode == 0
    assert run("ask", "send a mail to Sarah saying hello").returncode == 10
    assert run("ask", "email David").returncode == 11
    turn = json.loads(run("answer", "Chen", "--json").stdout)
    assert turn["question"]["trigger"] == "missing"


def test_what_a_script_reads_is_json(run):
    turn = json.loads(run("ask", "--json", "what's on my calendar tomorrow?").stdout)
    assert turn["status"] == "done" and turn["reasoner"] == "offline reasoner"
    (flow,) = json.loads(run("flows", "--all", "--json").stdout)
    assert flow["id"] == turn["flow"] and not {"owner", "lease_until"} & set(flow)
    (sample,) = json.loads(run("accounts", "list", "--json").stdout)
    assert sample["sample"] and turn["sample"]
    assert all(check["good"] is not False for check in json.loads(run("doctor", "--json").stdout))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("approve", "nope"), "no preview nope"),
        (("undo", "nope"), "no task nope"),
        (("--home", "", "ask", "hello"), "home is empty"),
        (("--home", __file__, "ask", "hello"), "is a file"),
        (("accounts", "add", "local", "--mail", "/nowhere", "--address", "a@example.org"), "no folder /nowhere"),
        (("accounts", "add", "local", "--mail", "/tmp", "--address", "nonsense"), "not a mail address"),
        (("accounts", "remove", "nope"), "no account called nope"),
        (("accounts", "add", "google"), "--client FILE"),
        (("accounts", "add", "google", "--client", "/nowhere.json"), "/nowhere.json"),
        (("accounts", "add", "microsoft"), "--client-id ID"),
        (("accounts", "add", "microsoft", "--client-id", "nonsense"), "Application (client) ID"),
        (("accounts", "add", "imap"), "--address you@example.org"),
        (("accounts", "add", "imap", "--address", "nonsense"), "not a mail address"),
        (("accounts", "add", "imap", "--address", "a@outlook.com"), "takes no password here"),
        (("accounts", "add", "imap", "--address", "a@example.org", "--imap", "imap://mail.example.org"), "without encryption"),
        (("ask", " "), "nothing in this message"),
    ],
)
def test_an_error_is_one_sentence_and_an_exit_status(run, arguments, says):
    done = run(*arguments)
    assert done.returncode == 2 and says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [("approve",), ("resume",), ("cancel", "nope"), ("answer", "yes"), ("undo",)])
def test_where_there_is_nothing_to_do_it_on_the_status_is_3(run, arguments):
    assert run(*arguments).returncode == 3


def test_a_mail_that_still_waits_in_the_outbox_is_taken_back(run, home):
    run("ask", "send a mail to Sarah saying hello")
    assert run("approve", "--yes").returncode == 0 and outbox(home) == 1
    assert run("undo").returncode == 0 and outbox(home) == 0


def test_an_undo_that_cannot_be_done_is_a_failure(run, home):
    run("ask", "send a mail to Sarah saying hello")
    assert run("approve", "--yes").returncode == 0
    mailbox.Maildir(home / "sample" / "mail" / ".Outbox").clear()
    done = run("undo")
    assert done.returncode == 1 and "can't be taken back" in done.stdout


def test_a_preview_that_is_not_open_any_more_says_what_became_of_it(run):
    first = json.loads(run("ask", "--json", "send a mail to Sarah saying hello").stdout)["previews"][0]["id"]
    run("revise", first, "say goodbye instead")
    assert "replaced by a newer one" in run("approve", first[:8], "--yes").stderr
    second = json.loads(run("previews", "--json").stdout)[0]["id"]
    run("cancel", second)
    done = run("approve", second[:8], "--yes")
    assert done.returncode == 3 and "was cancelled" in done.stderr


def test_outside_the_chat_previews_name_the_command_that_approves(run):
    shown = run("ask", "send a mail to Sarah saying hello").stdout
    id = json.loads(run("previews", "--json").stdout)[0]["id"]
    assert f"approve {id}" in shown and f"approve {id}" in run("previews").stdout


def test_doctor_names_a_folder_that_is_gone(run, tmp_path):
    (tmp_path / "cards").mkdir()
    run("accounts", "add", "local", "--contacts", str(tmp_path / "cards"), "--address", "me@example.org")
    assert run("doctor").returncode == 0
    (tmp_path / "cards").rmdir()
    done = run("doctor")
    assert done.returncode == 1
    assert any("✗" in line and str(tmp_path / "cards") in line for line in done.stdout.splitlines())
    assert any("packages for imap" in line and "installed" in line for line in done.stdout.splitlines())


def test_a_local_account_just_works_on_folders_of_other_programs(run, home, tmp_path):
    mail, calendars, contacts = tmp_path / "mail", tmp_path / "cal", tmp_path / "con"
    box = mailbox.Maildir(mail, create=True)
    box.add(mailbox.MaildirMessage(MAIL))
    (calendars / "home").mkdir(parents=True)
    (contacts / "people").mkdir(parents=True)
    (contacts / "people" / "eva.vcf").write_bytes(CARD)
    folders = ("--mail", str(mail), "--calendars", str(calendars), "--contacts", str(contacts))
    assert run("accounts", "add", "local", *folders, "--address", "me@example.org").returncode == 0
    answer = run("ask", "find mails from Eva")
    assert "Keys" in answer.stdout and "SAMPLE" not in answer.stdout
    assert run("ask", "reply to the last mail from Eva saying they are on the table").returncode == 10
    assert run("approve", "--yes").returncode == 0
    (sent,) = mailbox.Maildir(mail / ".Outbox", create=False)
    assert sent["In-Reply-To"] == "<1@x>" and sent["Subject"] == "Re: Keys"


def test_nothing_is_imported_into_the_place_of_folders_that_are_gone(run, tmp_path):
    disk = tmp_path / "disk"
    (disk / "mail").mkdir(parents=True)
    (disk / "cal").mkdir()
    folders = ("--mail", str(disk / "mail"), "--calendars", str(disk / "cal"))
    assert run("accounts", "add", "local", *folders, "--address", "me@example.org").returncode == 0
    disk.rename(tmp_path / "elsewhere")
    (tmp_path / "one.eml").write_bytes(MAIL)
    done = run("import", str(tmp_path / "one.eml"))
    assert done.returncode == 4 and "is a disk not mounted?" in done.stderr
    assert "is a disk not mounted?" in run("ask", "what's on my calendar today?").stdout
    assert not disk.exists()


def test_a_setting_that_cannot_be_used_is_named(run, home):
    home.mkdir(parents=True)
    (home / "config.toml").write_text('zone = "Mars/Olympus"\n')
    done = run("ask", "hello")
    assert done.returncode == 2 and "Mars/Olympus" in done.stderr


def test_an_import_that_takes_nothing_connects_nothing_and_says_the_same_again(run, tmp_path):
    junk = tmp_path / "junk"
    junk.write_bytes(b"neither this nor that")
    first, second = (run("import", str(junk)) for _ in range(2))
    assert first.returncode == second.returncode == 1
    assert (first.stdout, first.stderr) == (second.stdout, second.stderr) and "junk: is neither" in first.stdout
    assert json.loads(run("accounts", "list", "--json").stdout)[0]["sample"]


def test_an_address_given_with_a_later_import_becomes_the_accounts(run, tmp_path):
    (tmp_path / "one.eml").write_bytes(MAIL)
    first = run("import", str(tmp_path / "one.eml"))
    assert first.returncode == 0 and "You gave no --address" in first.stderr
    again = run("import", str(tmp_path / "one.eml"), "--address", "me@example.org")
    assert again.returncode == 0 and "is now me@example.org" in again.stderr and "Already there: 1" in again.stdout
    assert json.loads(run("accounts", "list", "--json").stdout)[0]["address"] == "me@example.org"


def test_a_scheduled_mail_is_listed_and_cancelled_by_command(run, home):
    run("ask", "send Sarah a mail tomorrow at 8 saying hello")
    approved = run("approve", "--yes")
    assert "Not sent yet" in approved.stdout and "outbox run" in approved.stdout
    (held,) = json.loads(run("outbox", "--json").stdout)
    assert held["status"] == "held" and held["key"][:8] in run("outbox").stdout
    assert "Taken back" in run("outbox", "cancel", held["key"][:8]).stdout
    assert run("outbox").stdout == "Nothing waits to go out.\n" and outbox(home) == 0
