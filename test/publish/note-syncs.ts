import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

// Loaded before a program with `--import`: writes a line for every rename, and for every file and folder that was made to last.
const { open, rename, writeFile } = fs

function note(...words: readonly unknown[]): void {
  console.log(words.join(' '))
}

fs.open = async (path, ...rest) => {
  const file = await open(path, ...rest)
  const sync = file.sync.bind(file)
  file.sync = async () => {
    await sync()
    note('sync', path)
  }
  return file
}

fs.rename = async (from, to) => {
  await rename(from, to)
  note('rename', from, to)
}

fs.writeFile = async (path, content, options) => {
  await writeFile(path, content, options)
  if (typeof options === 'object' && options?.flush === true) note('sync', path)
}

syncBuiltinESMExports()
