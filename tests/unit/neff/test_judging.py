"""The verdicts of containers: which records fail, where they stand, and what is no success."""

from __future__ import annotations

import pytest

from dve_engine import CAYMAN, MARIANA, MAVERICK, SUNDA, Choices, disassemble
from dve_engine.neff import NeffError, NeffTargetError, generation_of, judge, pieces, read_neff
from tests import neff_files as files
from tests.neff_files import LABEL, ONE, ORDERING, SEED, SOUND, TWO, WAIT, packed, plain
from tests.service.programs import COPY, ILLEGAL, NO_OPCODE


def judged(data, generation=CAYMAN, choices=None, **options):
    with read_neff(data) as found:
        return judge(found, generation, choices or Choices(), **options)


def test_a_legal_container():
    answer = judged(packed(ONE))
    [core] = answer.cores
    assert (answer.outcome, core.outcome, core.reason) == ("legal", "legal", None)
    assert (core.summary.total, core.summary.checked, core.summary.invalid) == (4, 3, 0)
    assert core.summary.by_class == {"control": 2, "data": 1, "pseudo": 1}
    assert (core.summary.by_rule, core.verdicts, core.warnings) == ({}, (), ())
    assert [(row.opcode, row.record_class, row.records, row.invalid) for row in core.summary.by_opcode] == [
        (0xA0, "control", 1, 0), (0xB1, "control", 1, 0), (0xCC, "pseudo", 1, 0), (0xE8, "data", 1, 0)]  # fmt: skip
    assert answer.assumptions == {"pseudo-records": "skip"}


@pytest.mark.parametrize("build", [packed, plain], ids=["gzip", "plain"])
def test_failing_records_are_placed(build):
    answer = judged(build(TWO))
    first, second = answer.cores
    assert (answer.outcome, first.outcome, second.outcome) == ("illegal", "legal", "illegal")
    [placed] = second.verdicts
    start = files.data_offset(files.tar(TWO), "sg01/DVE.bin")
    assert (placed.verdict.index, placed.offset, placed.archive_offset) == (4, 256, start + 256)
    assert placed.file_offset == (None if build is packed else 1024 + start + 256)
    if build is plain:
        assert plain(TWO)[placed.file_offset :][:64] == ILLEGAL
    assert [failure.rule for failure in placed.verdict.failures] == ["has_valid_reversed_pred"]
    assert second.summary.by_rule == {"has_valid_reversed_pred": 1}
    assert (second.summary.invalid, second.omitted) == (1, 0)
    counts = {row.opcode: (row.records, row.invalid) for row in second.summary.by_opcode}
    assert counts[0xE8] == (2, 1)


def test_every_verdict_where_all_are_asked_for():
    [core] = judged(packed(ONE), verdicts="all").cores
    assert [(one.offset, one.verdict.valid, one.verdict.record_class) for one in core.verdicts] == [
        (0, True, "control"), (64, True, "pseudo"), (128, True, "control"), (192, True, "data")]  # fmt: skip


