import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'
import { withFolder } from '../support/folder.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { silentLog } from '../../src/log.ts'
import type { SourceDefinition } from '../../src/ingest/definition.ts'
import { feedSource, landFile, rollSource, withNight } from './night.ts'

interface Issue {
  readonly name: string
  readonly content: string
}

/** Staging after the nights given, without what numbers the files. */
async function stagedAfter(nights: Issue[][]): Promise<Record<string, unknown[]>> {
  const staged: Record<string, unknown[]> = {}
  await withFolder(async (landing) => {
    await withWarehouse(async (db) => {
      for (const issues of nights) {
        for (const { name, content } of issues) await landFile(landing, name, content)
        await ingest({
          db,
          sources: [feedSource(), rollSource()],
          landing,
          now: () => new Date('2025-07-01'),
          log: silentLog,
          signal: new AbortController().signal,
        })
      }
      for (const table of ['parcels', 'parcel_owners', 'past_parcel_owners', 'deed_parties']) {
        staged[table] = await rowsOf(db, `select * exclude (file_id) from staging.${table} order by all`)
      }
    })
  })
  return staged
}

const row = fc.tuple(
  fc.constantFrom('16', '21'),
  fc.nat(3),
  fc.constantFrom('SMITH JOHN', 'DOE JANE', 'LEE KIM', ''),
)
const roll = fc
  .tuple(fc.integer({ min: 1, max: 28 }), fc.array(row, { minLength: 1, maxLength: 5 }))
  .map(([day, rows]): Issue => ({
    name: `roll_202502${String(day).padStart(2, '0')}.csv`,
    content: `CO,PARCEL,OWNER,VALUE\n${rows.map(([county, parcel, owner]) => `${county},${parcel},${owner},1\n`).join('')}`,
  }))
const feed = fc
  .tuple(
    fc.integer({ min: 1, max: 28 }),
    fc.array(fc.tuple(fc.nat(4), fc.constantFrom('A', 'B')), { minLength: 1, maxLength: 5 }),
  )
  .map(([day, rows]): Issue => ({
    name: `02-${String(day).padStart(2, '0')}-2025nme.txt`,
    content: rows.map(([document, name]) => `${document}|${name}|D|\n`).join(''),
  }))
// One issue a day of each kind: which of two with one day is the newer is said by their arrival alone.
const issues = fc.uniqueArray(fc.oneof(roll, feed), {
  minLength: 2,
  maxLength: 6,
  selector: ({ name }) => name,
})

test('files of one night give the same staging as the same files spread over nights, in any order, some twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      issues.chain((all) =>
        fc.record({
          all: fc.constant(all),
          shuffled: fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
          cuts: fc.array(fc.nat(all.length), { maxLength: 3 }),
          again: fc.subarray(all),
        }),
      ),
      async ({ all, shuffled, cuts, again }) => {
        const ends = [...new Set([...cuts, all.length])].sort((a, b) => a - b)
        const nights = ends.map((end, index) => shuffled.slice(index === 0 ? 0 : ends[index - 1], end))
        const copies = again.map(({ name, content }) => ({ name: `again/${name}`, content }))
        expect(await stagedAfter([...nights, copies])).toEqual(await stagedAfter([all]))
      },
    ),
    { numRuns: 6, seed: 7 },
  )
})

test('staging is what a reader by hand would say: the newest issue of each county, and who was in the one before', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(roll, { minLength: 1, maxLength: 5, selector: ({ name }) => name }),
      async (all) => {
        const staged = await stagedAfter([all])
        const owners = staged.parcel_owners as {
          parcel_number: string
          full_name: string
          as_of_on: string
        }[]
        const past = staged.past_parcel_owners as { full_name: string; superseded_on: string }[]
        const expected = byHand(all)
        expect(owners.map(({ parcel_number, full_name }) => `${parcel_number} ${full_name}`).sort()).toEqual(
          expected.owners,
        )
        expect(past.map(({ full_name, superseded_on }) => `${full_name} ${superseded_on}`).sort()).toEqual(
          expected.past,
        )
      },
    ),
    { numRuns: 6, seed: 11 },
  )
})

