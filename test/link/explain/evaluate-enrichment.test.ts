import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { evaluateEnrichment } from '../../../src/link/explain/evaluate-enrichment.ts'
import { withFolder } from '../../support/folder.ts'
import { given, withWarehouse } from '../../support/warehouse.ts'

/** A warehouse whose P1 is person 1, and whose P2 has most records of person 2 and half of the records of person 3. */
async function withTruth(
  body: (db: DuckDBConnection, folder: string, truth: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const truth = join(folder, 'truth.csv')
    await writeFile(truth, 'record_id,cluster\na,1\nb,1\nc,2\nd,2\ne,3\nf,3\n')
    await withWarehouse(async (db) => {
      const ids = { a: 'P1', b: 'P1', c: 'P2', d: 'P2', e: 'P2', f: 'P3' }
      await given(
        db,
        'link.person_mentions',
        Object.entries(ids).map(([mention_key, person_id]) => ({ mention_key, person_id })),
      )
      await body(db, folder, truth)
    })
  })
}

test('matches of an enriched file are right by the true person’s id, or by an id that is mostly that person', async () => {
  await withTruth(async (db, folder, truth) => {
    const path = join(folder, 'out.csv')
    await writeFile(
      path,
      'who,pb_match_status,pb_person_id\n1,matched,P1\n2,matched,P1\n2,matched,P2\n3,matched,P3\n3,ambiguous,P2\n,matched,P1\n9,no_match,\n,no_match,\n',
    )
    expect(await evaluateEnrichment(db, truth, { path, truthColumn: 'who', prefix: 'pb_' })).toEqual({
      rows: 8,
      known: 5,
      unknown: 1,
      matched: 5,
      right: 3,
      strictly_right: 3,
      ambiguous: 1,
    })
  })
})

test('a file without the truth column is refused with the columns that it needs', async () => {
  await withTruth(async (db, folder, truth) => {
    const path = join(folder, 'out.csv')
    await writeFile(path, 'pb_match_status,pb_person_id\nmatched,P1\n')
    await expect(evaluateEnrichment(db, truth, { path, truthColumn: 'who', prefix: 'pb_' })).rejects.toThrow(
      /out\.csv cannot be evaluated: it needs the columns who, pb_person_id, pb_match_status/,
    )
    await expect(
      evaluateEnrichment(db, truth, { path: join(folder, 'out.arrow'), truthColumn: 'who', prefix: 'pb_' }),
    ).rejects.toThrow(/out\.arrow: evaluate reads \.csv, /)
  })
})
