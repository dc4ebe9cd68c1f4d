"""Lua scripts. Each touches one key, so they run on a Cluster too.

A session is a hash: version, record, ttl (seconds), and token:<version> of the writes that made the last versions.
"""

from __future__ import annotations

# KEYS[1]  the session
# ARGV     record, ttl in seconds
# result   1 created, or created by the same call before; 0 the key holds another record
CREATE = """
local found = redis.call('HGET', KEYS[1], 'record')
if found then return found == ARGV[1] and 1 or 0 end
redis.call('HSET', KEYS[1], 'version', 1, 'record', ARGV[1], 'ttl', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
"""

# KEYS[1]  the session; its time to live starts anew
# ARGV     none
# result   {version, record, ttl}, or nil if the key is gone
READ = """
local found = redis.call('HMGET', KEYS[1], 'version', 'record', 'ttl')
if not found[1] then return nil end
redis.call('EXPIRE', KEYS[1], found[3])
return found
"""

# How many versions back a repeated write is known again: more than others can make while it is being repeated.
_TOKENS = 256

# KEYS[1]  the session
# ARGV     expected version, record, token of this write
# result   {1, version this write made}; {0, current version} another writer was faster; {0, 0} the key is gone
#
# A script is repeated when its answer got lost with the connection. The token of the version it would have made says
# whether it did, also when others have gone on from there:
#   write 3 -> 4 with token T     done, answer lost
#   write 4 -> 5 with token U     done
#   write 3 -> 4 with token T     version is 5, and T made 4: it was this very write, so {1, 4}
REPLACE = f"""
local new = tonumber(ARGV[1]) + 1
local found = redis.call('HMGET', KEYS[1], 'version', 'ttl', 'token:' .. new)
if not found[1] then return {{0, 0}} end
if found[3] == ARGV[3] then return {{1, new}} end
if tonumber(found[1]) ~= new - 1 then return {{0, tonumber(found[1])}} end
redis.call('HSET', KEYS[1], 'version', new, 'record', ARGV[2], 'token:' .. new, ARGV[3])
redis.call('HDEL', KEYS[1], 'token:' .. new - {_TOKENS})
redis.call('EXPIRE', KEYS[1], found[2])
return {{1, new}}
"""

# KEYS[1]  a block or manifest
# ARGV     SHA-1 of the bytes that were read, index of the last byte that was asked for
# result   1 removed; 0 it is not there, or has been replaced since
EVICT = """
local stored = redis.call('GETRANGE', KEYS[1], 0, ARGV[2])
return redis.sha1hex(stored) == ARGV[1] and redis.call('UNLINK', KEYS[1]) or 0
"""
