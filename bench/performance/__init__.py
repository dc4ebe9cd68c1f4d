"""The performance table: what the product promises of its speed, measured against a baseline in the same run.

measure.py        medians of work and baseline, taken in turns
engine_rows.py    instructions against NumPy by hand
validator_rows.py verdicts in bulk
service_rows.py   what the transports add
__main__.py       print the table, compare it with ratios.json
"""
