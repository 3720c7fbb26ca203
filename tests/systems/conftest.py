"""What the tests of recommenders share."""

import pytest

from dialgauge.io.catalogues import read_catalogue
from dialgauge.model.item import Catalogue
from dialgauge.systems.items import ItemFinder


@pytest.fixture(scope="session")
def films() -> Catalogue:
    return read_catalogue("films")


@pytest.fixture(scope="session")
def finder(films: Catalogue) -> ItemFinder:
    return ItemFinder(films)
