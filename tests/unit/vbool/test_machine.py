"""Programs: text, registers, flags, issue cycles and stalls."""

import numpy as np
import pytest

from dve_engine import vbool
from dve_engine.isa.assumptions import Choices
from dve_engine.vbool.program import syntax
from dve_engine.vbool.registers import loaded, spelled
from dve_engine.vbool.timing import PORTS, row

TEXT = [operation for operation in vbool.OPERATIONS.values() if not operation.routine]


def name(text):
    return vbool.Name.of(text)


def example(operation):
    """A line that an operation's syntax allows."""
    line = syntax(operation)
    for what, register in (("vb#|b#", "vb1"), ("a#|number", "3"), ("number", "3"), ("#", "2")):
        line = line.replace(what, register)
    return line


def test_every_operation_but_the_value_routines_has_text_and_runs():
    assert len(TEXT) == 271
    for cases in ((), (3,)):
        result = vbool.VboolMachine().run("\n".join(map(example, TEXT)), vbool.Registers(cases))
        assert [step.mnemonic for step in result.steps] == [operation.mnemonic for operation in TEXT]


def test_files_have_the_geometry_of_the_page():
    assert [(f.name, f.prefix, f.physical, f.bits) for f in vbool.FILES] == [
        ("AR", "a", 64, 32), ("BR", "b", 16, 1), ("vec", "v", 32, 512), ("vbool", "vb", 16, 64),
        ("valign", "u", 4, 512), ("wvec", "wv", 4, 1536), ("b32_pr", "pr", 16, 64), ("gvr", "gr", 8, 512),
        ("FS", "fs", 8, 64),
    ]  # fmt: skip
    registers = vbool.Registers()
    for one in registers:
        registers[one] = np.uint8(1) if one.prefix == "v" else np.uint64(1)
    registers[name("vb3")] = np.uint64(7)
    assert int(registers[name("pr3")]) == 1  # the two 16 x 64 files never alias
    assert sum(1 for _ in registers) == 16 + 16 + 32 + 16 + 16 + 8


def test_sources_are_read_before_destinations_are_written():
    registers = loaded({"vb0": "0x0f", "v1": "01" * 64})
    result = vbool.VboolMachine().run("ivp_notb vb0, vb0\nivp_add2nx8 v1, v1, v1", registers)
    assert spelled(result.registers, name("vb0")) == "0xfffffffffffffff0"
    assert spelled(result.registers, name("v1")) == "02" * 64
    assert result.written == (name("vb0"), name("v1"))
    assert spelled(registers, name("vb0")) == "0x000000000000000f"  # the caller's own are left alone


def test_predicated_operations_keep_the_old_destination():
    registers = loaded({"v1": "0100" * 32, "v2": "0200" * 32, "v3": "efbe" * 32, "vb2": "0x3"})
    result = vbool.VboolMachine().run("ivp_addnx16t v3, v1, v2, vb2", registers)
    assert spelled(result.registers, name("v3")) == "0300" + "efbe" * 31


def test_the_flag_is_sticky():
    quiet = "0000c07f" * 16
    text = "ivp_oltn_2xf32 vb0, v0, v0\nivp_oeqn_2xf32 vb1, v0, v0"
    assert int(vbool.VboolMachine().run(text, loaded({"v0": quiet})).registers.invalid) == 1
    assert int(vbool.VboolMachine().run(text.splitlines()[1], loaded({"v0": quiet})).registers.invalid) == 0


def test_the_flag_bank_is_implicit():
    text = """
        ivp_fs3ltu2nx8 v1, v2   # writes FS3
        ivp_borfs2n vb0         # reads all eight
        ivp_movvfs v5
    """
    result = vbool.VboolMachine().run(text, loaded({"v2": "01" + "00" * 63, "fs7": "0x8000000000000000"}))
    assert spelled(result.registers, name("fs3")) == "0x0000000000000001"
    assert spelled(result.registers, name("vb0")) == "0x8000000000000001"
    assert spelled(result.registers, name("v5")) == "08" + "00" * 62 + "80"


