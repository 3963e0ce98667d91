import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { SourceDefinition } from '../../src/ingest/definition.ts'
import { zipOf } from '../support/zip.ts'
import { feedSource, rollSource, withFormat, withNight } from './night.ts'

test('Latin-1 is read as Windows writes it, also beside quotes and lone carriage returns', async () => {
  await withNight(async ({ land, run, rows }) => {
    const text = '1|O\u0092BRIEN,JOS\u00c9|D|\n2|"THE\rBANK"|D|\n'
    await land('07-01-2025nme.txt', Buffer.from(text, 'latin1'))
    await run([feedSource()])
    expect(await rows('select full_name from staging.deed_parties order by line_number')).toEqual([
      { full_name: 'O\u2019BRIEN,JOSÉ' },
      { full_name: '"THE\rBANK"' },
    ])
  })
})

test('a record with a lone carriage return may hold quoted fields with doubled quotes', async () => {
  await withNight(async ({ land, run, rows }) => {
    const records = ['16,1,"THE ""BANK""",5\r6', '16,2,"""A"" AND ""B, C""",\r', '16,3,"DOE",7\r7']
    await land('roll_20250701.csv', ['CO,PARCEL,OWNER,VALUE', ...records].map((line) => `${line}\n`).join(''))
    await run([rollSource()])
    expect(await rows('select OWNER, VALUE from raw.us_fl_test_roll__roll order by line_number')).toEqual([
      { OWNER: 'THE "BANK"', VALUE: '5\r6' },
      { OWNER: '"A" AND "B, C"', VALUE: null },
      { OWNER: 'DOE', VALUE: '7\r7' },
    ])
  })
})

/** The roll in fixed width: records of 20 bytes. */
function fixedRoll(): SourceDefinition {
  return withFormat(
    rollSource(),
    {
      type: 'fixed',
      recordLength: 20,
      columns: [
        { name: 'CO', start: 1, end: 2 },
        { name: 'PARCEL', start: 3, end: 6 },
        { name: 'OWNER', start: 7, end: 16 },
        { name: 'VALUE', start: 17, end: 20 },
      ],
    },
    'roll_(?<date>\\d{8})\\.txt',
  )
}

test('fixed width is sliced by bytes, in Latin-1, without its padding', async () => {
  await withNight(async ({ land, run, rows }) => {
    const text =
      '160001JOS\u00c9 "X"  0001 and more of a later version\r\n160002DOE       0002\r\n160003short\r\n'
    await land('roll_20250701.txt', Buffer.from(text, 'latin1'))
    await run([fixedRoll()])
    expect(
      await rows('select CO, PARCEL, OWNER, VALUE from raw.us_fl_test_roll__roll order by line_number'),
    ).toEqual([
      { CO: '16', PARCEL: '0001', OWNER: 'JOSÉ "X"', VALUE: '0001' },
      { CO: '16', PARCEL: '0002', OWNER: 'DOE', VALUE: '0002' },
    ])
    expect(await rows('select line_number, reason, raw_text from ledger.quarantine')).toEqual([
      { line_number: 3, reason: 'the record has 11 bytes instead of 20', raw_text: '160003short' },
    ])
  })
})

test('long fixed-width records full of quotes are loaded whole', async () => {
  await withNight(async ({ land, run, rows }) => {
    const source = withFormat(
      rollSource(),
      {
        type: 'fixed',
        recordLength: 750_014,
        columns: [
          { name: 'CO', start: 1, end: 2 },
          { name: 'PARCEL', start: 3, end: 6 },
          { name: 'OWNER', start: 7, end: 10 },
          { name: 'VALUE', start: 11, end: 14 },
          { name: 'NOTE', start: 15, end: 750_014 },
        ],
      },
      'roll_(?<date>\\d{8})\\.txt',
    )
    // Each quote is doubled on its way. The records fill the buffer of 8 MiB twice.
    const notes = '"'.repeat(750_000)
    const parcels = Array.from({ length: 16 }, (_, index) => `${1_000 + index}`)
    await land('roll_20250701.txt', parcels.map((parcel) => `16${parcel}DOE 0001${notes}\n`).join(''))
    await run([source])
    expect(
      await rows(`select PARCEL, length(NOTE)::integer as n, replace(NOTE, '"', '') as others
        from raw.us_fl_test_roll__roll order by line_number`),
    ).toEqual(parcels.map((PARCEL) => ({ PARCEL, n: 750_000, others: '' })))
  })
})

