"""Whether the user's words wish for a change, or only ask to see something: pure code over the message, nothing that thinks."""

import re
from typing import Literal

from assistant.reasoning.everyday import is_english

Wish = Literal["change", "perhaps", "look", "talk", "unclear"]
"""Of a message: something shall be different after it; it speaks of a change in other ways; it only asks what there is; it only
greets or thanks; none of this is read."""
LONGEST = 4000
"""Characters of a message that is read at all."""

QUOTED = re.compile(
    r"\"[^\"]*\"|\u201c[^\u201d]*\u201d|\u201e[^\u201c\u201d]*[\u201c\u201d]|(?<!\w)'[^']*'(?!\w)|\u2018[^\u2019]*\u2019"
)

CHANGING = (
    r"(?:re-?)?send|e-?mail|mail|write|text|message|ping|shoot|drop|reply|respond|answer|forward|fwd|pass|relay|cc|bcc|copy|tell"
    r"|let|inform|notify|ask|(?:un|dis)?invite|remind|thank|congratulate|apologi[sz]e|confirm|accept|decline|reject|refuse|rsvp|say"
    r"|(?:re)?schedule|book|reserve|block|create|make|add|put|set|arrange|organi[sz]e|plan|enter|move|postpone|shift|push|pull"
    r"|bring|delay|extend|shorten|lengthen|change|swap|switch|replace|rename|retitle|relocate|update|edit|correct|fix|cancel|call"
    r"|delete|remove|erase|clear|scrap|bin|trash|toss|throw|archive|file|mark|(?:un)?flag|(?:un)?star|tick|save|store|note|draft"
    r"|compose|prepare|word|(?:un)?restore|recover|undelete|unarchive|unsubscribe|free (?:up|my|the|me)|skip|include|exclude"
    r"|introduce|follow|attach|hand|delegate|propose|suggest|offer|request|wish|turn|merge|cut|trim|prolong|tidy|clean|sort|deal|take|handle|do|give|keep"
    r"|check with|count \S+ (?:in|out)|get back|get rid|get .+ (?:to|on|off|out|into|moved|sent|cancelled)|have .+ed"
    r"|excuse|chase|nudge|submit|post|log|register"
    r"|share|circulate|distribute|publish|pencil|jot|stick|pop|squeeze|sign|print|download|pay|order|buy|remember|memori[sz]e"
    r"|record|use|stop|start|begin|finish|end|approve|join|leave|report|empty|wipe|dump|ditch|undo|revert"
)
CHANGES = re.compile(rf"\b(?:{CHANGING}|(?:{'|'.join(('email', 'forward', 'mov', 'cancell?', 'archiv', 'delet', 'invit'))})ing)\b")
BEGINS_CHANGE = re.compile(rf"(?!e-?mail (?:from|of|about|address(?:es)?)\b|mail (?:from|of|about)\b)(?:{CHANGING})\b\s*\S")
WISHES = re.compile(
    r"\b(?:should|must|ought|needs? to|has to|have to|had better|'d better|want|wants|wish|would like|'d like|'d love|'d rather"
    r"|rather|prefer|let's|lets|instead|hope|please|supposed to|is to be|are to be|shall|is now"
    r"|ha(?:s|ve) (?:got )?a new)\b"
)
"""In what is told, a sign that something is wanted."""

POLITE = (
    r"(?:hey|hi|hello|oh|ah|ok|okay|so|well|um|uh|erm?|now|and|but|also|then|next|first|please|pls|kindly|just|quickly|maybe"
    r"|perhaps|actually|quick question|one more thing|by the way|btw|(?:listen|look)(?=\s*[,:!])|sorry|right|alright|great"
    r"|good morning|thanks|assistant|again|finally"
    r"|if (?:so|not|yes|no|it is|it isn't|he is|she is|they are)|in that case|otherwise|else)\b[\s,:!-]*"
)
ASKING_TO = (
    r"(?:(?:can|could|would|will|may|might) (?:you|i|we)(?: (?:please|kindly|maybe|possibly|perhaps|just|quickly|now))*"
    r"|(?:would you )?be so (?:kind|good) as to|would you mind|do you mind"
    r"|(?:i|we)(?: (?:really|just|only|still))* (?:want|need|wish|have)(?: you)? to|(?:i )?wanna"
    r"|(?:i|we)(?:'?d| would)(?: (?:really|just))* (?:like|love)(?: (?:you|for you))? to|i(?:'m| am) trying to"
    r"|let me|help me(?: to)?"
    r"|you (?:can|could|should)|feel free to|go(?: ahead)?(?: and)?|try to)\b[\s,]*"
)
DETERMINER = r"(?:the|my|our|his|her|their|its|this|that|these|those|an?|\w+'s)"
LEAD = re.compile(rf"(?:{POLITE}|{ASKING_TO})*")
ONLY_POLITE = re.compile(rf"(?:{POLITE})*")

