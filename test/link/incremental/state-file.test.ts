import { closeSync, existsSync, openSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blockParts } from '../../../src/link/block/block-parts.ts'
import { ruleBlocks } from '../../../src/link/block/blocking.ts'
import { codeSources, resetCoding } from '../../../src/link/records/coding.ts'
import { IndexReader } from '../../../src/link/incremental/key-index.ts'
import type { Mentions } from '../../../src/link/records/mentions.ts'
import { readFew } from '../../../src/link/incremental/read-few.ts'
import { writeState } from '../../../src/link/incremental/state-file.ts'
import { withFolder } from '../../support/folder.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { given, withWarehouse } from '../../support/warehouse.ts'
import { randomMentions } from '../records/random-mentions.ts'

const FULL = '/dev/full'

async function someMentions(): Promise<Mentions> {
  return withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', randomMentions(3).take(30))
    await resetCoding(db)
    await codeSources(db, 'link.records')
    return readFew(db, '(select rowid::integer as mention, * from link.records)', [])
  })
}

// The system gives out the least number that is free.
function nextFile(): number {
  const file = openSync(import.meta.filename, 'r')
  closeSync(file)
  return file
}

/** How many files `act` leaves open, whose failure is expected, of a hundred times. */
function leftOpen(act: () => unknown, failure: RegExp): number {
  const before = nextFile()
  for (let k = 0; k < 100; k++) expect(act).toThrow(failure)
  return nextFile() - before
}

test('keys of which the half is missing are closed', async () => {
  const mentions = await someMentions()
  await withFolder(async (folder) => {
    ruleBlocks(blockParts(mentions), 7, 0, folder)
    const away = join(folder, 'away')
    expect(leftOpen(() => new IndexReader({ base: folder, since: away }, 0), /went away/)).toBeLessThan(50)
  })
})

test.skipIf(!existsSync(FULL))('what is written to a full disk is closed', async () => {
  const mentions = await someMentions()
  const parts = blockParts(mentions)
  await withFolder(async (folder) => {
    for (const name of ['mentions.bin', 'rule-0.bin']) await symlink(FULL, join(folder, name))
    expect(leftOpen(() => writeState(folder, mentions, {}), /ENOSPC/)).toBeLessThan(50)
    expect(leftOpen(() => ruleBlocks(parts, 7, 0, folder), /ENOSPC/)).toBeLessThan(50)
  })
})