test('JSON lines keep the spelling of their values; what is no object is refused', async () => {
  await withNight(async ({ land, run, rows }) => {
    const source = withFormat(
      rollSource(),
      { type: 'jsonl', columns: ['CO', 'PARCEL', 'OWNER', 'VALUE'] },
      'roll_(?<date>\\d{8})\\.jsonl',
    )
    await land(
      'roll_20250701.jsonl',
      '{"CO":16,"PARCEL":"00\\u00e9","OWNER":null,"VALUE":1.50}\n{"CO":"16","PARCEL":"2"}\n[1]\n{"CO":\n',
    )
    await run([source])
    expect(
      await rows('select CO, PARCEL, OWNER, VALUE from raw.us_fl_test_roll__roll order by line_number'),
    ).toEqual([
      { CO: '16', PARCEL: '00é', OWNER: null, VALUE: '1.50' },
      { CO: '16', PARCEL: '2', OWNER: null, VALUE: null },
    ])
    expect(await rows('select line_number, reason from ledger.quarantine order by 1')).toEqual([
      { line_number: 3, reason: 'the line is not a JSON object' },
      { line_number: 4, reason: 'the line is not a JSON object' },
    ])
  })
})

test('Parquet becomes text, its rows numbered', async () => {
  await withNight(async ({ db, landing, run, rows }) => {
    const source = withFormat(
      rollSource(),
      { type: 'parquet', columns: ['CO', 'PARCEL', 'OWNER', 'VALUE'] },
      'roll_(?<date>\\d{8})\\.parquet',
    )
    const file = join(landing, 'roll_20250701.parquet')
    await db.run(
      `copy (select 16 as CO, '0001' as PARCEL, 'SMITH' as OWNER, 12.5 as VALUE) to '${file}' (format parquet)`,
    )
    const report = await run([source])
    expect(report.sources[0]?.files).toMatchObject([{ file_rows: 1, loaded_rows: 1 }])
    expect(await rows('select * exclude (file_id) from raw.us_fl_test_roll__roll')).toEqual([
      { line_number: 1, CO: '16', PARCEL: '0001', OWNER: 'SMITH', VALUE: '12.5' },
    ])
  })
})

test('Parquet in a gzip or a zip is unpacked first', async () => {
  await withNight(async ({ db, landing, land, run, rows }) => {
    const source = withFormat(
      rollSource(),
      { type: 'parquet', columns: ['CO', 'PARCEL', 'OWNER', 'VALUE'] },
      'roll_(?<date>\\d{8})\\.parquet',
    )
    const file = join(landing, 'made')
    const parquetOf = async (parcel: string): Promise<Buffer> => {
      await db.run(
        `copy (select '16' as CO, '${parcel}' as PARCEL, 'SMITH' as OWNER, '5' as VALUE) to '${file}' (format parquet)`,
      )
      return readFile(file)
    }
    await land('roll_20250701.parquet.gz', gzipSync(await parquetOf('0001')))
    await land('us-fl-test-roll/roll.zip', await zipOf({ 'roll_20250702.parquet': await parquetOf('0002') }))
    await rm(file)
    expect(await run([source])).toMatchObject({ exitCode: 0, failed: [] })
    expect(await rows('select PARCEL from raw.us_fl_test_roll__roll order by 1')).toEqual([
      { PARCEL: '0001' },
      { PARCEL: '0002' },
    ])
  })
})