AUXILIARY = (
    r"(?:'?s|'re|'ve|'ll|'d| is| are| was| were| am| do| does| did| has| have| had| will| would| can| could| should| might| must)"
)
THINGS = (
    r"(?:i|we|he|she|it|they|there|this|that|these|those|the|a|an|my|our|his|her|their|your|any\w*|some\w*|every\w*|all|no"
    r"|nobody|both|either|\w+'s)"
)
MAY_WISH = (
    r"(?:what|how) about\b|how (?:'s|is) about|why (?:don't|not|doesn't|can't|won't)\b|what if\b"
    r"|what(?:'s| is| are) the (?:chance|chances|odds)|what (?:i|we)\b|what (?:\w+ )?(?:needs|has|is) to (?:be|happen)"
    r"|(?:what|how|which|when)\b.*\b(?:should|could|would|shall|might|can|do|to) (?:(?:i|we|you|one) )?"
    r"(?:say|reply|answer|respond|write|tell|put|word|handle|deal|react|phrase)\b"
    r"|i (?:don't|can't|do not) (?:know|remember|see) (?:how|what) (?:to|i)\b"
    r"|.*\b(?:can|could|will|would|won't|may) you (?!tell me|see|find|show|do\b)\S"
    r"|(?:is|are|was|were|have|has|any)\b.*\b(?:chance|possib\w+|way|ok|okay|alright|all right|fine|able|time|favou?r|willing"
    r"|mind)\b|do you (?:mind|think|want|fancy)|any (?:chance|possibility|way)"
    r"|i (?:wonder|was wondering) (?:if|whether) (?:you|we)\b"
)
"""Questions that may be roundabout wishes."""
QUESTIONS = (
    rf"(?:(?:by|until|till|from|with|in|on|at|to|for|about|of|since) )?(?:who|whom|whose|what|which|whats|whos)\b(?! (?:i|we) )"
    r"|(?:wheres|whens|hows)\b|(?:by|until|till|since|from) when\b|have (?:i|we) got\b"
    rf"|(?:when|where|why){AUXILIARY}\b|(?:when|where) (?:exactly|next|else|again)\b"
    rf"|how(?:{AUXILIARY}\b| (?:many|much|long|often|far|late|early|soon|big|old|full|busy|come|important|urgent)\b)"
    rf"|(?:is|are|were|isn't|aren't|weren't) \w+|(?:was|wasn't) {THINGS}\b|was \w+(?: \w+)? "
    r"(?:free|busy|there|here|available|coming|invited|cancelled|still|also|on|at|in|away|out|back|already|going|around)\b"
    r"|am i\b|(?:do|does|did|don't|doesn't|didn't|have|has|had|haven't|hasn't) (?:i|we|you|they|there|any\w*)\b"
    r"|(?:does|did|has|hasn't|didn't) \w+|do (?:my|our|the|all|both) \w+ \w+"
    r"|have (?:the|my|our|his|her|their|\w+'s) \w+(?: \w+)? been\b|should (?:i|we)\b"
    r"|any(?:thing|one|body)?\b(?! of| but|where|way)|something new|(?:i(?:'m| am) )?(?:curious|wondering)"
    r"|i(?:'m| am| was)? (?:wonder|wondering|not sure|looking for)\b|i (?:don't|can't) (?:know|remember|recall|find|see)\b"
    r"|i(?:'ve)? forg[eo]t\w* (?:who|what|when|where|which|how|whether|if)\b"
)
LOOKS = (
    r"(?:show|list|display|see|view|open|search|find|look(?: up| for| at| in| into| through)?|look|read|check|count|compare"
    r"|explain|describe|browse|scan|recap|locate|(?:track|hunt) down|dig (?:out|up)|fish out|pull out(?! of)|fetch|pull up|bring up"
    r"|go through|go over|know|hear"
    r"|find out|figure out|work out|understand|review|skim|give|get|tell|remind|brief|catch|translate|list|summ?ari[sz]e|sum up"
    r"|(?:make|write|prepare|compile|draw up|put together|create)(?: (?:me|us))? (?:an?|the) (?:\w+ ){0,2}"
    r"(?:list|summary|overview|recap|digest|rundown|briefing) (?:of|about|on)\b"
    r"(?!.*\b(?:to|for|with) (?!(?:me|us|my|the|this|next|today|tomorrow)\b))|prepare me for"
    r"|remember what|take a look|have a look|be told|have you (?:tell|show|read))\b"
)
NO_LOOK = (
    r"(?:check|find out|see) (?:with|to)\b|(?:see|check|make sure|ensure) that\b|read (?:and|it to|this to|that to)\b"
    r"|find (?:(?:me|us) )?(?:an?|another|some) (?:\w+ ){0,2}(?:place|home|time|slot|date|day|replacement)\b"
    r"|find .* to (?:have|hold|do)\b"
    r"|(?:look|go) (?:into )?(?:after|ahead)|open (?:a|an|up)\b"
    rf"|show (?!(?:me|us)\b|{THINGS}\b|(?:what|which|who|when|where|how|whether|if|mails?|e-?mails?|messages?|events?|meetings?"
    r"|appointments?|contacts?|unread|new|recent|today|tomorrow|this|next|last|only|just|more|older|earlier|today's|tomorrow's"
    r"|conflicts|everything|free|open|upcoming|overdue|unanswered|important|urgent|\d+)\b)"
    r"|give (?!(?:me|us)\b|an? (?:summary|overview|recap|list|briefing|rundown)\b)"
    r"|(?:give|get|tell) (?:me|us) (?:out|off|away|into|in|rid|back|a (?:slot|meeting|room|table|break|day|hour|minute"
    r"|reminder))\b"
    r"|get (?!(?:me|us)\b|(?:the|a|my|all|an) (?:list|overview|summary|details|number|address|phone|latest|newest|mails?"
    r"|e-?mails?)\b)|tell (?!(?:me|us)\b)|tell (?:me|us) (?:(?:yes|no)\b|(?:how|what) (?:i|we|to)\b)|count (?:\S+) (?:in|out)\b"
    r"|(?:explain|describe) (?:\S+ )?to (?!me\b|us\b)|remind (?!me (?:what|who|when|where|which|how|why|of|whether|if|about)\b)"
    r"|brief (?!me\b|us\b)|catch (?!me\b|us\b)|hear from|know (?:that|about)\b|.*\b(?:so|in order) that\b"
    r"|.*\b(?:in|as|by|via|with|through|into|per) (?:an? |my |one )?(?:short |quick |brief |nice )?(?:e-?mail|mail|message|note"
    r"|reply|invitation|draft|text)\b(?: to| and| for|$)|.*\b(?:for|to|with) (?:him|her|them)\b$"
    r"|(?:summ?ari[sz]e|sum up|recap|explain|describe|translate|forward|read) .*\b(?:for|to) (?!(?:me|us|my|the|this|that|today"
    r"|tomorrow|next|last|english|german|all|each|every)\b)\w+$"
)
TALK = re.compile(
    r"(?:\b(?:thanks?|thank you|thx|cheers|ta|cool|nice|great|good|perfect|lovely|super|wonderful|awesome|brilliant|ok|okay|k"
    r"|fine|sure|alright|all right|right|i see|got it|understood|makes sense|hm+"
    r"|aha|oh|wow|hey|hi|hello|bye|goodbye|see you(?: later)?|yes"
    r"|yeah|yep|no|nope|please|good (?:morning|evening|night|day|afternoon|job|work|to know)|well done|that's (?:all|it|great|fine"
    r"|good|nice|enough|it for (?:now|today))|how are you|so much|very much|a lot|a million|lots|again|then|now|for (?:now|that"
    r"|today|your help|the help)|you(?:'re| are) (?:great|the best|welcome|right)|and|there|assistant|everyone|everybody|sorry"
    r"|never ?mind|no worries|all good|interesting|really|go on|lol|haha)\b[\s,!?.]*)+"
)
ENGLISH = re.compile(
    r"\b(?:the|my|me|a|i|i'm|i'd|you|your|what|what's|whats|who|who's|whos|wheres|whens|hows|which|when|where|how|why|whose|do|does|did|has|have|any\w*|from|about|with"
    r"|for|and|of|to|all|last|new|this|that|next|today|tomorrow|yesterday|it|he|she|they|him|her|them|his|their|is|are|be|by|at|on|if|or"
    r"|not|don't|please|can|could|would|should|will|there|some|every|no|as|out|up|saying|whether|\w+'s)\b"
)
FACT = re.compile(
    rf"(?:{DETERMINER} )?(?:(?!(?:new|the|an?|my|our|your)\b)[\w'-]+ ){{0,3}}"
    r"(?:numbers?|price|costs?|amount|total|date|deadline|code|addresses|address|agenda|birthday|duration|opening hours)"
    r"(?: (?:of|in|from|that|which|we|i|they|he|she|again|please)\b(?:(?!\b(?:is|to|should|must|now|shall|instead|new|wrong"
    r"|changed|as)\b)[^.!:;,\d@])*)?\??"
)
"""What somebody wants to know, as the whole of a message: "the price of the lamps"."""
MEETING = re.compile(r"(?:please |can you |could you )?find [^.?!]* to (?:have|hold) an? ")
""" "Find a time for Bob and Tom to have a meeting": it shall be held."""
GOES_ON = re.compile(
    r"(?:from|of|in|at|on|by|with|about|for|since|before|after|until|till|between|during|within|under|over|near|to|as|than|like"
    r"|the|a|an|my|our|his|her|their|its|your|this|that|these|those|all|any|both|each|every|no|not|only|also|too|or|but|who|whom"
    r"|whose|which|what|when|where|how|why|whether|if|because|i|he|she|it|they|we|was|were|is|are|today|tomorrow|yesterday|next"
    r"|last|first|new|unread|recent|\d\S*|\w+'s|\w+s)\b"
)
PIECES = re.compile(r"[.!?;:]+(?=\s|$)|\n+|\s*,\s*(?:and |then |but )*|\s+-+\s+|\s+(?:and(?: then)?|then|but)\s+")