def test_records_beyond_the_first_thousands_have_their_places():
    count = 9000
    where = [0, 4095, 4096, 8999]
    stream = b"".join(ILLEGAL if n in where else COPY for n in range(count))
    [core] = judged(packed(files.members(stream))).cores
    assert [one.offset // 64 for one in core.verdicts] == where
    assert [one.verdict.index for one in core.verdicts] == where
    assert (core.summary.total, core.summary.invalid) == (count, 4)


def test_the_list_is_bounded_over_all_cores_and_the_counts_are_not():
    answer = judged(packed(files.members(ILLEGAL * 5, ILLEGAL * 5)), listed=7)
    assert [(len(core.verdicts), core.omitted, core.summary.invalid) for core in answer.cores] == [(5, 0, 5), (2, 3, 5)]


def test_opcodes_that_do_not_exist_are_of_no_class():
    [core] = judged(packed(files.members(NO_OPCODE))).cores
    assert (core.outcome, core.summary.by_class) == ("illegal", {"unknown": 1})
    assert core.summary.by_opcode[0].mnemonic is None


@pytest.mark.parametrize("choices", [Choices(), Choices("notes", {"pseudo-records": "refuse"})])
def test_pseudo_records_are_skipped_whatever_the_caller_chose(choices):
    [core] = judged(packed(ONE), choices=choices).cores
    assert core.outcome == "legal"


def test_pseudo_records_with_an_effect_are_warned_of():
    [core] = judged(packed(files.members(ORDERING + LABEL + SEED + SEED))).cores
    assert core.outcome == "legal"
    [warning] = core.warnings
    assert warning.startswith("2 records PSEUDO_SET_RNG_SEED")


def test_decode_tables_of_another_generation_are_warned_of():
    [core] = judged(packed(ONE), SUNDA).cores
    assert (core.outcome, core.warnings) == ("legal", ("sg00/default_opcode_table.bin has 1024 bytes, as on CAYMAN",))


def test_an_opcode_that_is_no_pseudo_record_on_sunda_is_not_skipped():
    record = b"\xd7\x10" + bytes(62)
    [core] = judged(packed(files.members(record)), SUNDA).cores
    assert (core.outcome, core.summary.by_class) == ("illegal", {"unknown": 1})


NOTHING = {
    "empty": (files.members(b""), "the DVE stream is empty"),
    "no-stream": (files.changed(ONE, "sg00/def.json", lambda old: {}), "sg00/def.json names no DVE stream"),
    "zeros": (files.members(bytes(640)), "the stream is zero-filled"),
    "pseudo": (files.members(LABEL * 3), "every record is a pseudo record"),
}


@pytest.mark.parametrize(("content", "reason"), NOTHING.values(), ids=NOTHING.keys())
def test_nothing_to_check_is_no_success(content, reason):
    answer = judged(packed(content))
    [core] = answer.cores
    assert (answer.outcome, core.outcome, core.reason) == ("nothing_to_check", "nothing_to_check", reason)
    assert (core.summary.checked, core.verdicts) == (0, ())


@pytest.mark.parametrize(
    ("streams", "outcome"),
    [
        ((SOUND, b""), "legal"),  # an engine without work
        ((SOUND, bytes(128)), "nothing_to_check"),  # what stood there is gone
        ((SOUND, LABEL), "nothing_to_check"),
        ((ILLEGAL, bytes(128)), "illegal"),
        ((SOUND, ORDERING + LABEL), "legal"),  # the two records every second core has at least
    ],
)
def test_the_outcome_of_several_cores(streams, outcome):
    assert judged(packed(files.members(*streams))).outcome == outcome


def test_what_stood_before_a_hole_is_still_illegal():
    stream = bytes(64) + COPY
    [core] = judged(packed(files.members(stream))).cores
    assert (core.outcome, core.summary.invalid) == ("illegal", 1)


@pytest.mark.parametrize("extra", [1, 63])
def test_incomplete_records(extra):
    data = packed(files.members(SOUND + bytes(extra)))
    with pytest.raises(NeffError) as caught:
        judged(data)
    assert (caught.value.offset, caught.value.within) == (256, "member sg00/DVE.bin")
    assert judged(data, lenient=True).outcome == "legal"
    alone = packed(files.members(bytes(extra)))
    assert judged(alone, lenient=True).cores[0].reason == "there is no whole record"


TARGETS = [("sunda", SUNDA), ("cayman", CAYMAN), ("Mariana", MARIANA), ("core_v4", MARIANA), ("MAVERICK", MAVERICK),
           ("core_v5", MAVERICK)]  # fmt: skip


@pytest.mark.parametrize(("target", "generation"), TARGETS)
def test_recorded_targets(target, generation):
    with read_neff(packed(files.members(SOUND, target=target))) as found:
        assert generation_of(found, None) is generation
        assert generation_of(found, generation) is generation
        other = SUNDA if generation is not SUNDA else CAYMAN
        with pytest.raises(NeffTargetError, match=target):
            generation_of(found, other)
        assert generation_of(found, other, override=True) is other


@pytest.mark.parametrize("target", [None, "*", "core_v9", ""])
def test_targets_that_leave_it_to_the_caller(target):
    with read_neff(packed(files.members(SOUND, target=target))) as found:
        with pytest.raises(NeffTargetError, match="no target" if target is None else "the target is"):
            generation_of(found, None)
        assert generation_of(found, MARIANA) is MARIANA


@pytest.mark.parametrize("target", ["tonga", "Inferentia"])
def test_first_generation_targets_are_refused(target):
    with read_neff(packed(files.members(SOUND, target=target))) as found:
        for given in (None, CAYMAN):
            with pytest.raises(NeffTargetError, match="not modelled"):
                generation_of(found, given)


def test_a_watch_may_end_it():
    class Enough(Exception):
        pass

    calls = []

    def watch():
        calls.append(1)
        if len(calls) == 2:
            raise Enough

    with pytest.raises(Enough):
        judged(packed(files.members(COPY * 9000)), watch=watch)


def test_a_listing_has_a_line_for_every_record():
    stream = SOUND + NO_OPCODE + SEED[:12] + b"\x07" + bytes(51) + b"\x21\x10" + bytes(62)
    with read_neff(packed(files.members(stream))) as found:
        [(first, records)] = pieces(found, found.cores[0].stream)
        listed = disassemble(records, CAYMAN)
    assert (first, len(listed)) == (0, 7)
    assert listed[:3] == ["SET_ORDERING_MODE", "PSEUDO_BRANCH_LABEL", "EVENT_SEMAPHORE"]
    assert listed[3].startswith("COPY_PREDICATED_SCALAR pred=uint8@0x100")
    assert listed[4] == f".raw {NO_OPCODE.hex()}"
    assert listed[5] == "PSEUDO_SET_RNG_SEED byte[12]=0x07"
    assert listed[6] == "ACTIVATE"


def test_waits_are_control_records():
    [core] = judged(packed(files.members(WAIT))).cores
    assert (core.outcome, core.summary.by_class) == ("legal", {"control": 1})
