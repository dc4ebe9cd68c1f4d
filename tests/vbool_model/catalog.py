"""Every operation of isa/07 under its mnemonic. One output is called by the name the engine's table gives it."""

from fractions import Fraction

from tests.vbool_model import floats, integers, masks, reduces
from tests.vbool_model.words import ALL, FIELD, FLOATS, TOKENS, lanes, low_bits, pack, vector

DEFAULTS = {
    "vbool-compare-t-inactive": "zero",
    "vbool-predflag": "packer",
    "vbool-ltrs-limit": "all-ones",
    "vbool-empty-reduce": "identity",
    "vbool-zero-tie-mask": "equal-bits",
    "dropout-tie": "rate-rule",
    "dropout-draw-map": "mantissa-fill",
}
MODEL = {}


def operation(*names):
    def register(function):
        for name in names:
            assert name not in MODEL, name
            MODEL[name] = lambda inputs, choices=None, f=function: f(inputs, DEFAULTS | (choices or {}))
        return function

    return register


def by_lane(function, *vecs, bits):
    return vector([function(*group) for group in zip(*(lanes(vec, bits) for vec in vecs), strict=True)], bits)


# --- compares ----------------------------------------------------------------------------------------------


def _int_compares():
    for bits, token in TOKENS.items():
        for op in integers.COMPARES:

            def whole(i, _, op=op, bits=bits):
                pairs = zip(lanes(i["a"], bits), lanes(i["b"], bits), strict=True)
                return {"vb": pack([integers.compare(op, a, b, bits) for a, b in pairs], FIELD[bits])}

            operation(f"ivp_{op}{token}")(whole)
            if op != "geu":

                def lane(i, _, op=op, bits=bits):
                    return {"result": ((1 << FIELD[bits]) - 1) * integers.compare(op, i["a"], i["b"], bits)}

                operation(f"{op}_{FIELD[bits]}_{bits}_{bits}")(lane)


