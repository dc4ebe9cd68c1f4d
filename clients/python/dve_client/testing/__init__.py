"""What tests assert: that programs are legal and that memory holds what it should. dve_pytest makes fixtures of it.

comparison.py   assert_memory: memory bit by bit, or within units in the last place
client.py       CheckedClient: a client with the assertions
golden.py       Golden: memory kept in files
"""

from .client import CheckedClient
from .comparison import assert_memory
from .golden import Golden

__all__ = ["CheckedClient", "Golden", "assert_memory"]
