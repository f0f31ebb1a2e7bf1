-- GET /v1/references/<id>: one of IDS, or of COUNT ids that continue ID_START with a number. It uses the account CONTEXT if that is set.

dofile(os.getenv("LOAD_DIR") .. "tell.lua")

local ids = {}

function init()
  wrk.headers["Authorization"] = os.getenv("AUTHORIZATION")
  if os.getenv("CONTEXT") then wrk.headers["Service-Context"] = os.getenv("CONTEXT") end
  math.randomseed(tonumber(os.getenv("SEED")))
  if os.getenv("IDS") then
    for id in string.gmatch(os.getenv("IDS"), "[^,]+") do ids[#ids + 1] = id end
    return
  end
  local start = os.getenv("ID_START")
  for number = 1, tonumber(os.getenv("COUNT")) do
    ids[number] = string.format("%s%014d", start, number)
  end
end

function request()
  return wrk.format("GET", "/v1/references/" .. ids[math.random(#ids)])
end
