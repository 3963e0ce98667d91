import { cp } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSources } from '../../src/ingest/sources.ts'
import { withNight } from './night.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SOURCES = join(ROOT, 'pipelines/sources')
const SAMPLE = join(ROOT, 'data/sample')
const REAL_FILE = join(ROOT, '../shared/data/SDF16P202501.csv.gz')

test('both days of the sample load whole, and every record that the truth names is staged', async () => {
  await withNight(async ({ db, landing, run, rows }) => {
    const sources = await loadSources([SOURCES])
    await cp(join(SAMPLE, 'day-1'), join(landing, 'day-1'), { recursive: true })
    const first = await run(sources, '2026-01-05')
    expect(first).toMatchObject({ exitCode: 0, unclaimed: [], changed: true })
    await cp(join(SAMPLE, 'day-2'), join(landing, 'day-2'), { recursive: true })
    const second = await run(sources, '2026-01-06')
    expect(second).toMatchObject({ exitCode: 0, unclaimed: [], changed: true })
    expect(await rows(`select file_name, reason from ledger.files where status = 'empty'`)).toEqual([])
    expect(
      await rows(`select file_name from ledger.files
                  where status = 'loaded' and physical_rows <> loaded_rows + refused_rows`),
    ).toEqual([])
    expect(await rows('select file_name, line_number, reason from ledger.quarantine')).toEqual([])
    await db.run(
      `create temp table truth as select regexp_replace(record_id, '#[0-9]+$', '') as record_key
       from read_csv('${join(SAMPLE, 'truth.csv')}', header = true, all_varchar = true)`,
    )
    expect(
      await rows(
        `select record_key from truth where record_key not in (
           select record_key from staging.person_mentions union select record_key from staging.past_person_mentions
           union select record_key from staging.parcel_owners union select record_key from staging.past_parcel_owners
           union select record_key from staging.deed_parties union select record_key from staging.deaths)`,
      ),
    ).toEqual([])
    expect((await run(sources, '2026-01-07')).changed).toBe(false)
  })
})

test('sample files that a spreadsheet has saved lose their damaged rows, with the column and the likely cause', async () => {
  await withNight(async ({ land, run, rows }) => {
    const sources = (await loadSources([SOURCES]))
      .filter(({ id }) => ['us/ny/nyc.acris', 'us/tx/harris.hcad'].includes(id))
      .map((source) => ({ ...source, refusedLimit: 1 }))
    const name = 'us-ny-nyc-acris/acris_real_property_master_20260105.csv'
    const [header = '', row = ''] = (await readFile(join(SAMPLE, 'day-1', name), 'utf8')).split('\n')
    const [id = ''] = /^\w{16}/.exec(row) ?? []
    const mangled = ['2.02601E+15', id.slice(1), '#N/A'].map((text) => row.replace(id, text))
    await land(name, [header, row, ...mangled, ''].join('\n'))
    const hcad = sources.find(({ id: each }) => each === 'us/tx/harris.hcad')?.files[0]?.format
    if (hcad?.type !== 'delimited') throw new Error('the accounts are delimited')
    const account = (text: string): string =>
      hcad.columns.map((column) => (column === 'acct' ? text : '')).join('\t')
    await land(
      'us-tx-harris-hcad/real_acct.txt',
      [hcad.columns.join('\t'), account('0010020000001'), account('10020000001'), ''].join('\n'),
    )
    await run(sources, '2026-01-05')
    const cause = 'get the original file from the publisher'
    const short = `a spreadsheet has dropped its leading zeros; ${cause}`
    expect(await rows('select line_number, reason from ledger.quarantine order by source_id, 1')).toEqual([
      {
        line_number: 3,
        reason: `DOCUMENT ID is a number in scientific notation: a spreadsheet has shortened the identifier; ${cause}`,
      },
      { line_number: 4, reason: `DOCUMENT ID has fewer than 16 characters: ${short}` },
      {
        line_number: 5,
        reason: `DOCUMENT ID is an error value of a spreadsheet: the cell had a formula or was too narrow; ${cause}`,
      },
      { line_number: 3, reason: `acct has fewer than 13 characters: ${short}` },
    ])
  })
})

test.skipIf(!existsSync(REAL_FILE))(
  'the real Florida sale file (skipped where it is not at hand) is loaded with every record accounted for',
  async () => {
    await withNight(async ({ landing, run, rows }) => {
      await mkdir(join(landing, 'us-fl-statewide-sdf'))
      await copyFile(REAL_FILE, join(landing, 'us-fl-statewide-sdf/SDF16P202501.csv.gz'))
      const sources = (await loadSources([SOURCES])).filter(({ id }) => id === 'us/fl/statewide.sdf')
      const report = await run(sources)
      expect(report.sources[0]?.files).toMatchObject([
        { file_rows: 95_332, loaded_rows: 95_332, refused_rows: 0, status: 'loaded' },
      ])
      expect(
        await rows(
          `select count(*) filter (regexp_full_match("MP_ID", '[0-9]+E[0-9]+'))::integer as powers,
             count(*) filter (regexp_matches("PARCEL_ID", '[A-Z]'))::integer as lettered,
             count(distinct "CLERK_NO")::integer as instruments, min(length("PARCEL_ID"))::integer as shortest
           from raw.us_fl_statewide_sdf__sdf`,
        ),
      ).toEqual([{ powers: 3_178, lettered: 37_626, instruments: 92_298, shortest: 12 }])
      // The clerk's own example deed, where the state has it.
      expect(
        await rows(
          `select line_number, parcel_number, price_usd, sold_on from staging.sales
           where instrument_number = '119840338'`,
        ),
      ).toEqual([
        { line_number: 32_767, parcel_number: '494126DD0410', price_usd: 75_000, sold_on: '2024-10-01' },
      ])
    })
  },
)
