"""Catalogues out of files, and their titles in texts."""

from dialgauge.io.catalogues.matching import TitleMatch, mentions_any
from dialgauge.io.catalogues.reading import SHIPPED, read_catalogue
from dialgauge.io.catalogues.records import CatalogueFile
from dialgauge.io.catalogues.titles import Mention, TitleIndex, find_titles
from dialgauge.io.catalogues.written import WrittenTitle, count_titles, find_written

__all__ = [
    "SHIPPED",
    "CatalogueFile",
    "Mention",
    "TitleIndex",
    "TitleMatch",
    "WrittenTitle",
    "count_titles",
    "find_titles",
    "find_written",
    "mentions_any",
    "read_catalogue",
]
