"""English function words in the nine categories by which style matching is measured.

The categories are those of Ireland and Pennebaker (2010); the lists are short ones of our own. A word may stand in more
than one of them, and a contraction counts in the categories of both its parts: ``don't`` is auxiliary and negation.
"""

from collections.abc import Iterator, Mapping

_PLAIN: Mapping[str, str] = {
    "personal pronouns": """
        i me my mine myself you your yours yourself yourselves he him his himself she her hers herself
        we us our ours ourselves they them their theirs themselves let's""",
    "impersonal pronouns": """
        it its itself this that these those who whom whose which what whatever whichever whoever something anything
        everything nothing someone anyone everyone somebody anybody everybody nobody one ones other others another""",
    "articles": "a an the",
    "conjunctions": """
        and but or nor so yet because although though while whereas if unless until since as when whenever whether
        than that plus""",
    "prepositions": """
        about above across after against along among around as at before behind below beneath beside besides between
        beyond by despite down during except for from in inside into like near of off on onto out outside over past per
        since through throughout till to toward towards under until up upon via with within without""",
    "auxiliary verbs": """
        am is are was were be been being have has had having do does did doing can could may might must shall should
        will would ought gonna gotta cannot""",
    "common adverbs": """
        very really just also too even only still already again almost always often sometimes never ever now then here
        there soon maybe perhaps probably rather quite well away back else instead however therefore thus anyway
        actually basically especially how why where more most less least""",
    "negations": "no not none never nothing nobody neither nor nowhere without cannot",
    "quantifiers": """
        all any both each every few fewer many more most much less least lot lots none several some enough half
        plenty another no bit""",
}

_NEGATED = """
    aren't isn't wasn't weren't ain't haven't hasn't hadn't don't doesn't didn't can't couldn't mightn't mustn't shan't
    shouldn't won't wouldn't needn't"""

_WITH_VERB: Mapping[str, str] = {
    "personal pronouns": """
        i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll we're we've we'd we'll they're
        they've they'd they'll""",
    "impersonal pronouns": """
        it's it'd it'll that's that'd that'll who's who'd who'll what's which's something's everything's""",
    "common adverbs": "there's there'd there'll here's how's where's why's",
}


def _words_by_category() -> Iterator[tuple[str, frozenset[str]]]:
    verbs = " ".join([_NEGATED, *_WITH_VERB.values()])
    for category, words in _PLAIN.items():
        more = {"negations": _NEGATED, "auxiliary verbs": verbs}.get(category, _WITH_VERB.get(category, ""))
        yield category, frozenset(f"{words} {more}".split())


CATEGORIES: Mapping[str, frozenset[str]] = dict(_words_by_category())
"""The words of each category."""

FUNCTION_WORDS: frozenset[str] = frozenset().union(*CATEGORIES.values())
"""All words that are no content words."""
