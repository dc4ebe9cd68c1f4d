"""Lua scripts of the session key. Each touches one key, so they run on a Cluster too.

A session is a hash: version, record, ttl (seconds), token (of the last write).
"""

from __future__ import annotations

# KEYS[1]  the session
# ARGV     record, ttl in seconds
# result   1 created, 0 the key exists
CREATE = """
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'version', 1, 'record', ARGV[1], 'ttl', ARGV[2], 'token', '')
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

# KEYS[1]  the session
# ARGV     expected version, record, token of this write
# result   {1, new version} written; {0, current version} another writer was faster; {0, 0} the key is gone
#
# The client library repeats a script whose answer got lost with the connection. The token makes that safe:
#   write 3 -> 4 with token T     done, answer lost
#   write 3 -> 4 with token T     version is 4, last token is T: it was this very write, so {1, 4}
REPLACE = """
local found = redis.call('HMGET', KEYS[1], 'version', 'ttl', 'token')
if not found[1] then return {0, 0} end
local current = tonumber(found[1])
if current ~= tonumber(ARGV[1]) then
  if found[3] == ARGV[3] then return {1, current} end
  return {0, current}
end
redis.call('HSET', KEYS[1], 'version', current + 1, 'record', ARGV[2], 'token', ARGV[3])
redis.call('EXPIRE', KEYS[1], found[2])
return {1, current + 1}
"""
