"""Whoever has nothing at Google or Microsoft loads nothing of them."""

import subprocess
import sys
from pathlib import Path

TALK = """
import asyncio, sys
from pathlib import Path
from assistant.cli.main import main

sys.argv = ["assistant", "--home", sys.argv[1]]
try:
    main()
finally:
    foreign = ("integrations.google", "googleapiclient", "google", "google_auth_oauthlib", "httplib2")
    foreign += ("integrations.microsoft", "msgraph", "msgraph_core", "msal", "kiota_abstractions", "requests")
    print("LOADED:", sorted(name for name in sys.modules if name in foreign or name.startswith("google.")))
"""


def test_a_local_chat_reads_proposes_and_writes_without_anything_of_google_or_microsoft(tmp_path: Path) -> None:
    words = "how many unread mails do I have?\nadd Eva Klein (eva@example.org) to my contacts\nyes\nwhat's on tomorrow?\n"
    done = subprocess.run(
        [sys.executable, "-c", TALK, str(tmp_path / "home")], input=words, capture_output=True, text=True, check=False, timeout=120
    )
    assert "Eva Klein" in done.stdout, done.stderr
    assert "LOADED: []" in done.stdout
