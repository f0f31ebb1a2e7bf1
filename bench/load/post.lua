-- POST /v1/references, each with a new Idempotency-Key; without one if KEYS is none; with one of so many if KEYS is a number. The key is
-- in AUTHORIZATION, the body in BODY.

dofile(os.getenv("LOAD_DIR") .. "tell.lua")

local seed, number, keyed, repeated = 0, 0, true, nil

function init()
  seed = tonumber(os.getenv("SEED"))
  math.randomseed(seed)
  wrk.method = "POST"
  wrk.path = "/v1/references"
  wrk.headers["Authorization"] = os.getenv("AUTHORIZATION")
  wrk.headers["Content-Type"] = "application/json"
  wrk.body = os.getenv("BODY")
  keyed = os.getenv("KEYS") ~= "none"
  repeated = tonumber(os.getenv("KEYS") or "")
end

-- As random as a UUID where it matters, in its beginning, and never twice.
function request()
  number = number + 1
  if not keyed then return wrk.format() end
  if repeated then
    wrk.headers["Idempotency-Key"] = string.format("repeated-%08d", number % repeated)
    return wrk.format()
  end
  wrk.headers["Idempotency-Key"] = string.format("%08x-%08x-%08x", math.random(0, 2147483647), seed, number)
  return wrk.format()
end