test('columns may stand in any order, and an optional one may be there', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_20250701.csv', '\ufeffVALUE,NOTE,PARCEL,CO,OWNER\n5,n,0001,16,SMITH\n')
    await run([rollSource()])
    expect(await rows('select CO, PARCEL, OWNER, VALUE, NOTE from raw.us_fl_test_roll__roll')).toEqual([
      { CO: '16', PARCEL: '0001', OWNER: 'SMITH', VALUE: '5', NOTE: 'n' },
    ])
  })
})

test('each UTF-8 record of a Latin-1 source is read as UTF-8 and counted; what only looks like it stays', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('07-01-2025nme.txt', '1|PEÑA JOSÉ|D|\n2|O’BRIEN|D|\n3|SMITH|D|\n')
    await land('07-02-2025nme.txt', Buffer.from('4|PEÑA JOSÉ|D|\n5|CAF\u00c9\u0092S|D|\n', 'latin1'))
    const report = await run([feedSource()])
    expect(await rows('select full_name from staging.deed_parties order by document_id')).toEqual([
      { full_name: 'PEÑA JOSÉ' },
      { full_name: 'O’BRIEN' },
      { full_name: 'SMITH' },
      { full_name: 'PEÑA JOSÉ' },
      { full_name: 'CAFÉ’S' },
    ])
    expect(report.sources[0]?.files.map(({ status, reason }) => ({ status, reason }))).toEqual([
      {
        status: 'loaded',
        reason: '2 records are UTF-8 and read as such, although the definition says latin-1',
      },
      { status: 'loaded', reason: null },
    ])
  })
})

test('a UTF-8 header of a Latin-1 source names its columns', async () => {
  await withNight(async ({ land, run, rows }) => {
    const source = withFormat(rollSource(), {
      type: 'delimited',
      delimiter: ',',
      header: true,
      encoding: 'latin-1',
      columns: ['CO', 'PARCEL', 'DUEÑO', 'VALUE'],
      optionalColumns: ['OWNER'],
    })
    await land('roll_20250701.csv', 'CO,PARCEL,DUEÑO,VALUE\n16,0001,PEÑA,5\n')
    await land('roll_20250702.csv', Buffer.from('CO,PARCEL,DUEÑO,VALUE\n16,0002,PEÑA,5\n', 'latin1'))
    await run([source])
    expect(await rows('select "DUEÑO" as owner from raw.us_fl_test_roll__roll order by PARCEL')).toEqual([
      { owner: 'PEÑA' },
      { owner: 'PEÑA' },
    ])
  })
})

test('a UTF-8 record of fixed width has columns of characters or of bytes, by the width of the other records', async () => {
  await withNight(async ({ land, run, rows }) => {
    const records = [
      '160001PEÑA JOSÉ 0001', // 20 characters
      '160002DOE       0002',
      '160003PEÑA     0003', // 20 bytes and 19 characters
      '160004DOE       0004later',
      '160005PEÑA      0005later', // as long as the record before it, in characters
      '160006PEÑA      0006 c', // neither
    ]
    await land('roll_20250701.txt', records.map((record) => `${record}\n`).join(''))
    const report = await run([fixedRoll()])
    expect(
      await rows('select PARCEL, OWNER, VALUE from raw.us_fl_test_roll__roll order by line_number'),
    ).toEqual([
      { PARCEL: '0001', OWNER: 'PEÑA JOSÉ', VALUE: '0001' },
      { PARCEL: '0002', OWNER: 'DOE', VALUE: '0002' },
      { PARCEL: '0003', OWNER: 'PEÑA', VALUE: '0003' },
      { PARCEL: '0004', OWNER: 'DOE', VALUE: '0004' },
      { PARCEL: '0005', OWNER: 'PEÑA', VALUE: '0005' },
    ])
    expect(await rows('select line_number, reason, raw_text from ledger.quarantine')).toEqual([
      {
        line_number: 6,
        reason:
          'the record is in UTF-8, so the places of its columns are unknown: it has 23 bytes and 22 characters instead of 25',
        raw_text: '160006PEÑA      0006 c',
      },
    ])
    expect(report.sources[0]?.files).toMatchObject([{ status: 'loaded', refused_rows: 1 }])
  })
})
