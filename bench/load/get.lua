-- GET /v1/references/<id>, one of COUNT that are numbered after ID_START.

dofile(os.getenv("LOAD_DIR") .. "tell.lua")

local ids = {}
local count = 0

function init()
  wrk.headers["Authorization"] = os.getenv("AUTHORIZATION")
  math.randomseed(tonumber(os.getenv("SEED")))
  count = tonumber(os.getenv("COUNT"))
  local start = os.getenv("ID_START")
  for number = 1, count do
    ids[number] = string.format("%s%014d", start, number)
  end
end

function request()
  return wrk.format("GET", "/v1/references/" .. ids[math.random(count)])
end
