"""English words of requests and instructions that say nothing of what they are about."""

import re

WORD = re.compile(r"[^\W_]+(?:['.@-][^\W_]+)*")
PLAIN = frozenset(
    """a an the this that these those my your our his her their its me you him them us it i we and or but not no to of in on at by
    for from with about as into onto out off up over after before until till between during since without is are was were be been
    has have had do does did will would can could shall should may might if whether so then than there here when where which who
    whom whose what how why please find look read show list check search get see tell let know say saying says said titled
    all any each every most half-hour sent came back line cc bcc copy
    subject called named text message body reading that's it's i'm i've
    send sends email emails e-mail mail mails write reply replies answer respond forward draft drafts prepare note inform notify
    ask invite uninvite add remove create schedule book arrange plan put set make move reschedule shift postpone change update
    rename extend shorten cancel delete trash archive restore mark flag unflag unread accept decline tentatively save
    event events meeting meetings appointment appointments calendar invitation invitations contact contacts template
    thread conversation person people recipient recipients sender inbox folder title name address number phone location place
    description time date day week month year hour hours minutes half today tomorrow tonight yesterday morning afternoon evening
    noon monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december am pm o'clock next last latest newest recent first one new old user user's their""".split()
)


def is_english(text: str) -> bool:
    """Whether half of the words are everyday English ones; of a few words one is enough."""
    words = [word.casefold() for word in WORD.findall(text)]
    known = sum(word in PLAIN for word in words)
    return known * 2 >= len(words) if len(words) > 3 else known > 0
