-- The workspace that lsp/akm.lua chooses for each file of ~/files.json; no server runs.

local steps = dofile(vim.fs.joinpath(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)), 'steps.lua'))

steps.step('roots', function()
  local config = vim.lsp.config.akm
  local files = vim.json.decode(table.concat(vim.fn.readfile(vim.fn.expand('~/files.json'))))
  return vim.tbl_map(function(file)
    vim.cmd.edit(file)
    local answer = 'not attached'
    if vim.list_contains(config.filetypes, vim.bo.filetype) then
      config.root_dir(vim.api.nvim_get_current_buf(), function(root) answer = root or 'no root' end)
    end
    return answer
  end, files)
end)

steps.finish()
