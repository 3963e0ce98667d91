import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import pLimit from 'p-limit'
import { currentSnapshot } from '../../src/lookup/format/current.ts'
import { openLookup } from '../../src/lookup/index.ts'
import { heldOpen } from '../support/held-open.ts'
import { afterBothNights } from '../support/sample-nights.ts'
import { withApi } from '../api/support.ts'
import { withDesk } from './support.ts'

const LEADS = 'data/sample/leads.csv'
type Row = Record<string, string>

const data = heldOpen<string>(async (body) => body(await afterBothNights()), 300_000)

async function enriched(): Promise<Row[]> {
  return withDesk(async (desk) => {
    await desk.enrich([LEADS, '--out', desk.path('out.csv')])
    return desk.rows('out.csv')
  }, data())
}

test('most leads of the sample are matched to whom they mean, hardly any to somebody else', async () => {
  const rows = await enriched()
  const snapshot = await currentSnapshot(join(data(), 'snapshots'))
  const { mostly, homes } = await truthOf(snapshot!.folder)
  let [known, right, wrong] = [0, 0, 0]
  for (const { true_person = '', pb_match_status, pb_person_id = '' } of rows) {
    const home = homes.get(true_person)
    if (home !== undefined) known++
    if (pb_match_status !== 'matched') continue
    if (home === pb_person_id || mostly.get(pb_person_id) === true_person) right++
    else wrong++
  }
  expect(known).toBeGreaterThan(1_500)
  expect(right / known).toBeGreaterThan(0.97)
  expect(wrong / rows.length).toBeLessThan(0.01)
})

test('the API, asked for the two thousand rows one by one, gives the same answers', async () => {
  const rows = await enriched()
  const lines = (await readFile(LEADS, 'utf8')).trim().split('\n')
  const header = lines[0]!
  expect(rows.length).toBe(2_000)
  await withApi(
    async (api) => {
      // An account may send a few lists at once.
      const limit = pLimit(3)
      const ask = async (line: string): Promise<unknown[]> => {
        const reply = await api.app.inject({
          method: 'POST',
          url: '/v1/enrichments',
          headers: { 'x-api-key': api.key, 'content-type': 'text/csv' },
          payload: `${header}\n${line}\n`,
        })
        const [found] = reply.json<{ results: Record<string, string | number | null>[] }>().results
        return ['match_status', 'match_probability', 'person_id', 'reason'].map((name) =>
          String(found![name] ?? ''),
        )
      }
      const answers = await Promise.all(lines.slice(1).map((line) => limit(() => ask(line))))
      const expected = rows.map((row) =>
        ['match_status', 'match_probability', 'person_id', 'reason'].map((name) => row[`pb_${name}`]),
      )
      expect(answers).toEqual(expected)
    },
    { snapshots: join(data(), 'snapshots'), start: new Date().toISOString() },
  )
}, 300_000)

test('where the search for people has but one answer to all that a row says, the row is matched to it', async () => {
  const rows = await enriched()
  const snapshot = await currentSnapshot(join(data(), 'snapshots'))
  const lookup = openLookup(snapshot!.folder)
  let compared = 0
  try {
    for (const row of rows) {
      const { name = '', address = '', city = '', state = '', zip = '', phone = '', email = '' } = row
      if (name.split(' ').length < 2 || (phone === '' && email === '')) continue
      const given = Object.entries({
        name,
        street: address,
        city,
        state_code: state,
        zipcode: zip,
        phone,
        email,
      })
      const { total, results } = lookup.findPeople(
        {
          ...Object.fromEntries(given.filter(([, value]) => value !== '')),
          include_historical_locations: true,
          include_fuzzy_matching: false,
          strict_match: true,
          page: 1,
          page_size: 15,
        },
        '2026-06-01',
      )
      if (total !== 1) continue
      const [only] = JSON.parse(results.toString()) as { id: string }[]
      compared++
      expect([row['lead_id'], row['pb_match_status'], row['pb_person_id']]).toEqual([
        row['lead_id'],
        'matched',
        only!.id,
      ])
    }
  } finally {
    lookup.close()
  }
  expect(compared).toBeGreaterThan(300)
})

/** By person id whom most of its records name; by true person the id that most of their records have. */
async function truthOf(
  snapshot: string,
): Promise<{ mostly: Map<string, string>; homes: Map<string, string> }> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  const reader = await connection.runAndReadAll(
    `select mention_key, person_id from read_parquet('${snapshot}/tables/crosswalk.parquet')`,
  )
  // Record ids may be quoted; clusters are numbers.
  const truth = (await readFile('data/sample/truth.csv', 'utf8')).trim().split('\n').slice(1)
  const clusters = new Map(
    truth.map((line) => {
      const comma = line.lastIndexOf(',')
      return [
        line
          .slice(0, comma)
          .replace(/^"(.*)"$/, '$1')
          .replaceAll('""', '"'),
        line.slice(comma + 1),
      ]
    }),
  )
  const counts = new Map<string, number>()
  for (const [key, id] of reader.getRowsJson() as [string, string][]) {
    const cluster = clusters.get(key)
    if (cluster !== undefined) counts.set(`${id} ${cluster}`, (counts.get(`${id} ${cluster}`) ?? 0) + 1)
  }
  const mostly = new Map<string, string>()
  const homes = new Map<string, string>()
  const ordered = [...counts].sort(([, left], [, right]) => left - right)
  for (const [pair] of ordered) {
    const [id = '', cluster = ''] = pair.split(' ')
    mostly.set(id, cluster)
    homes.set(cluster, id)
  }
  return { mostly, homes }
}
