"""Lua scripts. Each touches one key, so they run on a Cluster too.

A session is a hash: version, oldest (of the versions it keeps, without gaps), ttl (seconds), record:<version> and
made:<version> (Unix time in milliseconds) of the kept ones, and token:<version> of the writes that made the last ones.

A quota is a sorted set of what counts towards it, by the Unix time in milliseconds at which that expires.
"""

from __future__ import annotations

_NOW = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
"""

# KEYS[1]  the session
# ARGV     record, ttl in seconds
# result   1 created, or created by the same call before; 0 the key holds another record
CREATE = f"""{_NOW}
if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('HGET', KEYS[1], 'record:1') == ARGV[1] and 1 or 0 end
redis.call('HSET', KEYS[1], 'version', 1, 'oldest', 1, 'ttl', ARGV[2], 'record:1', ARGV[1], 'made:1', now)
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
"""

# KEYS[1]  the session; its time to live starts anew
# ARGV     a version; none for the newest
# result   {newest version, oldest kept version, ttl, record or nil}, or nil if the key is gone
READ = """
local found = redis.call('HMGET', KEYS[1], 'version', 'oldest', 'ttl')
if not found[1] then return nil end
redis.call('EXPIRE', KEYS[1], found[3])
found[4] = redis.call('HGET', KEYS[1], 'record:' .. (ARGV[1] or found[1]))
return found
"""

# KEYS[1]  the session
# ARGV     none
# result   {version, record, made, version, record, made, ...}, newest first; nil if the key is gone
HISTORY = """
local found = redis.call('HMGET', KEYS[1], 'version', 'oldest')
if not found[1] then return nil end
local kept = {}
for version = tonumber(found[1]), tonumber(found[2]), -1 do
  local one = redis.call('HMGET', KEYS[1], 'record:' .. version, 'made:' .. version)
  kept[#kept + 1] = version
  kept[#kept + 1] = one[1]
  kept[#kept + 1] = one[2]
end
return kept
"""

# How many versions back a repeated write is known again: more than others can make while it is being repeated.
_TOKENS = 256

# KEYS[1]  the session
# ARGV     expected version, record, token of this write, how many versions are kept
# result   {1, version this write made}; {0, current version} another writer was faster; {0, 0} the key is gone
#
# The time to live goes on from where the writer read the session, which is when it knew that all blocks live that long.
#
# A script is repeated when its answer got lost with the connection. The token of the version it would have made says
# whether it did, also when others have gone on from there:
#   write 3 -> 4 with token T     done, answer lost
#   write 4 -> 5 with token U     done
#   write 3 -> 4 with token T     version is 5, and T made 4: it was this very write, so {1, 4}
REPLACE = f"""{_NOW}
local new = tonumber(ARGV[1]) + 1
local found = redis.call('HMGET', KEYS[1], 'version', 'oldest', 'token:' .. new)
if not found[1] then return {{0, 0}} end
if found[3] == ARGV[3] then return {{1, new}} end
if tonumber(found[1]) ~= new - 1 then return {{0, tonumber(found[1])}} end
local oldest = math.max(tonumber(found[2]), new - ARGV[4] + 1)
redis.call('HSET', KEYS[1], 'version', new, 'oldest', oldest,
  'record:' .. new, ARGV[2], 'made:' .. new, now, 'token:' .. new, ARGV[3])
for gone = tonumber(found[2]), oldest - 1 do redis.call('HDEL', KEYS[1], 'record:' .. gone, 'made:' .. gone) end
redis.call('HDEL', KEYS[1], 'token:' .. new - {_TOKENS})
return {{1, new}}
"""

# KEYS[1]  the quota
# ARGV     how many there may be, time to live in milliseconds, members, each once
# result   {1, members there are now}; {0, members there are, members that would be new}: none was added
#
# Lives are only made longer. Who adds nothing is never refused.
CLAIM = f"""{_NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local used, new = redis.call('ZCARD', KEYS[1]), 0
for k = 3, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[k]) then new = new + 1 end
end
if new > 0 and used + new > tonumber(ARGV[1]) then return {{0, used, new}} end
for k = 3, #ARGV do redis.call('ZADD', KEYS[1], 'GT', now + ARGV[2], ARGV[k]) end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {{1, used + new}}
"""

# KEYS[1]  the quota
# ARGV     member, time to live in milliseconds
# result   1 it is counted that long or longer; 0 it is not counted
RENEW = f"""{_NOW}
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], 'GT', now + ARGV[2], ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
"""

# KEYS[1]  a block or manifest
# ARGV     SHA-1 of the bytes that were read, index of the last byte that was asked for
# result   1 removed; 0 it is not there, or has been replaced since
EVICT = """
local stored = redis.call('GETRANGE', KEYS[1], 0, ARGV[2])
return redis.sha1hex(stored) == ARGV[1] and redis.call('UNLINK', KEYS[1]) or 0
"""
