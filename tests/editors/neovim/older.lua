-- The configuration for Neovim 0.8 to 0.10, as far as this Neovim still runs it.

local steps = dofile(vim.fs.joinpath(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)), 'steps.lua'))
local client
-- Hints give advice on the file; the steps are about what is wrong with it.
local graver = { severity = { min = vim.diagnostic.severity.INFO } }

steps.step('attach', function()
  steps.wait_for('akm-ls to attach', function()
    client = vim.lsp.get_clients({ bufnr = 0, name = 'akm' })[1]
    return client ~= nil and client.initialized
  end)
  return client.root_dir
end)

if client then
  steps.step('diagnostics', function()
    steps.wait_for('a diagnostic', function() return #vim.diagnostic.get(0, graver) > 0 end)
    return vim.tbl_map(function(diagnostic) return diagnostic.code end, vim.diagnostic.get(0, graver))
  end)

  steps.step('search_command', function()
    vim.cmd('AkmSearch rotate tokens')
    steps.wait_for('the quickfix list', function() return #vim.fn.getqflist() > 0 end)
    return vim.tbl_map(function(item) return vim.api.nvim_buf_get_name(item.bufnr) end, vim.fn.getqflist())
  end)
end

steps.finish()
