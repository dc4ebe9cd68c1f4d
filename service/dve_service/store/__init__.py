"""The store behind `ports.Store`: Redis or Valkey, one server, Sentinel or Cluster; by default a private Valkey.

connect.py       URL -> client
redis_store.py   the adapter
scripts.py       its Lua scripts
packing.py       values as stored: compressed, and checked against their digests when read
faults.py        which failures are tried again, and how they end
cache.py         blocks already seen, in this process
embedded.py      the private server
"""
