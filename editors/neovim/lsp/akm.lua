-- akm-ls for Neovim 0.11 and newer: vim.lsp.enable('akm') reads this file from 'runtimepath'.

-- Directories in which tools keep skills, agents and commands inside an ordinary project.
local HOST_DIRECTORIES = {
  '.agent', '.agents', '.claude', '.codex', '.cursor', '.devin', '.gemini', '.opencode', '.windsurf',
}

-- Directories that hold the assets of a bundle. One alone may be anybody's; two make a bundle.
local ASSET_DIRECTORIES = {
  'agents', 'commands', 'env', 'facts', 'instructions', 'knowledge', 'lessons',
  'memories', 'scripts', 'sessions', 'skills', 'tasks', 'workflows',
}

local function exists(path)
  return vim.uv.fs_stat(path) ~= nil
end

local function count(directory, names, enough)
  local found = 0
  for _, name in ipairs(names) do
    if exists(vim.fs.joinpath(directory, name)) then
      found = found + 1
      if found == enough then
        break
      end
    end
  end
  return found
end

--- Is this a file that a bundle can own? Markdown always; YAML and env files by their directory.
local function is_asset(path)
  local in_directory = function(name)
    return path:find('/' .. name .. '/', 1, true) ~= nil
  end
  if path:find('%.ya?ml$') then
    return in_directory('tasks') or in_directory('workflows')
  end
  if path:find('%.env$') then
    return in_directory('env')
  end
  return true
end

--- The directory to open as the workspace: the nearest bundle or repository that holds the file,
--- else the nearest project with a directory such as .claude.
---
--- The home directory counts only by what lies below it: ~/.claude is there on most machines, and
--- must not make a workspace of everything.
local function root_of(path)
  local home = vim.fs.normalize(vim.uv.os_homedir() or '')
  local fallback
  for directory in vim.fs.parents(path) do
    if directory == home then
      break
    end
    if exists(vim.fs.joinpath(directory, '.stash')) or exists(vim.fs.joinpath(directory, '.git')) then
      return directory
    end
    local is_host = vim.list_contains(HOST_DIRECTORIES, vim.fs.basename(directory))
    local in_home = vim.fs.dirname(directory) == home
    if is_host and in_home then
      fallback = directory -- ~/.claude/skills/x/SKILL.md
    elseif
      not fallback
      and not is_host
      and (count(directory, HOST_DIRECTORIES, 1) == 1 or count(directory, ASSET_DIRECTORIES, 2) == 2)
    then
      fallback = directory
    end
  end
  return fallback
end

--- Before 0.12 Neovim pulls diagnostics, but knows no request to do so again. Without one a ref
--- would stay underlined after the file it names has appeared.
local can_pull_again = vim.fn.has('nvim-0.12') == 0

local function pull_again(_, _, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  for bufnr in pairs(client and client.attached_buffers or {}) do
    local document = vim.lsp.util.make_text_document_params(bufnr)
    client:request('textDocument/diagnostic', { textDocument = document }, nil, bufnr)
  end
  return vim.NIL
end

return {
  cmd = { 'akm-ls' },
  capabilities = can_pull_again and { workspace = { diagnostics = { refreshSupport = true } } } or nil,
  handlers = can_pull_again and { ['workspace/diagnostic/refresh'] = pull_again } or nil,
  filetypes = { 'markdown', 'yaml', 'sh', 'env', 'conf' }, -- the last three: env files, see is_asset
  root_dir = function(bufnr, on_dir)
    local path = vim.fs.normalize(vim.api.nvim_buf_get_name(bufnr))
    local is_shell = vim.list_contains({ 'sh', 'env', 'conf' }, vim.bo[bufnr].filetype)
    if path == '' or (is_shell and not path:find('%.env$')) or not is_asset(path) then
      return
    end
    -- Without a root the server still knows the bundles of akm's own configuration.
    on_dir(root_of(path))
  end,
  settings = { akm = vim.empty_dict() },
}
