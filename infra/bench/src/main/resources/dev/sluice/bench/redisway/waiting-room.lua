-- A waiting room as it is usually built: one sorted set of those waiting, one of those admitted.
-- Enters a person, or says how they stand if they have entered before, and admits whom there is
-- room for. One script, so that nothing happens in between.
--
-- KEYS  last ticket, person -> "ticket:session", waiting by ticket, admitted by end of stay
-- ARGV  person, session, now (ms), length of a stay (ms), capacity
-- Answers {status, ticket, rank, waiting, end of stay}, or {"NOT_YOURS"}.

local person, session = ARGV[1], ARGV[2]
local now, stay, capacity = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now)

local ticket
local known = redis.call('HGET', KEYS[2], person)
if known then
  local colon = string.find(known, ':', 1, true)
  if string.sub(known, colon + 1) ~= session then
    return {'NOT_YOURS'}
  end
  ticket = tonumber(string.sub(known, 1, colon - 1))
end
local entered = known
  and (redis.call('ZSCORE', KEYS[3], person) or redis.call('ZSCORE', KEYS[4], person))
if not entered then
  ticket = redis.call('INCR', KEYS[1])
  redis.call('HSET', KEYS[2], person, ticket .. ':' .. session)
  redis.call('ZADD', KEYS[3], ticket, person)
end

local free = capacity - redis.call('ZCARD', KEYS[4])
if free > 0 then
  local first = redis.call('ZPOPMIN', KEYS[3], free)
  for i = 1, #first, 2 do
    redis.call('ZADD', KEYS[4], now + stay, first[i])
  end
end

local waiting = redis.call('ZCARD', KEYS[3])
local rank = redis.call('ZRANK', KEYS[3], person)
if rank then
  return {'WAITING', ticket, rank + 1, waiting, 0}
end
local ends = redis.call('ZSCORE', KEYS[4], person)
return {'ADMITTED', ticket, 0, waiting, tonumber(ends)}
