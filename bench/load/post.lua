-- POST /v1/references. Each has a new Idempotency-Key, none if KEYS is none, or one of KEYS keys if it is a number. The API key is
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

-- As random as a UUID at its beginning, where that matters, and unique.
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
