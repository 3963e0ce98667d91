import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

// Loaded before a program with `--import`: writes a line for every rename, and for every file and folder that was made to last.
const { open, rename, writeFile } = fs

fs.open = async (path, ...rest) => {
  const file = await open(path, ...rest)
  const sync = file.sync.bind(file)
  file.sync = async () => {
    await sync()
    console.log(`sync ${String(path)}`)
  }
  return file
}

fs.rename = async (from, to) => {
  await rename(from, to)
  console.log(`rename ${String(from)} ${String(to)}`)
}

fs.writeFile = async (path, content, options) => {
  await writeFile(path, content, options)
  if (typeof options === 'object' && options?.flush === true) console.log(`sync ${String(path)}`)
}

syncBuiltinESMExports()
