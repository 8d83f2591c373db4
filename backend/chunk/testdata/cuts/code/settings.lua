-- Reads settings.
local M = {}

local function trim(s)
  return (s:gsub("^%s+", ""))
end

function M.load(path)
  local out = {}
  for line in io.lines(path) do
    out[#out + 1] = trim(line)
  end
  return out
end

return M
