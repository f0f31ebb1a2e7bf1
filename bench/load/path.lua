-- GET of one path, URL_PATH, in the version of VERSION, or in the account's own.

dofile(os.getenv("LOAD_DIR") .. "tell.lua")

function init()
  wrk.headers["Authorization"] = os.getenv("AUTHORIZATION")
  if os.getenv("VERSION") then wrk.headers["Service-Version"] = os.getenv("VERSION") end
  wrk.path = os.getenv("URL_PATH")
end
