import { readdir, symlink } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { tableFromArrays, tableToIPC } from 'apache-arrow'
import { expect, test } from 'vitest'
import { openStream } from '../../src/enrich/read/spool-input.ts'
import { withFolder } from '../support/folder.ts'

const TABLE = Buffer.from(tableToIPC(tableFromArrays({ name: ['Jane Smith'] }), 'file'))
const signal = new AbortController().signal

test('text is read as it comes, however small its pieces; a table is kept until it is taken away', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'spool')
    const text = await openStream(Readable.from([...Buffer.from('name\nJane\n')].map((byte) => Buffer.of(byte))), path, { encoding: undefined, signal }) // prettier-ignore
    expect([text.input.header, text.input.sample]).toEqual([['name'], [['Jane']]])
    expect(await readdir(folder)).toEqual([])
    const table = await openStream(Readable.from([TABLE.subarray(0, 3), TABLE.subarray(3)]), path, { encoding: undefined, signal }) // prettier-ignore
    expect([table.input.header, table.input.sample]).toEqual([['name'], [['Jane Smith']]])
    expect(table.input).toMatchObject({ name: 'standard input', kind: 'arrow', identity: null })
    expect(await readdir(folder)).toEqual(['spool'])
    await table.remove()
    expect(await readdir(folder)).toEqual([])
  })
})

const read = async (...parts: string[]) =>
  openStream(Readable.from(parts.map((part) => Buffer.from(part))), 'none', { encoding: undefined, signal })

test('a list of a short header alone is read, and nothing at all is told', async () => {
  expect((await read('name\n')).input.header).toEqual(['name'])
  expect((await read('na', 'me')).input.header).toEqual(['name'])
  await expect(read()).rejects.toThrow('standard input is empty: it has no header')
})

test('a table that is cut off is refused, and nothing is kept of it', async () => {
  await withFolder(async (folder) => {
    const cut = Readable.from([TABLE.subarray(0, 40)])
    const opened = openStream(cut, join(folder, 'spool'), { encoding: undefined, signal })
    await expect(opened).rejects.toMatchObject({ code: 'bad_input' })
    expect(await readdir(folder)).toEqual([])
  })
})

test.skipIf(!existsSync('/dev/full'))('a disk without space for it is told, with what to do', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'spool')
    await symlink('/dev/full', path)
    await expect(
      openStream(Readable.from([TABLE]), path, { encoding: undefined, signal }),
    ).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(
        /the disk of .*spool is full.*Delete files, or pass the input as a file/,
      ),
    })
    expect(await readdir(folder)).toEqual([])
  })
})
