-- Steps of a script: each one's answer, or its error, goes to the JSON file $AKM_TEST_RESULTS at
-- once, so that a script that stops half way still says how far it came.

local steps = {
  patience = 25000, -- ms; a loaded machine starts a server slowly
  results = {},
}

local function record(name, value)
  steps.results[name] = value
  local file = assert(io.open(vim.env.AKM_TEST_RESULTS, 'w'))
  file:write(vim.json.encode(steps.results))
  file:close()
end

function steps.step(name, action)
  local ok, value = xpcall(action, debug.traceback)
  record(name, ok and { value = value } or { error = value })
end

function steps.wait_for(what, condition)
  if not vim.wait(steps.patience, condition, 20) then
    error('waited in vain for ' .. what, 2)
  end
end

function steps.finish()
  record('finished', { value = true })
  vim.cmd('qall!')
end

return steps