def test_single_bits_live_in_either_file():
    text = "ivp_randbn vb1, vb0\nivp_randbn b1, vb0\nivp_notb1 b2, vb1\nivp_movab1 a3, b1"
    result = vbool.VboolMachine().run(text, loaded({"vb0": "0x5555555555555555"}))
    values = {one: int(result.registers[name(one)]) for one in ("vb1", "b1", "b2", "a3")}
    assert values == {"vb1": 1, "b1": 1, "b2": 0, "a3": 1}


def test_reduced_values_fill_the_register():
    result = vbool.VboolMachine().run("ivp_raddnx16 v3, v2", loaded({"v2": "0100" * 32}))
    assert spelled(result.registers, name("v3")) == "20000000" * 16


def test_an_empty_reduce_may_leave_the_destination():
    choices = Choices(overrides={"vbool-empty-reduce": "old-value"})
    result = vbool.VboolMachine(choices).run("ivp_rmaxnx16t v3, v2, vb0", loaded({"v3": "3412" * 32}))
    assert spelled(result.registers, name("v3")) == "3412" * 32


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("ivp_andb vb1, vb2", 1, 18, "takes 3 operands, got 2: ivp_andb vb#, vb#, vb#"),
        ("\n# words\n  ivp_anbd vb1", 3, 3, "there is no operation 'ivp_anbd'; the nearest is ivp_andb"),
        ("ivp_andb vb1 vb2, vb3", 1, 13, "expected a comma"),
        ("ivp_andb v1, vb2, vb3", 1, 10, "vb takes a register vb#, got v1"),
        ("ivp_andb vb1, vb16, vb3", 1, 15, "there are vb0 to vb15"),
        ("  , vb1", 1, 3, "expected an operation"),
        ("ivp_andb vb1, u1, vb3", 1, 15, "is no register"),
        ("ivp_andb vb1, , vb3", 1, 15, "an operand is missing"),
        ("ivp_andb vb1, vb2, vb3, vb4", 1, 25, "takes 3 operands, got 4"),
        ("ivp_ltrni vb1, 0x1_0000_0000", 1, 16, "does not fit into 32 bits"),
        ("ivp_ltrni vb1, 12ab", 1, 16, "is no number"),
        ("ivp_ltrni vb1, a1", 1, 16, "n takes a number, got a1"),
        ("ivp_ltrn vb1, v1", 1, 15, "n takes a register a# or a number, got v1"),
        ("lt_2_16_16 a1, a2", 1, 1, "value routine"),
        ("ivp_dselnx16t v1, v2", 1, 1, "is not modelled: the control layout"),
    ],
)
def test_errors_name_line_and_column(text, line, column, said):
    with pytest.raises(vbool.ProgramError) as caught:
        vbool.VboolMachine().run(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert said in caught.value.reason


def test_only_a_newline_ends_a_line():
    assert len(vbool.parse("ivp_notb vb0, vb1\r\nivp_notb vb1, vb0\r\n")) == 2
    with pytest.raises(vbool.ProgramError, match="expected a comma"):
        vbool.parse("ivp_notb vb0, vb1\u2028ivp_notb vb1, vb0")


def test_a_choice_that_removes_an_operation_is_an_error_of_its_line():
    with pytest.raises(vbool.ProgramError, match=r"line 2, column 1: .*vbool-geu is absent"):
        vbool.VboolMachine(Choices(overrides={"vbool-geu": "absent"})).run("\nivp_geu2nx8 vb1, v1, v2")


# --- timing ------------------------------------------------------------------------------------------------


def stalls(*lines, **overrides):
    choices = Choices(overrides={name.replace("_", "-"): value for name, value in overrides.items()})
    return [step.issue.stalls for step in vbool.VboolMachine(choices).run("\n".join(lines)).steps]


def test_a_mask_forwards_to_its_consumer_without_a_stall():
    assert stalls("ivp_ltnx16 vb0, v0, v1", "ivp_addnx16t v2, v0, v1, vb0", "ivp_andb vb1, vb0, vb0") == [0, 0, 0]


def test_a_reduce_takes_two_cycles_and_a_product_three():
    assert stalls("ivp_raddnx16 v2, v0", "ivp_addnx16 v3, v2, v2") == [0, 1]
    assert stalls("ivp_muln_2xf32 v2, v0, v1", "ivp_addn_2x32 v3, v2, v2") == [0, 2]
    assert stalls("ivp_muln_2xf32 v2, v0, v1", "ivp_notb vb0, vb1", "ivp_addn_2x32 v3, v2, v2") == [0, 0, 1]


def test_the_steps_say_what_they_wait_for():
    result = vbool.VboolMachine().run("ivp_movab1 a3, vb0\nivp_ltrn vb1, a3\nivp_notb vb2, vb1")
    assert [(s.issue.cycle, s.issue.stalls, s.issue.waits_for) for s in result.steps] == [
        (0, 0, None), (9, 8, ("a", 3)), (10, 0, None),
    ]  # fmt: skip
    assert result.cycles == 11


def test_a_predicated_destination_is_a_source():
    assert stalls("ivp_rmaxnx16 v3, v0", "ivp_addnx16t v3, v1, v1, vb0") == [0, 1]


def test_compare_latency_is_a_choice_and_never_changes_a_value():
    text = "ivp_olen_2xf32t vb0, v0, v1, vb1"
    registers = loaded({"vb1": "0x" + "f" * 16})
    both = {}
    for value in ("fp-10-int-11", "port-model"):
        result = vbool.VboolMachine(Choices(overrides={"vbool-compare-latency": value})).run(text, registers)
        assert result.assumptions == {"vbool-compare-latency": value}
        both[value] = spelled(result.registers, name("vb0"))
    assert len(set(both.values())) == 1
    said, model = (row("ivp_olen_2xf32t", Choices(overrides={"vbool-compare-latency": v})) for v in both)
    assert (said.results["vb"], said.reads["vb"]) == (10, (10, 11))
    assert (model.results["vb"], model.reads["vb"]) == (11, (10,))
    assert "vbool-compare-latency" not in vbool.VboolMachine().run("ivp_ltnx16 vb0, v0, v1").assumptions


def test_rows_of_the_page():
    """The rows of section 11's table, as its VB_TIMING writes them."""
    printed = {
        "ivp_olen_2xf32t": ({"vb": 10}, {"vb": (10, 11), "v": (10,)}, True),
        "ivp_ltnx16": ({"vb": 11}, {"v": (10,)}, False),
        "ivp_andb": ({"vb": 10}, {"vb": (10,)}, False),
        "ivp_mov2nx8t": ({"v": 10}, {"vb": (10,), "v": (10,)}, False),
        "ivp_movvpr": ({"v": 12}, {"pr": (10,)}, True),
        "ivp_rbminnx16": ({"v": 12, "vb": 12}, {"v": (10,)}, True),
    }
    for mnemonic, (results, reads, disputed) in printed.items():
        found = row(mnemonic)
        assert (dict(found.results), dict(found.reads)) == (results, reads)
        assert (found.disputed, found.basis) == (disputed, "printed")


def test_every_operation_with_text_has_a_row_for_its_registers():
    for operation in TEXT:
        found = row(operation.mnemonic)
        line = vbool.parse(example(operation))[0]
        assert all(bound.prefix in found.results for bound in line.outputs.values()), operation.mnemonic
        read = [bound for bound in line.inputs.values() if isinstance(bound, vbool.Name)]
        assert all(bound.prefix in found.reads for bound in read), operation.mnemonic
        for prefix, stage in found.results.items():
            assert prefix not in PORTS or stage in (*PORTS[prefix].writes, 15) or found.disputed, operation.mnemonic
    with pytest.raises(KeyError):
        row("ivp_unheard_of")