def wish_of(text: str) -> Wish:
    """What is quoted counts for nothing. A change wins over everything beside it."""
    if len(text) > LONGEST:
        return "perhaps"
    said = _own(text)
    if TALK.fullmatch(said):
        return "talk"
    if MEETING.match(said):
        return "change"
    if FACT.fullmatch(said) and not (BEGINS_CHANGE.match(said) or WISHES.search(said)):
        return "look"
    kinds = [_piece(piece, first=n == 0) for n, piece in enumerate(piece for piece in PIECES.split(said) if piece.strip(" .,!?'"))]
    found = (wish for wish in ORDER if wish in kinds)
    return next(found, "unclear")


ORDER: tuple[Wish, ...] = ("change", "perhaps", "look")


def asks_to_write(text: str) -> bool:
    """False where it is certain by the words alone that they ask for no change."""
    return wish_of(text) not in ("look", "talk")


def _own(text: str) -> str:
    plain = text.replace("\u2019", "'").replace("\u00a0", " ")
    return " ".join(QUOTED.sub(" \u201c\u201d ", plain).casefold().split(" ")).strip(" .,!")


FRAGMENT = re.compile(
    rf"(?:(?:all|both|any|only|just|{DETERMINER}) ){{0,2}}"
    rf"(?:(?!(?:{DETERMINER}|could|can|would|will|should|may|might|shall|must|if|when|unless|no|not|once|every|to|and|for|i|we|you)\b)"
    r"[\w-]+ ){0,3}(?:mails|e-?mails|messages|newsletters|threads|events|meetings|appointments|contacts|attachments|invitations"
    r"|slots|birthdays|templates|calls|reminders|schedules)(?: (?!to \d)[^,]*)?"
    r"(?<!cancelled)(?<!moved)(?<!deleted)(?<!archived)(?<!gone)(?<!postponed)"
)
"""What things there are, without a verb."""
_QUESTION, _LOOK = re.compile(QUESTIONS), re.compile(LOOKS)
_MAY_WISH, _NO_LOOK = re.compile(MAY_WISH), re.compile(NO_LOOK)


def _piece(said: str, *, first: bool) -> Wish:
    piece = said.strip(" .,!?")
    if TALK.fullmatch(piece):
        return "talk"
    asked, english = _after(ONLY_POLITE, piece), _in_english(piece)
    if english and _QUESTION.match(asked) and not _MAY_WISH.match(asked):
        return "look"
    told = _after(LEAD, piece)
    if english and _LOOK.match(told) and not _NO_LOOK.match(told):
        return "look"
    if FRAGMENT.fullmatch(told) and is_english(told) and not (BEGINS_CHANGE.match(told) or WISHES.search(told)):
        return "look"
    if BEGINS_CHANGE.match(told):
        return "change"
    speaks = WISHES.search(piece) or ((first or not GOES_ON.match(asked)) and CHANGES.search(piece))
    return "perhaps" if speaks and (english or is_english(piece)) else "unclear"


def _in_english(piece: str) -> bool:
    return len(piece.split()) < 4 or ENGLISH.search(piece) is not None


def _after(lead: re.Pattern[str], piece: str) -> str:
    found = lead.match(piece)
    return piece[found.end() :] if found else piece
