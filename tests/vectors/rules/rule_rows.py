"""The hand-written tables of the rule vectors: families of rows, and what cannot be broken.

make_rule_vectors.py turns them into JSON. Notation and shared rows: rows_common.py; one rows_*.py per group of
families.
"""

import rows_control
import rows_elementwise
import rows_extra
import rows_norm
import rows_predicated
import rows_reduce
import rows_scan
import rows_select

GROUPS = (rows_predicated, rows_elementwise, rows_control, rows_select, rows_scan, rows_reduce, rows_norm, rows_extra)

FAMILIES = {name: family for group in GROUPS for name, family in group.FAMILIES.items()}
UNBREAKABLE = tuple(row for group in GROUPS for row in group.UNBREAKABLE)
PARTS = tuple(part for group in GROUPS for part in group.PARTS)
