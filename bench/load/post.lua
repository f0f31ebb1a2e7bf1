-- POST /v1/references, each with a new Idempotency-Key unless KEYS is none. The key is in AUTHORIZATION, the body in BODY.

dofile(os.getenv("LOAD_DIR") .. "tell.lua")

local seed, number, keyed = 0, 0, true

function init()
  seed = tonumber(os.getenv("SEED"))
  math.randomseed(seed)
  wrk.method = "POST"
  wrk.path = "/v1/references"
  wrk.headers["Authorization"] = os.getenv("AUTHORIZATION")
  wrk.headers["Content-Type"] = "application/json"
  wrk.body = os.getenv("BODY")
  keyed = os.getenv("KEYS") ~= "none"
end

-- As random as a UUID where it matters, in its beginning, and never twice.
function request()
  number = number + 1
  if not keyed then return wrk.format() end
  wrk.headers["Idempotency-Key"] = string.format("%08x-%08x-%08x", math.random(0, 2147483647), seed, number)
  return wrk.format()
end
