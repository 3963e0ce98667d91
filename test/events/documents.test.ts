import { expect, test } from 'vitest'
import { EventDocuments, EventDocumentsWriter } from '../../src/events/documents.ts'
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
