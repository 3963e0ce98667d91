import { mkdir, open, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  DocumentFile,
  type DocumentStarts,
  DocumentFileWriter,
  DOCUMENTS_FOLDER,
  StartsBuilder,
} from '../../src/lookup/format/document-file.ts'
import { withFolder } from '../support/folder.ts'

/** A document of each length, under numbers with gaps; what stands in it tells which it is. */
function written(folder: string, lengths: readonly (number | null)[]): DocumentStarts {
  const writer = new DocumentFileWriter(folder, 'people', lengths.length)
  for (const [number, length] of lengths.entries())
    if (length !== null) writer.add(number, Buffer.alloc(length, 1 + (number % 250)))
  const start = writer.end()
  writer.close()
  return start
}

test('documents of any length come back as they were written, in any order, with gaps between them', async () => {
  const length = fc.option(fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 900_000, max: 1_200_000 }))) // prettier-ignore
  await fc.assert(
    fc.asyncProperty(fc.array(length, { maxLength: 30 }), async (lengths) => {
      await withFolder(async (folder) => {
        await mkdir(join(folder, DOCUMENTS_FOLDER))
        const file = new DocumentFile(folder, 'people', written(folder, lengths))
        for (const [number, expected] of [...lengths.entries()].toReversed()) {
          expect(file.has(number)).toBe(expected !== null)
          if (expected === null) continue
          const bytes = file.read(number).subarray(0, expected)
          expect(bytes.equals(Buffer.alloc(expected, 1 + (number % 250)))).toBe(true)
        }
        file.close()
      })
    }),
    { numRuns: 25 },
  )
})

test('a file that was cut short is an error and no document of other bytes', async () => {
  await withFolder(async (folder) => {
    await mkdir(join(folder, DOCUMENTS_FOLDER))
    const file = new DocumentFile(folder, 'people', written(folder, [1_000, 1_000]))
    const path = join(folder, DOCUMENTS_FOLDER, 'people.bin')
    await truncate(path, (await stat(path)).size - 16)
    expect(file.read(0).subarray(0, 3)).toEqual(Buffer.from([1, 1, 1]))
    expect(() => file.read(1)).toThrow(/people\.bin ends before document 1 does/)
    file.close()
  })
})

test('a closed file reads nothing, also when another file was opened since', async () => {
  await withFolder(async (folder) => {
    await mkdir(join(folder, DOCUMENTS_FOLDER))
    const start = written(folder, [1_000])
    const file = new DocumentFile(folder, 'people', start)
    file.close()
    const other = new DocumentFile(folder, 'people', start)
    expect(() => file.read(0)).toThrow(/fd/)
    other.close()
  })
})

test('documents behind 64 and 128 GiB are found, in a file of which only they take room', async () => {
  await withFolder(async (folder) => {
    await mkdir(join(folder, DOCUMENTS_FOLDER))
    const GIB = 2 ** 30
    const sizes = [5, 64 * GIB - 32, 40, 0, 70 * GIB, 7]
    const builder = new StartsBuilder(sizes.length)
    for (const [number, bytes] of sizes.entries()) if (bytes > 0) builder.add(number, Math.ceil(bytes / 16))
    const starts = builder.end()
    expect([...starts.turns]).toEqual([3, 5])

    const path = join(folder, DOCUMENTS_FOLDER, 'people.bin')
    const handle = await open(path, 'w')
    await handle.write('first', 0)
    await handle.write(`across ${'x'.repeat(28)} third`, 64 * GIB - 16)
    await handle.write('seventh', 134 * GIB + 32)
    await handle.truncate(134 * GIB + 48)
    await handle.close()
    expect((await stat(path)).blocks * 512).toBeLessThan(2 ** 20)

    const file = new DocumentFile(folder, 'people', starts)
    expect(file.read(5).toString('latin1', 0, 7)).toBe('seventh')
    expect(file.read(2).toString('latin1', 0, 41)).toBe(`across ${'x'.repeat(28)} third`)
    expect(file.read(0).toString('latin1', 0, 5)).toBe('first')
    expect([0, 1, 2, 3, 4, 5].map((number) => file.has(number))).toEqual([true, true, true, false, true, true]) // prettier-ignore
    file.close()
    expect(() => new DocumentFile(folder, 'people', { ...starts, turns: new Uint32Array(1) })).toThrow(
      /people\.bin has \d+ bytes, its documents \d+/,
    )
  })
})
