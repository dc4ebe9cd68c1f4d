"""Floor 2: addresses, patterns, and the two on-chip memories.

region.py    Space, Region: how callers name bytes
address.py   ADDR4 words and address arithmetic, one element or whole columns at a time
pattern.py   walks: the order in which a pattern visits elements
image.py     DeviceMemory: SBUF and PSUM as arrays, read and written by region
access.py    Access: a resolved operand; reads and writes elements, checks bounds
indirect.py  index lists of gather and scatter operands
tiles.py     the 32 x 32 tile transpose
footprint.py which bytes operands cover
overlap.py   whether two operands touch common bytes
journal.py   undo of a program whose errors cannot all be seen before it starts
"""
