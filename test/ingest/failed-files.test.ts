import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Decision } from '../../src/ingest/decision.ts'
import { zipOf } from '../support/zip.ts'
import { defined, feedSource, type Night, rollSource, withNight } from './night.ts'

const HEADER = 'CO,PARCEL,OWNER,VALUE\n'
const RENAMED = 'CO,PARCEL,OWNER_NAME,VALUE\n16,1,A,1\n'

/** A source of documents and of the names in them, which belong together by the day in their files' names. */
const pairSource = () => {
  const [names] = feedSource().files
  if (names === undefined) throw new Error('a source has a kind')
  const documents = { ...names, kind: 'documents', pattern: '(?<date>\\d\\d-\\d\\d-\\d{4})doc\\.txt' }
  return defined({ ...feedSource(), files: [names, documents], together: [['names', 'documents']] })
}

const DAY_1 = { names: '07-01-2025nme.txt', documents: '07-01-2025doc.txt' }

async function parties({ rows }: Night): Promise<unknown[]> {
  return (await rows('select document_id from staging.deed_parties order by all')).map(
    (row) => row.document_id,
  )
}

test('of many counties one with a renamed column fails by name, and the others are loaded in the same run', async () => {
  await withNight(async ({ land, run, rows }) => {
    for (const county of ['a', 'b', 'c', 'd'])
      await land(`roll_20250701_${county}.csv`, `${HEADER}21,${county},A,1\n`)
    await land('roll_20250701_bb.csv', RENAMED)
    const report = await run([rollSource({ codes: { counties: {} } })])
    expect(report.failed).toEqual([
      {
        source_id: 'us/fl/test.roll',
        kind: 'roll',
        file_name: 'roll_20250701_bb.csv',
        container_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        member: null,
        failed_at: '2025-07-01 03:00:00',
        reason:
          'roll_20250701_bb.csv, line 1: column OWNER is missing and OWNER_NAME is new: if it was renamed, add OWNER_NAME to the aliases of OWNER',
      },
    ])
    expect(report.exitCode).toBe(3)
    expect(report.sources[0]?.files.map(({ status }) => status)).toEqual([
      'loaded',
      'loaded',
      'failed',
      'loaded',
      'loaded',
    ])
    expect(await rows('select count(*)::integer as n from raw.us_fl_test_roll__roll')).toEqual([{ n: 4 }])
  })
})

test('a corrected file beside the bad one replaces it; the same name with other bytes does so too', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('day-1/roll_20250701.csv', RENAMED)
    expect((await run([rollSource()])).failed).toHaveLength(1)
    await land('day-2/roll_20250701.csv', `${HEADER}16,1,A,1\n`)
    expect(await run([rollSource()])).toMatchObject({ changed: true, exitCode: 0, failed: [] })
    expect(await rows('select file_name, status, reason from ledger.files order by 1')).toEqual([
      {
        file_name: 'day-1/roll_20250701.csv',
        status: 'replaced',
        reason: 'replaced by day-2/roll_20250701.csv',
      },
      { file_name: 'day-2/roll_20250701.csv', status: 'loaded', reason: null },
    ])
    await land('roll_20250801.csv', RENAMED)
    expect((await run([rollSource()])).exitCode).toBe(3)
    await land('roll_20250801.csv', `${HEADER}16,2,A,1\n`)
    expect(await run([rollSource()])).toMatchObject({ changed: true, exitCode: 0, failed: [] })
    expect((await run([rollSource()])).changed).toBe(false)
  })
})

