-- :AkmSearch, :AkmReferences, :AkmStatus and :AkmReindex, over a running akm-ls.
if vim.g.loaded_akm or vim.fn.has('nvim-0.11') == 0 then
  return
end
vim.g.loaded_akm = true

local function notify(message, level)
  vim.notify('akm: ' .. message, level or vim.log.levels.INFO)
end

--- Runs a server command; `on_result` gets what it returns. Errors are shown.
local function execute(command, params, on_result)
  local here = vim.lsp.get_clients({ bufnr = 0, name = 'akm' })
  local client = here[1] or vim.lsp.get_clients({ name = 'akm' })[1]
  if not client then
    notify('the server is not running; open a file of a bundle first', vim.log.levels.WARN)
    return
  end
  client:request('workspace/executeCommand', { command = command, arguments = { params } }, function(err, result)
    if err then
      notify(err.message, vim.log.levels.ERROR)
    else
      on_result(result or {})
    end
  end)
end

local function show_list(title, items)
  if #items == 0 then
    notify(title .. ': nothing found')
    return
  end
  vim.fn.setqflist({}, ' ', { title = title, items = items })
  vim.cmd('botright copen')
end

-- The command of code lenses: a URI, a position there, and the locations to list.
vim.lsp.commands['akm.showReferences'] = function(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local encoding = client and client.offset_encoding or 'utf-16'
  show_list(command.title, vim.lsp.util.locations_to_items(command.arguments[3], encoding))
end

vim.api.nvim_create_user_command('AkmSearch', function(arguments)
  execute('akm.search', { query = arguments.args }, function(result)
    local items = {}
    for _, hit in ipairs(result.hits or {}) do
      local range = type(hit.range) == 'table' and hit.range or nil
      items[#items + 1] = {
        filename = hit.path,
        lnum = range and range.start.line + 1 or 1,
        text = ('%s  %s'):format(hit.ref, type(hit.description) == 'string' and hit.description or ''),
      }
    end
    show_list('AkmSearch ' .. arguments.args, items)
  end)
end, { nargs = '*', desc = 'Search all bundles' })

vim.api.nvim_create_user_command('AkmReferences', function(arguments)
  execute('akm.references', { ref = arguments.args }, function(result)
    local locations = {}
    for _, item in ipairs(result.references or result) do
      locations[#locations + 1] = { uri = item.uri, range = item.range }
    end
    local encoding = vim.lsp.get_clients({ name = 'akm' })[1].offset_encoding
    show_list('AkmReferences ' .. arguments.args, vim.lsp.util.locations_to_items(locations, encoding))
  end)
end, { nargs = 1, desc = 'List every citation of a ref' })

vim.api.nvim_create_user_command('AkmStatus', function()
  execute('akm.status', vim.empty_dict(), function(status)
    notify(vim.inspect(status))
  end)
end, { desc = 'Show bundles and index of akm-ls' })

vim.api.nvim_create_user_command('AkmReindex', function(arguments)
  execute('akm.reindex', { full = arguments.bang }, function(report)
    notify(('%d assets indexed'):format(report.entries or 0))
  end)
end, { bang = true, desc = 'Index what changed; with ! read every file again' })
