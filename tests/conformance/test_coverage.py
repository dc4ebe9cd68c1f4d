"""The published coverage matrix is the one the code and the evidence give today, and every gap is on the list."""

import json

import pytest

from tests.conformance import coverage


@pytest.mark.timeout(900)  # it draws and validates thousands of records
def test_matrix_is_published_and_has_no_unlisted_gap():
    cells = coverage.collect()
    assert len(cells) == 4 * len({cell.opcode for cell, _ in cells})
    assert sorted(set(coverage.gaps(cells)) ^ coverage.known_gaps().keys()) == []
    assert json.loads(coverage.PUBLISHED.read_text()) == coverage.document(cells), "publish it: make coverage"
    assert coverage.PAGE.read_text() == coverage.page(cells), "publish it: make coverage"