test('files that belong together fail together, and files of another day are loaded', async () => {
  await withNight(async (night) => {
    const { land, run, rows } = night
    await land(DAY_1.names, '1|SMITH,JOHN|D|\n')
    await land(DAY_1.documents, '\u0000\u0001\u0002\u0003\u0004')
    await land('07-02-2025nme.txt', '2|SMITH,JOHN|D|\n')
    const report = await run([pairSource()])
    expect(report.failed.map(({ file_name, reason }) => [file_name, reason])).toEqual([
      [DAY_1.documents, expect.stringMatching(/^07-01-2025doc\.txt, line 1: the file is not text/)],
      [DAY_1.names, 'it is loaded only together with 07-01-2025doc.txt, which failed'],
    ])
    expect(await parties(night)).toEqual(['2'])
    expect(await rows('select "DOC" from raw.us_fl_test_feed__names')).toEqual([{ DOC: '2' }])
    await land(`again/${DAY_1.documents}`, '1|DEED|R|\n')
    expect(await run([pairSource()])).toMatchObject({ changed: true, exitCode: 0, failed: [] })
    expect(await parties(night)).toEqual(['1', '1', '2'])
    expect((await run([pairSource()])).changed).toBe(false)
  })
})

test('a loaded file that a changed format reads again stays loaded when a new file of its set fails', async () => {
  await withNight(async (night) => {
    const { land, run, rows } = night
    await land(DAY_1.names, '1|SMITH,JOHN|D|\n')
    await run([pairSource()])
    await land(DAY_1.documents, '\u0000\u0001\u0002\u0003\u0004')
    const [names, documents] = pairSource().files
    if (names?.format.type !== 'delimited' || documents === undefined)
      throw new Error('a source has two kinds')
    const changed = { ...names, format: { ...names.format, quote: '"' as const } }
    const report = await run([defined({ ...pairSource(), files: [changed, documents] })], '2025-07-02')
    expect(report.failed.map(({ file_name }) => file_name)).toEqual([DAY_1.documents])
    expect(await parties(night)).toEqual(['1'])
    expect(await rows('select kind, status from ledger.files order by kind')).toEqual([
      { kind: 'documents', status: 'rolled_back' },
      { kind: 'names', status: 'loaded' },
    ])
  })
})

test('an archive that cannot be opened fails with the files that it belongs together with', async () => {
  await withNight(async (night) => {
    const { land, run } = night
    const whole = await zipOf({ [DAY_1.documents]: '1|DEED|R|\n' })
    const [names, documents] = pairSource().files
    if (names === undefined || documents === undefined) throw new Error('a source has two kinds')
    const archivePattern = '(?<date>\\d\\d-\\d\\d-\\d{4})\\.zip'
    const zipped = defined({ ...pairSource(), files: [names, { ...documents, archivePattern }] })
    await land(DAY_1.names, '1|SMITH,JOHN|D|\n')
    await land('07-02-2025nme.txt', '2|SMITH,JOHN|D|\n')
    await land('07-01-2025.zip', whole.subarray(0, whole.length - 20))
    const report = await run([zipped])
    expect(report.failed.map(({ kind, file_name }) => [kind, file_name])).toEqual([
      ['', '07-01-2025.zip'],
      ['names', DAY_1.names],
    ])
    expect(await parties(night)).toEqual(['2'])
    await land('07-01-2025.zip', whole)
    expect(await run([zipped])).toMatchObject({ exitCode: 0, failed: [] })
    expect(await parties(night)).toEqual(['1', '1', '2'])
  })
})

test('a file that the operator rejects is no longer reported and never read; taking it back reads it', async () => {
  await withNight(async (night) => {
    const { land, run, rows } = night
    await land(DAY_1.names, '1|SMITH,JOHN|D|\n')
    await land(DAY_1.documents, '\u0000\u0001\u0002\u0003\u0004')
    await run([pairSource()])
    const [bad] = await rows(
      `select container_sha256 as sha256, member from ledger.files where file_name = '${DAY_1.documents}'`,
    )
    const rejected = { ...bad, source_id: 'us/fl/test.feed', decision: 'reject' } as unknown as Decision
    const settled = await run([pairSource()], '2025-07-02', [rejected])
    expect(settled).toMatchObject({ changed: true, exitCode: 0, failed: [] })
    expect(await parties(night)).toEqual(['1'])
    expect((await run([pairSource()], '2025-07-03', [rejected])).changed).toBe(false)
    expect(await rows(`select kind, status, reason from ledger.files order by kind`)).toEqual([
      { kind: 'documents', status: 'rejected', reason: 'rejected by the operator' },
      { kind: 'names', status: 'loaded', reason: null },
    ])
    expect((await run([pairSource()], '2025-07-04')).failed).toHaveLength(1)
  })
})

