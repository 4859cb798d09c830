"""The tables of a mail index. It holds nothing that the Maildir doesn't: another version or a broken file is simply rebuilt.

`mail.num` sorts by date: seconds since 1970 times STEP, plus a count. So is the full-text index's rowid, and newest first needs
no sorting.
"""

VERSION = 4
STEP = 1 << 20
FROM, TO, CC, BCC = 1, 2, 3, 4

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE dir (path TEXT PRIMARY KEY, folder TEXT, sub TEXT, stamp INTEGER) WITHOUT ROWID;
CREATE TABLE skipped (dir TEXT, name TEXT, reason TEXT, PRIMARY KEY (dir, name)) WITHOUT ROWID;
CREATE TABLE mail (
    num INTEGER PRIMARY KEY,
    dir TEXT NOT NULL, name TEXT NOT NULL, folder TEXT NOT NULL,
    id TEXT NOT NULL, key TEXT NOT NULL, etag TEXT NOT NULL,
    unread INTEGER NOT NULL, flagged INTEGER NOT NULL, answered INTEGER NOT NULL, hidden INTEGER NOT NULL,
    bulk INTEGER NOT NULL, attached INTEGER NOT NULL,
    message_id TEXT NOT NULL, thread TEXT NOT NULL, in_reply_to TEXT NOT NULL, refs TEXT NOT NULL,
    subject TEXT NOT NULL, snippet TEXT NOT NULL, people TEXT NOT NULL, attachments TEXT NOT NULL,
    oddities TEXT NOT NULL,
    serial INTEGER NOT NULL -- never again that of another mail
);
CREATE UNIQUE INDEX mail_file ON mail (dir, name);
CREATE INDEX mail_key ON mail (key);
CREATE INDEX mail_message_id ON mail (message_id);
CREATE INDEX mail_thread ON mail (thread);
CREATE INDEX mail_listing ON mail (num, folder, hidden, unread, flagged, bulk, attached);
CREATE INDEX mail_folder ON mail (folder, num);
CREATE INDEX mail_unread ON mail (num, folder, hidden, unread, flagged, bulk, attached) WHERE unread;
CREATE INDEX mail_flagged ON mail (num, folder, hidden, unread, flagged, bulk, attached) WHERE flagged;
CREATE TABLE content (num INTEGER PRIMARY KEY, people TEXT, subject TEXT, body TEXT);
CREATE VIRTUAL TABLE search USING fts5 (
    people, subject, body, content = 'content', content_rowid = 'num', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TABLE reference (message_id TEXT PRIMARY KEY, thread TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX reference_thread ON reference (thread);
CREATE TABLE address (
    id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT NOT NULL,
    received INTEGER NOT NULL DEFAULT 0, sent INTEGER NOT NULL DEFAULT 0, last INTEGER NOT NULL DEFAULT 0,
    UNIQUE (email, name)
);
CREATE VIRTUAL TABLE address_words USING fts5 (words, content = '', tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE party (address INTEGER, role INTEGER, num INTEGER, PRIMARY KEY (address, role, num)) WITHOUT ROWID;
CREATE INDEX party_num ON party (num);
INSERT INTO meta VALUES ('birth', hex(randomblob(8)));
CREATE TABLE change (seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, id TEXT NOT NULL);
CREATE TRIGGER mail_added AFTER INSERT ON mail BEGIN INSERT OR REPLACE INTO change (key, id) VALUES (new.key, new.id); END;
CREATE TRIGGER mail_changed AFTER UPDATE ON mail BEGIN INSERT OR REPLACE INTO change (key, id) VALUES (new.key, new.id); END;
CREATE TRIGGER mail_removed AFTER DELETE ON mail BEGIN INSERT OR REPLACE INTO change (key, id) VALUES (old.key, old.id); END;
"""

PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA busy_timeout = 10000",
    "PRAGMA cache_size = -32000",
    "PRAGMA mmap_size = 268435456",
)
