import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { open } from 'lmdb'
import { expect, test } from 'vitest'
import { DOCUMENTS_FILE, EventDocuments, EventDocumentsWriter } from '../../src/events/documents.ts'
import { eventId } from '../support/deed-events.ts'
import { withFolder } from '../support/folder.ts'
import { mountDisk } from '../support/small-disk.ts'

test.each([33, 32])('%i documents are read as they were written, in any order', async (count) => {
  await withFolder(async (folder) => {
    const writer = new EventDocumentsWriter(folder)
    const texts = Array.from({ length: count }, (_, n) => JSON.stringify({ n, text: 'é\n"'.repeat(n) }))
    writer.batch(() => texts.forEach((text) => writer.add(Buffer.from(text))))
    writer.batch(() => texts.forEach((_, n) => writer.addId(eventId(n), n)))
    await writer.close()
    const documents = EventDocuments.open(folder)
    try {
      const numbers = [count - 1, 0, 15, 16, 31, 0, 7]
      expect(documents.read(numbers).map(String)).toEqual(numbers.map((n) => texts[n]))
      expect(texts.map((_, n) => documents.numberOf(eventId(n)))).toEqual(texts.map((_, n) => n))
      expect(documents.numberOf(eventId(count))).toBeNull()
    } finally {
      documents.close()
    }
  })
})

test('a file of an earlier version is read: blocks of 16 documents, each on a line', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, DOCUMENTS_FILE)
    const root = open({ path, noSubdir: true, encoding: 'binary', keyEncoding: 'binary', maxDbs: 2, pageSize: 8192 }) // prettier-ignore
    const blocks = root.openDB<Buffer, number>({ name: 'blocks', encoding: 'binary', keyEncoding: 'uint32' })
    root.openDB({ name: 'ids', encoding: 'binary', keyEncoding: 'binary' })
    for (const block of [0, 1]) {
      const lines = Array.from({ length: 16 }, (_, place) => `{"n":${16 * block + place}}\n`)
      blocks.putSync(block, zstdCompressSync(lines.join('')))
    }
    await root.close()
    const documents = EventDocuments.open(folder)
    try {
      expect(documents.read([0, 15, 16, 31]).map(String)).toEqual([
        '{"n":0}',
        '{"n":15}',
        '{"n":16}',
        '{"n":31}',
      ])
    } finally {
      documents.close()
    }
  })
})

test('a disk without room for the first pages is reported before LMDB writes to it', async ({ skip }) => {
  await withFolder(async (folder) => {
    const disk = mountDisk(folder, 256)
    if (disk === null) {
      skip()
      return
    }
    try {
      expect(() => new EventDocumentsWriter(folder)).toThrow(
        expect.objectContaining({ code: 'disk_full', message: expect.stringContaining('documents.mdb') }),
      )
    } finally {
      disk.unmount()
    }
  })
})