test('a copy of a failed file under another name fails with it', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_20250701.csv', `${HEADER}16,1\n`)
    await land('roll_20250702.csv', `${HEADER}16,1\n`)
    const report = await run([rollSource({ refusedLimit: 0.01 })])
    expect(report.failed).toHaveLength(2)
    expect(await rows('select * from raw.us_fl_test_roll__roll')).toEqual([])
  })
})

test('a higher limit of refused records reads a failed file again', async () => {
  await withNight(async ({ land, run }) => {
    await land('roll_20250701.csv', `${HEADER}16,1,A,1\n16,2\n`)
    expect((await run([rollSource({ refusedLimit: 0.1 })])).failed).toHaveLength(1)
    expect(await run([rollSource({ refusedLimit: 0.5 })])).toMatchObject({ changed: true, failed: [] })
  })
})

test('a Parquet file that is damaged in the middle fails alone', async () => {
  await withNight(async ({ db, landing, land, run, rows }) => {
    const [kind] = rollSource().files
    if (kind === undefined) throw new Error('a source has a kind')
    const columns = ['CO', 'PARCEL', 'OWNER', 'VALUE']
    const source = rollSource({
      files: [
        kind,
        {
          ...kind,
          kind: 'parquet',
          pattern: 'roll_(?<date>\\d{8})\\.parquet',
          format: { type: 'parquet', columns },
        },
      ],
    })
    const path = join(landing, 'roll_20250702.parquet')
    await db.run(
      `copy (select '16' as "CO", i::varchar as "PARCEL", md5(i::varchar) as "OWNER", '1' as "VALUE" from range(50000) t(i))
       to '${path}' (compression uncompressed)`,
    )
    const bytes = await readFile(path)
    await rm(path)
    const middle = Math.floor(bytes.length / 2)
    bytes.fill(0xff, middle, middle + 4096)
    await land('roll_20250702.parquet', bytes)
    await land('roll_20250701.csv', `${HEADER}16,1,A,1\n`)
    const report = await run([source])
    expect(report.failed).toMatchObject([{ kind: 'parquet', file_name: 'roll_20250702.parquet' }])
    expect(await rows('select parcel_number from staging.parcels')).toEqual([{ parcel_number: '1' }])
  })
})

test('a changed definition that cannot read what is loaded leaves the source as it was, and says so', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_20250701.csv', `${HEADER}16,1,A,7\n`)
    await run([rollSource()])
    const staged = await rows('select * from staging.parcels')
    const [kind] = rollSource().files
    if (kind?.format.type !== 'delimited') throw new Error('the kind is delimited')
    const format = { ...kind.format, columns: ['CO', 'PARCEL', 'OWNER', 'WORTH'] }
    const [parcels, owners] = kind.rows
    if (parcels === undefined || owners === undefined) throw new Error('the kind has two tables')
    const set = { ...parcels.set, market_value_usd: { number: 'WORTH' as const } }
    const changed = defined({
      ...rollSource(),
      files: [{ ...kind, format, rows: [{ ...parcels, set }, owners] }],
    })
    await land('roll_20250702.csv', 'CO,PARCEL,OWNER,WORTH\n21,1,A,7\n')
    const report = await run([changed])
    expect(report).toMatchObject({ changed: false, exitCode: 3 })
    expect(report.failed).toMatchObject([
      {
        file_name: 'roll_20250701.csv',
        reason:
          'roll_20250701.csv, line 1: column WORTH is missing and VALUE is new: if it was renamed, add VALUE to the aliases of WORTH; ' +
          'the file is already loaded, so the changed definition of us/fl/test.roll is not used: correct the definition',
      },
    ])
    expect(await rows('select * from staging.parcels')).toEqual(staged)
    expect((await run([changed])).failed).toEqual(report.failed)
  })
})
