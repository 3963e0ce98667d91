import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fnvOfBytes, fnvOfText, hashOfFile } from '../../src/hash.ts'
import { withFolder } from '../support/folder.ts'

// From the authors' list of test vectors (draft-eastlake-fnv).
test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
])('FNV-1a of %j', (text, hash) => {
  expect(fnvOfText(text) >>> 0).toBe(hash)
  const bytes = Buffer.from(`<${text}>`)
  expect(fnvOfBytes(bytes, 1, 1 + text.length) >>> 0).toBe(hash)
})

test('the hash of a file is its SHA-256, and every byte of it is reported', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'abc')
    await writeFile(path, 'abc')
    let bytes = 0
    const hash = await hashOfFile(path, (more) => {
      bytes += more
    })
    expect(hash).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(bytes).toBe(3)
    await expect(hashOfFile(join(folder, 'none'))).rejects.toThrow('ENOENT')
  })
})
