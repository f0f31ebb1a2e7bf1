-- GET of one path, URL_PATH, in the version of VERSION.

dofile(os.getenv("LOAD_DIR") .. "tell.lua")

function init()
  wrk.headers["Authorization"] = os.getenv("AUTHORIZATION")
  wrk.headers["Service-Version"] = os.getenv("VERSION")
  wrk.path = os.getenv("URL_PATH")
end
