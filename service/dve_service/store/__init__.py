"""The store behind `ports.Store`: Redis or Valkey, one server, Sentinel or Cluster; by default a private Valkey.

connect.py       URL -> client
redis_store.py   the adapter
scripts.py       its Lua scripts
cache.py         blocks already seen, in this process
embedded.py      the private server
"""
