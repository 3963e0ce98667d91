import { mkdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { DocumentFile, DocumentFileWriter, DOCUMENTS_FOLDER } from '../../src/lookup/format/document-file.ts'
import { withFolder } from '../support/folder.ts'

/** A document of each length, under numbers with gaps; what stands in it tells which it is. */
function written(folder: string, lengths: readonly (number | null)[]): Uint32Array {
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
