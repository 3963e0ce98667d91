import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { readArrays, writeArrays } from '../../../src/link/incremental/array-file.ts'
import { withFolder } from '../../support/folder.ts'

const ARRAYS = {
  rows: Int32Array.of(1, -2, 3),
  ranks: Float64Array.of(0.5, -1),
  known: Uint8Array.of(7),
  none: new Int32Array(0),
}

/** Calls `body` with a file that holds `ARRAYS`, and its bytes. */
async function withFile(body: (file: string, bytes: Buffer) => void): Promise<void> {
  await withFolder(async (folder) => {
    const file = join(folder, 'state.bin')
    writeArrays(file, { version: 3 }, ARRAYS)
    body(file, readFileSync(file))
    return Promise.resolve()
  })
}

test('arrays come back as they were written, in shared memory', async () => {
  await withFile((file) => {
    const { about, arrays } = readArrays(file)
    expect(about).toEqual({ version: 3 })
    expect(arrays).toEqual(ARRAYS)
    for (const array of Object.values(arrays)) expect(array.buffer).toBeInstanceOf(SharedArrayBuffer)
  })
})

test('the file has length and checksum of the header, the header, and the arrays one after the other', async () => {
  await withFile((_, bytes) => {
    const length = bytes.readUInt32LE(0)
    const header = bytes.subarray(8, 8 + length)
    expect(bytes.readUInt32LE(4)).toBe(crc32(header))
    expect(JSON.parse(header.toString())).toMatchObject({
      about: { version: 3 },
      arrays: [{ name: 'rows', kind: 'Int32Array', length: 3 }, { name: 'ranks' }, { name: 'known' }, { name: 'none', length: 0 }],
    }) // prettier-ignore
    const rest = bytes.subarray(8 + length)
    expect(rest.length).toBe(3 * 4 + 2 * 8 + 1)
    expect([rest.readInt32LE(4), rest.readDoubleLE(12), rest.at(-1)]).toEqual([-2, 0.5, 7])
  })
})

test('a file with one changed bit, in the header or an array, is damaged', async () => {
  await withFile((file, bytes) => {
    for (let at = 0; at < bytes.length; at += at < 8 ? 1 : 7) {
      const damaged = Buffer.from(bytes)
      damaged[at]! ^= 1
      writeFileSync(file, damaged)
      expect(() => readArrays(file), `byte ${at}`).toThrow(/state\.bin is (damaged|cut off)/)
    }
    const damaged = Buffer.from(bytes)
    damaged[bytes.length - 1]! ^= 1
    writeFileSync(file, damaged)
    expect(() => readArrays(file)).toThrow('known is not as it was written')
  })
})

test('a file that ends early, at any byte, is cut off', async () => {
  await withFile((file, bytes) => {
    for (let length = bytes.length - 1; length >= 0; length -= 11) {
      truncateSync(file, length)
      expect(() => readArrays(file), `${length} bytes`).toThrow(/state\.bin is cut off/)
    }
  })
})

test('a file that cannot be written leaves nothing behind', async () => {
  await withFolder(async (folder) => {
    const file = join(folder, 'taken')
    // A folder cannot be replaced by a file.
    mkdirSync(join(file, 'below'), { recursive: true })
    expect(() => writeArrays(file, {}, ARRAYS)).toThrow()
    expect(existsSync(`${file}.partial`)).toBe(false)
    expect(() => readArrays(join(folder, 'nothing'))).toThrow(/nothing/)
    return Promise.resolve()
  })
})
