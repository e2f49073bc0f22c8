-- What a person does in the editor, as one script: open a skill, look, jump, complete, search.

local steps = dofile(vim.fs.joinpath(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)), 'steps.lua'))
local step, wait_for = steps.step, steps.wait_for

local bufnr = vim.api.nvim_get_current_buf()
local client
-- Hints give advice on the file; the steps are about what is wrong with it.
local graver = { severity = { min = vim.diagnostic.severity.INFO } }

local function request(method, params)
  local response, problem = client:request_sync(method, params, steps.patience, bufnr)
  if not response then
    error(method .. ': ' .. problem)
  end
  if response.err then
    error(method .. ': ' .. vim.inspect(response.err))
  end
  return response.result
end

--- Puts the cursor into the first occurrence of `text` and returns it as request parameters.
local function at(text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
    local first = line:find(text, 1, true)
    if first then
      vim.api.nvim_win_set_cursor(0, { number, first + 2 })
      return vim.lsp.util.make_position_params(0, client.offset_encoding)
    end
  end
  error('no ' .. text .. ' in the buffer')
end

--- A range of the buffer as the text it covers, so that a wrong offset shows.
local function text_of(range)
  local items = vim.lsp.util.locations_to_items(
    { { uri = vim.uri_from_bufnr(bufnr), range = range } }, client.offset_encoding)
  local item = items[1]
  return vim.api.nvim_buf_get_text(bufnr, item.lnum - 1, item.col - 1, item.end_lnum - 1, item.end_col - 1, {})[1]
end

local function has_diagnostic(part)
  return vim.iter(vim.diagnostic.get(bufnr, graver)):any(function(diagnostic)
    return diagnostic.message:find(part, 1, true) ~= nil
  end)
end

local function locations(result)
  local list = vim.islist(result or {}) and result or { result }
  return vim.tbl_map(function(location)
    local range = location.range or location.targetSelectionRange or location.targetRange
    return { path = vim.uri_to_fname(location.uri or location.targetUri), line = range.start.line }
  end, list or {})
end

--- Types in Insert mode, waits for the popup menu, takes what is selected first, and leaves.
local function type_and_accept(keys)
  local words
  local timer = assert(vim.uv.new_timer())
  local deadline = vim.uv.now() + steps.patience
  timer:start(50, 50, vim.schedule_wrap(function()
    if timer:is_closing() or (vim.fn.pumvisible() == 0 and vim.uv.now() < deadline) then
      return
    end
    timer:close()
    words = vim.tbl_map(function(item) return item.word end, vim.fn.complete_info({ 'items' }).items)
    vim.api.nvim_feedkeys(vim.keycode('<C-n><C-y><Esc>'), 't', false)
  end))
  -- "x!": process the keys now and stay in Insert mode until the timer types <Esc>.
  vim.api.nvim_feedkeys(keys, 'tx!', false)
  return words
end

step('attach', function()
  wait_for('akm-ls to attach', function()
    client = client or vim.lsp.get_clients({ bufnr = bufnr, name = 'akm', _uninitialized = true })[1]
    if client and client:is_stopped() then
      error('the server ended at its start')
    end
    return client ~= nil and client.initialized
  end)
  return { root = client.root_dir, encoding = client.offset_encoding, filetype = vim.bo[bufnr].filetype }
end)

if steps.results.attach.value then
  step('diagnostics', function()
    wait_for('a diagnostic', function() return has_diagnostic('announcing') end)
    return vim.tbl_map(function(diagnostic)
      return {
        code = diagnostic.code,
        source = diagnostic.source,
        line = diagnostic.lnum,
        text = vim.api.nvim_buf_get_text(bufnr, diagnostic.lnum, diagnostic.col, diagnostic.end_lnum, diagnostic.end_col, {})[1],
      }
    end, vim.diagnostic.get(bufnr, graver))
  end)

  step('hover', function()
    local hover = request('textDocument/hover', at('team//knowledge/auth/tokens'))
    return { contents = hover.contents, covers = hover.range and text_of(hover.range) }
  end)

  step('references', function()
    local params = at('knowledge/auth/tokens') -- in xrefs, without a bundle
    params.context = { includeDeclaration = false }
    return locations(request('textDocument/references', params))
  end)

  step('command_of_a_lens', function()
    local params = at('knowledge/auth/tokens')
    params.context = { includeDeclaration = false }
    local places = request('textDocument/references', params)
    client:exec_cmd({
      title = 'citations',
      command = 'akm.showReferences',
      arguments = { params.textDocument.uri, params.position, places },
    }, { bufnr = bufnr })
    local listed = vim.fn.getqflist({ title = true, items = true })
    vim.fn.setqflist({}, 'f')
    vim.cmd('cclose')
    return { title = listed.title, places = #listed.items }
  end)

  step('definition', function()
    return locations(request('textDocument/definition', at('team//knowledge/auth/tokens')))
  end)

  step('jump', function()
    at('team//knowledge/auth/tokens')
    vim.lsp.buf.definition()
    wait_for('the jump', function() return vim.api.nvim_get_current_buf() ~= bufnr end)
    local place = { path = vim.api.nvim_buf_get_name(0), line = vim.api.nvim_win_get_cursor(0)[1] - 1 }
    vim.api.nvim_set_current_buf(bufnr)
    return place
  end)

  step('completion', function()
    vim.api.nvim_buf_set_lines(bufnr, -1, -1, false, { 'See team//knowledge/auth/ there.' })
    local params = at('team//knowledge/auth/ there')
    params.position.character = #'See team//knowledge/auth/'
    local result = request('textDocument/completion', params)
    vim.api.nvim_buf_set_lines(bufnr, -2, -1, false, {})
    return vim.tbl_map(function(item) return item.label end, result.items or result)
  end)

  step('completion_while_typing', function()
    vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(bufnr), 0 })
    local words = type_and_accept('oMore in 🔑 team//knowledge/auth/tok')
    return { words = words, line = vim.api.nvim_get_current_line() }
  end)

  step('diagnostics_while_typing', function()
    vim.api.nvim_buf_set_lines(bufnr, -1, -1, false, { '3. And team//knowledge/auth/typo is broken.' })
    wait_for('the new diagnostic', function() return has_diagnostic('team//knowledge/auth/typo') end)
    vim.api.nvim_buf_set_lines(bufnr, -2, -1, false, {})
    wait_for('the diagnostic to go', function() return not has_diagnostic('team//knowledge/auth/typo') end)
    return true
  end)

  step('search', function()
    return request('workspace/executeCommand', { command = 'akm.search', arguments = { { query = 'rotate tokens' } } })
  end)

  step('status', function()
    return request('workspace/executeCommand', { command = 'akm.status', arguments = { vim.empty_dict() } })
  end)

  step('search_command', function()
    vim.cmd('AkmSearch rotate tokens')
    wait_for('the quickfix list', function() return #vim.fn.getqflist() > 0 end)
    return vim.tbl_map(function(item)
      return { path = vim.api.nvim_buf_get_name(item.bufnr), text = item.text }
    end, vim.fn.getqflist())
  end)

  step('references_command', function()
    vim.fn.setqflist({}, 'f')
    vim.cmd('AkmReferences team//knowledge/auth/tokens')
    wait_for('the quickfix list', function() return #vim.fn.getqflist() > 0 end)
    return vim.tbl_map(function(item)
      vim.fn.bufload(item.bufnr)
      local line = vim.api.nvim_buf_get_lines(item.bufnr, item.lnum - 1, item.lnum, false)[1]
      return {
        path = vim.api.nvim_buf_get_name(item.bufnr),
        line = item.lnum - 1,
        text = line:sub(item.col, item.end_col - 1),
      }
    end, vim.fn.getqflist())
  end)

  step('outside_change', function()
    vim.fn.writefile({ '# Announcing', '', 'Tell everybody.' }, 'knowledge/auth/announcing.md')
    wait_for('the diagnostic to go', function() return not has_diagnostic('announcing') end)
    return true
  end)

  step('stop', function()
    client:stop()
    wait_for('the server to end', function() return client:is_stopped() end)
    return true
  end)
end

steps.finish()
