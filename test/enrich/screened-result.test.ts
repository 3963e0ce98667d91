import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resultColumns, type ResultShape } from '../../src/enrich/write/result-formats.ts'
import { writeScreened } from '../../src/enrich/write/screened-result.ts'
import { withFolder } from '../support/folder.ts'

const SHAPE: ResultShape = { fields: ['owners'], top: 1, dedupe: false }
const ADDED = resultColumns(SHAPE)

/** A line of a result: what the list said, then what was found. */
function line(own: string, found: Record<string, string>): string {
  return [own, ...ADDED.map((column) => found[column] ?? '')].join(',')
}

test('owners lose their names by id, and those without one by a name that may be of somebody suppressed', async () => {
  const lines = [
    ['key', ...ADDED].join(','),
    line('a', { pb_person_id: 'P0000000002', pb_owner_1_name: 'John Smith', pb_owner_1_id: 'P0000000002', pb_owner_2_name: 'Jane Smith Living Trust' }),
    line('b', { pb_person_id: 'P0000000003', pb_owner_1_name: 'Jane Smith', pb_owner_1_id: 'P0000000001', pb_owner_2_name: 'Invented Holdings LLC' }),
  ] // prettier-ignore
  const screened = await withFolder(async (folder) => {
    const [made, copy] = [join(folder, 'made.csv'), join(folder, 'copy.csv')]
    await writeFile(made, `${lines.join('\n')}\n`)
    await writeScreened(made, copy, SHAPE, {
      mayBeSuppressed: (id) => id === 'P0000000001',
      mayNameSuppressed: (name) => name.startsWith('Jane Smith'),
    })
    return readFile(copy, 'utf8')
  })
  expect(screened.split('\n').slice(1, 3)).toEqual([
    line('a', { pb_person_id: 'P0000000002', pb_owner_1_name: 'John Smith', pb_owner_1_id: 'P0000000002' }),
    line('b', { pb_person_id: 'P0000000003', pb_owner_2_name: 'Invented Holdings LLC' }),
  ])
})