/** The same without SQL: issues by day, per county a list of what each says. */
function byHand(all: Issue[]): { owners: string[]; past: string[] } {
  const owners: string[] = []
  const past: string[] = []
  const sorted = [...all].sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const county of ['16', '21']) {
    const rolls = sorted
      .map(({ name, content }) => ({
        day: name.replace(/^roll_(\d{4})(\d\d)(\d\d)\.csv$/, '$1-$2-$3'),
        rows: content
          .split('\n')
          .slice(1)
          .filter((line) => line.startsWith(`${county},`))
          .map((line) => line.split(',')),
      }))
      .filter(({ rows }) => rows.length > 0)
    for (const [index, { rows }] of rolls.entries()) {
      const next = rolls[index + 1]
      for (const [, parcel = '', owner = ''] of rows) {
        if (owner === '') continue
        if (next === undefined) owners.push(`${parcel} ${owner}`)
        else if (!next.rows.some(([, other, name]) => other === parcel && name === owner)) {
          past.push(`${owner} ${next.day}`)
        }
      }
    }
  }
  return { owners: owners.sort(), past: past.sort() }
}

test('a file that is gone from landing stays loaded', async () => {
  await withFolder(async (landing) => {
    await withWarehouse(async (db) => {
      const night = (): Promise<unknown> =>
        ingest({
          db,
          sources: [feedSource()],
          landing,
          now: () => new Date('2025-07-01'),
          log: silentLog,
          signal: new AbortController().signal,
        })
      await landFile(landing, '02-01-2025nme.txt', '1|A|D|\n')
      await night()
      await rm(join(landing, '02-01-2025nme.txt'))
      await landFile(landing, '02-02-2025nme.txt', '2|B|D|\n')
      await night()
      expect(await rowsOf(db, 'select document_id from staging.deed_parties order by 1')).toEqual([
        { document_id: '1' },
        { document_id: '2' },
      ])
    })
  })
})

/** A roll whose name has a year and a letter: preliminary or final. */
function lettered(): SourceDefinition {
  const [kind] = rollSource().files
  if (kind === undefined) throw new Error('a roll has a kind')
  const plusDays = { group: 'roll', days: { P: 181, F: 273 } }
  return rollSource({
    files: [
      {
        ...kind,
        pattern: 'roll_(?<year>\\d{4})(?<roll>[PF])\\.csv',
        asOf: { group: 'year', format: '%Y', plusDays },
      },
    ],
  })
}

const HEAD = 'CO,PARCEL,OWNER,VALUE\n'
const OWNERS = `select full_name, as_of_on, null as superseded_on from staging.parcel_owners
  union all by name select full_name, as_of_on, superseded_on from staging.past_parcel_owners order by as_of_on desc`
const FINAL_ROLL_WINS = [
  { full_name: 'FINAL', as_of_on: '2025-10-01', superseded_on: null },
  { full_name: 'PRELIMINARY', as_of_on: '2025-07-01', superseded_on: '2025-10-01' },
]

test('a final roll supersedes the preliminary one that lands in the same run', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_2025F.csv', `${HEAD}16,1,FINAL,1\n`)
    await land('roll_2025P.csv', `${HEAD}16,1,PRELIMINARY,1\n`)
    await run([lettered()])
    expect(await rows(OWNERS)).toEqual(FINAL_ROLL_WINS)
  })
})

test('rolls that an older version dated without their letters are read again and dated by them', async () => {
  await withNight(async ({ db, land, run, rows }) => {
    await land('roll_2025F.csv', `${HEAD}16,1,FINAL,1\n`)
    await land('roll_2025P.csv', `${HEAD}16,1,PRELIMINARY,1\n`)
    await run([lettered()])
    await db.run(`update ledger.files set as_of_on = date '2025-01-01'`)
    await db.run(`update ledger.kinds set reading_hash = 'of the version before'`)
    await db.run(`update ledger.sources set definition_hash = 'of the version before'`)
    await run([lettered()])
    expect(await rows(OWNERS)).toEqual(FINAL_ROLL_WINS)
  })
})