def _fp_compares():
    for bits, token in FLOATS.items():
        for op in floats.TRUTH:

            def whole(i, choices, op=op, bits=bits):
                live = [True] * (512 // bits) if i.get("pred") is None else low_bits(i["pred"], FIELD[bits])
                old, fields = i.get("old") or 0, []
                invalid = 0
                for index, (a, b) in enumerate(zip(lanes(i["a"], bits), lanes(i["b"], bits), strict=True)):
                    result, flag = floats.compare(op, a, b, bits)
                    ones = (1 << FIELD[bits]) - 1
                    if live[index]:
                        fields.append(ones * result)
                        invalid |= flag
                    elif choices["vbool-compare-t-inactive"] == "merge":
                        fields.append(old >> index * FIELD[bits] & ones)
                    else:
                        fields.append(0)
                return {"vb": sum(f << index * FIELD[bits] for index, f in enumerate(fields)), "invalid": invalid}

            operation(f"ivp_{op}{token}", f"ivp_{op}{token}t")(whole)
            for field in (1, FIELD[bits]):

                def lane(i, _, op=op, bits=bits, field=field):
                    result, invalid = floats.compare(op, i["a"], i["b"], bits)
                    return {"result": ((1 << field) - 1) * result, "invalid": invalid}

                operation(f"{op}_1_{field}_{bits}f_{bits}f")(lane)


def _fp_other():
    for bits, token in FLOATS.items():
        operation(f"clsfy_{bits}f_{bits}f")(lambda i, _, bits=bits: {"result": floats.classify(i["x"], bits)})

        def classes(i, _, bits=bits):
            new = by_lane(lambda x: floats.classify(x, bits), i["a"], bits=bits)
            return {"vec": _gated(i, new, bits)}

        operation(f"ivp_clsfy{token}", f"ivp_clsfy{token}t")(classes)
        for op, rule in (
            ("max", floats.plain), ("min", floats.plain), ("maxnum", floats.number), ("minnum", floats.number)
        ):  # fmt: skip

            def lane(i, _, op=op, rule=rule, bits=bits):
                result, invalid = rule(op, i["a"], i["b"], bits)
                return {"result": result, "invalid": invalid}

            operation(f"{op}_1_{bits}f_{bits}f_{bits}f")(lane)

            def whole(i, _, op=op, rule=rule, bits=bits):
                return _fp_whole(i, lambda a, b: rule(op, a, b, bits), bits)

            operation(f"ivp_{op}{token}", f"ivp_{op}{token}t")(whole)
    operation("ivp_muln_2xf32", "ivp_muln_2xf32t")(lambda i, _: _fp_whole(i, floats.times, 32))


def _gated(i, new, bits):
    return new if i.get("vb") is None else integers.merged(i["old"], new, i["vb"], bits)


def _fp_whole(i, rule, bits):
    pairs = [rule(a, b) for a, b in zip(lanes(i["a"], bits), lanes(i["b"], bits), strict=True)]
    live = [True] * len(pairs) if i.get("vb") is None else low_bits(i["vb"], FIELD[bits])
    new = vector([result for result, _ in pairs], bits)
    invalid = int(any(flag and alive for (_, flag), alive in zip(pairs, live, strict=True)))
    return {"result": _gated(i, new, bits), "invalid": invalid}


# --- masks -------------------------------------------------------------------------------------------------


def _masks():
    for op in masks.BITWISE:
        operation(f"ivp_{op}")(lambda i, _, op=op: {"vb": masks.bitwise(op, i["a"], i["b"])})
    operation("ivp_notb")(lambda i, _: {"vb": masks.inverted(i["a"])})
    operation("ivp_notb1")(lambda i, _: {"bit": 1 - i["a"]})
    operation("ivp_andnotb1")(lambda i, _: {"bit": int(masks.BITWISE["andnotb"][f"{i['a']}{i['b']}"])})
    operation("ivp_ornotb1")(lambda i, _: {"bit": int(masks.BITWISE["ornotb"][f"{i['a']}{i['b']}"])})
    operation("ivp_joinb")(lambda i, _: {"vb": masks.joined(i["hi"], i["lo"])})
    operation("ivp_extractbl")(lambda i, _: {"result": masks.low_half(i["vb"])})
    operation("ivp_extractbh")(lambda i, _: {"result": masks.high_half(i["vb"])})
    operation("extractbl_2_1", "extractbh_2_1")(lambda i, _: {"result": 3 * (i["b"] % 2)})
    operation("ivp_mb", "mov_64_64")(lambda i, _: {"vb": i["a"]})
    operation("ivp_ext0ib")(lambda i, _: {"result": int(masks.digits(i["vb"])[i["bit"]]) if i["bit"] < 64 else 0})
    operation("ivp_movba1", "mov_1_32")(lambda i, _: {"bit": i["ar"] % 2})
    operation("ivp_movab1")(lambda i, _: {"ar": i["bit"]})
    for token, field in (("2n", 1), ("n", 2), ("n_2", 4)):
        operation(f"ivp_randb{token}")(lambda i, _, f=field: {"bit": masks.every(i["vb"], f)})
        operation(f"ivp_rorb{token}")(lambda i, _, f=field: {"bit": masks.some(i["vb"], f)})
        operation(f"ivp_ltr{token}", f"ivp_ltr{token}i")(lambda i, _, f=field: {"vb": masks.tail(i["n"], f)})

        def saturating(i, choices, field=field):
            return {"vb": masks.saturating_tail(i["n"], field, choices["vbool-ltrs-limit"] == "cap-63")}

        operation(f"ivp_ltrs{token}")(saturating)
    for field in (2, 4, 8):

        def flags(i, choices, field=field):
            if choices["vbool-predflag"] == "packer":
                return {"result": masks.packed_flags(i["flags"], field)}
            return {"result": masks.sticky_flag(i["flags"], i["vb"], field)}

        operation(f"predflag{field}t")(flags)
    operation("popc_8_8")(lambda i, _: {"count": format(i["x"], "b").count("1")})
    operation("popc64_7_64")(lambda i, _: {"count": format(i["vb"], "b").count("1")})
    operation("ivp_popc2nx8")(lambda i, _: {"result": bytes(format(x, "b").count("1") for x in i["vec"])})
    for bits, field in ((8, 1), (16, 2), (32, 4)):
        operation(f"bitkillt_{bits}_{field}")(lambda i, _, b=bits: {"kill": masks.killed(i["pred"], b)})
    for bits, field in ((16, 1), (16, 2), (32, 4)):
        operation(f"bitkillf_{bits}_{field}")(
            lambda i, _, b=bits: {"kill": (1 << b) - 1 - masks.killed(i["pred"], b)}
        )
    operation("bitkill_moveqz")(lambda i, _: {"bit": int(i["x"] == 0)})
    operation("bitkill_movnez")(lambda i, _: {"bit": int(i["x"] != 0)})
    operation("bitkill_movgez")(lambda i, _: {"bit": int(i["x"] < 1 << 31)})
    operation("bitkill_movltz")(lambda i, _: {"bit": int(i["x"] >= 1 << 31)})


def _bank():
    operation("ivp_movfsv")(lambda i, _: {"fs": masks.transposed(i["vec"])})
    operation("ivp_movvfs")(lambda i, _: {"vec": masks.from_bank(i["fs"])})
    operation("ivp_borfs2n")(lambda i, _: {"vb": masks.either(i["masks"])})
    operation("ivp_bnorfs2n")(lambda i, _: {"vb": ALL - masks.either(i["masks"])})
    for n in range(8):
        operation(f"ivp_fs{n}ltu2nx8")(
            lambda i, _: {"fs": pack([a < b for a, b in zip(i["a"], i["b"], strict=True)], 1)}
        )
        operation(f"fs{n}ltu_64_8_8")(lambda i, _: {"result": int(i["a"] < i["b"])})


# --- lanes under a mask ------------------------------------------------------------------------------------

ALL_WIDTHS, HALVES = (8, 16, 32), (16,)
ALU = {
    "add": ALL_WIDTHS, "sub": ALL_WIDTHS, "adds": HALVES, "subs": HALVES, "neg": HALVES, "negs": HALVES,
    "max": HALVES, "maxu": HALVES, "min": HALVES, "minu": HALVES, "abssub": ALL_WIDTHS, "abssubu": ALL_WIDTHS,
}  # fmt: skip
FLAGGED = {
    **dict.fromkeys(("bmax", "bmaxu", "bmin", "bminu", "babs", "babssub", "babssubu"), ALL_WIDTHS),
    "baddnorm": HALVES,
    "bsubnorm": HALVES,
    "bxorabssubu": (8,),
}


def _alu():
    for op, widths in ALU.items():
        for bits in widths:

            def lane(i, _, op=op, bits=bits):
                return {"result": integers.alu(op, i["a"], i.get("b", 0), bits)}

            operation(f"{op}_{bits}_{bits}" if op in ("neg", "negs") else f"{op}_{bits}_{bits}_{bits}")(lane)
            if op.startswith("abs"):
                continue

            def whole(i, _, op=op, bits=bits):
                new = by_lane(lambda a, b: integers.alu(op, a, b, bits), i["a"], i.get("b", i["a"]), bits=bits)
                return {"vec": _gated(i, new, bits)}

            operation(f"ivp_{op}{TOKENS[bits]}", f"ivp_{op}{TOKENS[bits]}t")(whole)
    operation("ivp_addnx16t.lane")(
        lambda i, _: {"result": (i["a"] + i["b"]) % 65536 if i["pred"] % 2 else i["old"]}
    )
    for op, widths in FLAGGED.items():
        for bits in widths:
            field = FIELD[bits]

            def lane(i, _, op=op, bits=bits, field=field):
                data, flag = integers.flagged(op, i["a"], i.get("b", 0), bits, i.get("pred", 0))
                return {"pred": ((1 << field) - 1) * flag, "data": data}

            inputs = {"babs": f"{bits}", "bxorabssubu": "8_8_1"}.get(op, f"{bits}_{bits}")
            operation(f"{op}_{field}_{bits}_{inputs}")(lane)

            def whole(i, _, op=op, bits=bits, field=field):
                b = i.get("b", i["a"])
                pins = low_bits(i.get("vb", 0), field)
                rows = zip(lanes(i["a"], bits), lanes(b, bits), pins, strict=True)
                both = [integers.flagged(op, x, y, bits, int(pin)) for x, y, pin in rows]
                return {"data": vector([d for d, _ in both], bits), "vb": pack([f for _, f in both], field)}

            operation(f"ivp_{op}{TOKENS[bits]}")(whole)


def _moves():
    operation("ivp_mov2nx8t")(lambda i, _: {"vec": integers.merged(i["old"], i["src"], i["vb"], 8)})
    operation("mov_8_8_8_t")(lambda i, _: {"result": i["src"] if i["mask"] else i["old"]})
    operation("ivp_dcmprs2nx8")(lambda i, _: {"result": integers.expanded(i["vec"], i["vb"])})
    for bits, token in TOKENS.items():
        field = FIELD[bits]

        def select(i, _, bits=bits):
            return {"result": _gated(i, integers.selected(i["vr"], i["vs"], i["sr"], bits), bits)}

        operation(f"ivp_sel{token}", f"ivp_sel{token}t")(select)

        def repeat(i, _, bits=bits):
            count = 512 // bits
            return {"result": _gated(i, vector([lanes(i["vec"], bits)[i["lane"] % count]] * count, bits), bits)}

        operation(f"ivp_rep{token}", f"ivp_rep{token}t")(repeat)
        operation(f"ivp_extbi{token}")(
            lambda i, _, b=bits, f=field: {"vb": pack(integers.plane(i["vec"], b, i["bit"]), f)}
        )
        operation(f"extbi_{field}_{bits}_32")(
            lambda i, _, b=bits, f=field: {"result": ((1 << f) - 1) * (i["val"] >> i["bit"] % b & 1)}
        )

        def inject(i, _, bits=bits, field=field):
            rows = zip(lanes(i["base"], bits), low_bits(i["vb"], field), strict=True)
            return {"vec": vector([integers.with_bit(base, bits, p, i["bit"]) for base, p in rows], bits)}

        operation(f"ivp_injbi{token}")(inject)
        operation(f"injbi_{bits}_{bits}_{field}_32")(
            lambda i, _, b=bits: {"result": integers.with_bit(i["base"], b, i["pred"] % 2, i["bit"])}
        )
        operation(f"ivp_extrpr{token}")(lambda i, _, b=bits: {"pr": lanes(i["vec"], b)[i["lane"] % (512 // b)]})
    operation("ivp_extrpr64n_4x64")(lambda i, _: {"pr": lanes(i["vec"], 64)[i["lane"] % 8]})
    operation("ivp_extrprvrn_2x32")(lambda i, _: {"pr": lanes(i["vec"], 32)[i["lane"] % 16]})

    def pair(i, _):
        values = lanes(i["vec"], 32)
        return {"pr": values[i["lane0"] % 16] + (values[i["lane1"] % 16] << 32)}

    operation("ivp_dextrprn_2x32")(pair)
    operation("ivp_movprpr")(lambda i, _: {"pr": i["a"]})
    operation("ivp_movpra32")(lambda i, _: {"pr": i["ar"] + (0xFFFFFFFF00000000 if i["ar"] >> 31 else 0)})
    operation("ivp_movvpr")(lambda i, _: {"vec": vector([i["pr"]] * 8, 64)})


# --- reduces -----------------------------------------------------------------------------------------------


def _reduces():
    sums = {
        "nx16": (16, 32, {}), "unx16": (16, 32, {"unsigned": True}), "snx16": (16, 16, {"saturate": True}),
        "2nx8": (8, 16, {}), "u2nx8": (8, 16, {"unsigned": True}), "n_2x32": (32, 32, {}),
    }  # fmt: skip
    for token, (bits, out, options) in sums.items():

        def total(i, _, bits=bits, out=out, options=options):
            return {"result": reduces.total(i["vec"], bits, out, pred=i.get("pred"), **options)}

        operation(f"ivp_radd{token}", f"ivp_radd{token}t")(total)
    for bits, token in TOKENS.items():
        for largest in (True, False):
            for unsigned in (True, False):
                name = f"{'max' if largest else 'min'}{'u' if unsigned else ''}{token}"

                def best(i, choices, bits=bits, largest=largest, unsigned=unsigned):
                    result = reduces.extremum(
                        i["vec"], bits, largest=largest, unsigned=unsigned, pred=i.get("pred"),
                        empty=choices["vbool-empty-reduce"], old=i.get("old"),
                    )  # fmt: skip
                    return {"result": result}

                operation(f"ivp_r{name}")(best)
                if bits == 16:
                    operation(f"ivp_r{name}t")(best)

                def both(i, _, bits=bits, largest=largest, unsigned=unsigned):
                    value, vb = reduces.winners(i["vec"], bits, largest=largest, unsigned=unsigned)
                    return {"value": value, "vb": vb}

                operation(f"ivp_rb{name}")(both)
    for bits, token in FLOATS.items():
        for largest in (True, False):
            name = f"{'max' if largest else 'min'}num{token}"

            def numbers(i, choices, bits=bits, largest=largest):
                result, vb, invalid = reduces.number_extremum(
                    i["vec"], bits, largest=largest, pred=i.get("pred"), empty=choices["vbool-empty-reduce"],
                    zeros=choices["vbool-zero-tie-mask"], old=i.get("old"),
                )  # fmt: skip
                return {"result": result, "vb": vb, "invalid": invalid}

            operation(f"ivp_rb{name}", f"ivp_rb{name}t")(numbers)

            def value(i, choices, numbers=numbers):
                whole = numbers(i, choices)
                return {"result": whole["result"], "invalid": whole["invalid"]}

            operation(f"ivp_r{name}", f"ivp_r{name}t")(value)


# --- dropout -----------------------------------------------------------------------------------------------


def uniform(u, rule):
    if rule == "mantissa-fill":
        return floats.nearest(Fraction(u >> 9, 1 << 23))
    return floats.nearest(floats.value(floats.nearest(Fraction(u)), 32) / (1 << 32))


def kept(draw, threshold, keep_rate, rule):
    f, t = floats.value(draw, 32), floats.value(threshold, 32)
    unordered = floats.NAN in (f, t)
    below, above = not unordered and f < t, not unordered and f > t
    if rule == "rate-rule":
        return below if keep_rate else not below
    if rule == "strict-both":
        return below if keep_rate else above
    return not above if keep_rate else not below


def _dropout():
    operation("dropout.uniform01")(lambda i, c: {"f": [uniform(u, c["dropout-draw-map"]) for u in i["u"]]})

    def dropped(i, choices, keep_rate):
        keep = [kept(f, i["threshold"], keep_rate, choices["dropout-tie"]) for f in lanes(i["rand"], 32)]
        data = [x if k else 0 for x, k in zip(lanes(i["src"], 32), keep, strict=True)]
        return pack(keep, 4), data

    def mask(i, choices, keep_rate):
        vb, data = dropped(i, choices, keep_rate)
        return {"vb": vb, "dst": vector(data, 32)}

    operation("dropout.drop_rate")(lambda i, c: mask(i, c, False))
    operation("dropout.keep_rate")(lambda i, c: mask(i, c, True))

    def scaled(i, choices):
        _, data = dropped(i, choices, False)
        return {"dst": vector([floats.times(x, i["scale"])[0] for x in data], 32)}

    operation("dropout.drop_rate_then_mul")(scaled)


for part in (_int_compares, _fp_compares, _fp_other, _masks, _bank, _alu, _moves, _reduces, _dropout):
    part()
