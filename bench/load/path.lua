-- GET of one path, URL_PATH. It uses the version VERSION and the account CONTEXT if they are set.

dofile(os.getenv("LOAD_DIR") .. "tell.lua")

function init()
  wrk.headers["Authorization"] = os.getenv("AUTHORIZATION")
  if os.getenv("VERSION") then wrk.headers["Service-Version"] = os.getenv("VERSION") end
  if os.getenv("CONTEXT") then wrk.headers["Service-Context"] = os.getenv("CONTEXT") end
  wrk.path = os.getenv("URL_PATH")
end
