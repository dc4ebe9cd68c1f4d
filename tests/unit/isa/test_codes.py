"""Every enumeration of tables/enums.json: each of the 256 codes, on each generation."""

import pytest

from dve_engine.isa.codes import CODE_SPACES

from .tables import BY_NAME, ORDER, table

ENUMS = table("enums")["enums"]


def test_same_enumerations():
    assert set(CODE_SPACES) == set(ENUMS)
    assert len(ENUMS) == 24


@pytest.mark.parametrize("name", ENUMS)
def test_every_code_on_every_generation(name):
    space, row = CODE_SPACES[name], ENUMS[name]
    assert space.width_bytes == row["width_bytes"]
    codes = range(256 ** row["width_bytes"])
    for generation in ORDER:
        members = {m["code"] for m in row["members"] if generation in m.get("generations", ORDER)}
        legal = space.codes(BY_NAME[generation])
        assert [c for c in codes if c in legal] == sorted(members)


@pytest.mark.parametrize("name", ENUMS)
def test_names(name):
    space, members = CODE_SPACES[name], ENUMS[name]["members"]
    assert {int(m): m.name for m in space.names} == {m["code"]: m["name"] for m in members if m["name"] is not None}
    assert set(space.unnamed) == {m["code"] for m in members if m["name"] is None}


def test_members_in_all():
    assert sum(len(s.names) + len(s.unnamed) for s in CODE_SPACES.values()) == sum(
        len(row["members"]) for row in ENUMS.values()
    )
