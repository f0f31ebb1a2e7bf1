-- Prints the result of a load, one line of JSON.
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('{"requests":%d,"failed":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d}\n',
    summary.requests, failed, summary.duration, latency:percentile(50), latency:percentile(99)))
end
