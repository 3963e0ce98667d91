import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { zipOf } from '../support/zip.ts'
import type { SourceDefinition } from '../../src/ingest/definition.ts'
import { ingest, type IngestReport } from '../../src/ingest/ingest.ts'
import type { BadDefinition } from '../../src/ingest/sources.ts'
import { loadedTwice } from '../../src/ingest/shared-files.ts'
import { silentLog } from '../../src/log.ts'
import { defined, feedSource, rollSource, withFormat, withNight } from './night.ts'

const HEADER = 'CO,PARCEL,OWNER,VALUE\r\n'
const ROLL = `${HEADER}16,"0001","SMITH, JOHN",1000\r\n16,"000837E2","DOE JANE",2000\r\n`

test('a plain file becomes raw rows with lines, staged rows with keys, and a line in the ledger', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('day-1/us-fl-test-roll/roll_20250701.csv', ROLL)
    const report = await run([rollSource()])
    expect(report).toMatchObject({ changed: true, exitCode: 0, unclaimed: [] })
    expect(report.sources).toEqual([
      {
        source_id: 'us/fl/test.roll',
        status: 'loaded',
        reason: null,
        files: [
          {
            file_name: 'day-1/us-fl-test-roll/roll_20250701.csv',
            kind: 'roll',
            file_rows: 2,
            loaded_rows: 2,
            refused_rows: 0,
            status: 'loaded',
            reason: null,
          },
        ],
      },
    ])
    expect(await rows('select * from raw.us_fl_test_roll__roll order by line_number')).toEqual([
      {
        file_id: 1,
        line_number: 2,
        CO: '16',
        PARCEL: '0001',
        OWNER: 'SMITH, JOHN',
        VALUE: '1000',
        NOTE: null,
      },
      {
        file_id: 1,
        line_number: 3,
        CO: '16',
        PARCEL: '000837E2',
        OWNER: 'DOE JANE',
        VALUE: '2000',
        NOTE: null,
      },
    ])
    expect(
      await rows(
        `select record_key, county_fips, parcel_number, market_value_usd, file_id, line_number, as_of_on
         from staging.parcels order by line_number`,
      ),
    ).toEqual([
      {
        record_key: 'us/fl/test.roll/roll/16|0001',
        county_fips: '12011',
        parcel_number: '0001',
        market_value_usd: 1000,
        file_id: 1,
        line_number: 2,
        as_of_on: '2025-07-01',
      },
      {
        record_key: 'us/fl/test.roll/roll/16|000837E2',
        county_fips: '12011',
        parcel_number: '000837E2',
        market_value_usd: 2000,
        file_id: 1,
        line_number: 3,
        as_of_on: '2025-07-01',
      },
    ])
    expect(await rows('select physical_rows, loaded_rows, refused_rows, status from ledger.files')).toEqual([
      { physical_rows: 2, loaded_rows: 2, refused_rows: 0, status: 'loaded' },
    ])
  })
})

test('gzip, zip and a zip inside a zip give the rows of the file inside', async () => {
  await withNight(async ({ land, run, rows }) => {
    const inner = await zipOf({ 'export/roll_20250702.csv': ROLL.replaceAll('16,', '21,') })
    await land('roll_20250701.csv.gz', gzipSync(ROLL))
    await land(
      'roll.zip',
      await zipOf({ 'roll_20250703.csv': `${HEADER}16,0009,A,1\n`, 'a/inner.zip': inner }),
    )
    const report = await run([rollSource({ refusedLimit: 0 })])
    expect(report.sources[0]?.files.map((file) => [file.file_name, file.loaded_rows])).toEqual([
      ['roll_20250701.csv.gz', 2],
      ['roll.zip!a/inner.zip!export/roll_20250702.csv', 2],
      ['roll.zip!roll_20250703.csv', 1],
    ])
    expect(await rows('select record_key from staging.parcels order by record_key')).toEqual(
      ['16|0009', '21|0001', '21|000837E2'].map((key) => ({ record_key: `us/fl/test.roll/roll/${key}` })),
    )
  })
})

test('the archive can name what its members do not', async () => {
  await withNight(async ({ land, run, rows }) => {
    const source = rollSource()
    const [kind] = source.files
    if (kind === undefined) throw new Error('a source has a kind')
    const zipped = defined({
      ...source,
      files: [{ ...kind, pattern: 'roll\\.csv', archivePattern: 'county_(?<date>\\d{8})\\.zip' }],
    })
    await land('county_20250704.zip', await zipOf({ 'roll.csv': ROLL }))
    await land('other_20250704.zip', await zipOf({ 'roll.csv': ROLL }))
    const report = await run([zipped])
    expect(report.unclaimed).toEqual(['other_20250704.zip'])
    expect(await rows('select distinct as_of_on from staging.parcels')).toEqual([{ as_of_on: '2025-07-04' }])
  })
})

test('a file in the folder of a source is read by that source alone', async () => {
  await withNight(async ({ land, run }) => {
    const other = rollSource({ id: 'us/fl/other.roll' })
    await land('day-1/us-fl-other-roll/roll_20250701.csv', ROLL)
    const report = await run([rollSource(), other])
    expect(report.sources.map(({ source_id, status }) => [source_id, status])).toEqual([
      ['us/fl/test.roll', 'unchanged'],
      ['us/fl/other.roll', 'loaded'],
    ])
  })
})

test('a file that a source has loaded is refused by another one, and doctor finds those of earlier versions', async () => {
  await withNight(async ({ db, land, run, rows }) => {
    const sources = [rollSource(), rollSource({ id: 'us/fl/other.roll' })]
    await land('roll_20250701.csv', ROLL)
    expect(await run([rollSource()])).toMatchObject({ exitCode: 0 })
    const report = await run(sources)
    expect(report).toMatchObject({
      exitCode: 3,
      sources: [{ status: 'unchanged' }, { status: 'rolled_back' }],
      failed: [{ source_id: 'us/fl/other.roll', reason: expect.stringMatching(/would both read this file/) }],
    })
    expect(await rows('select distinct source_id from staging.parcels')).toEqual([
      { source_id: 'us/fl/test.roll' },
    ])
    expect(await loadedTwice(db, sources)).toEqual([])
    await db.run(`update ledger.files set status = 'loaded' where source_id = 'us/fl/other.roll'`)
    expect(await loadedTwice(db, sources)).toEqual([
      { readers: ['us/fl/other.roll', 'us/fl/test.roll'], files: 1, file_name: 'roll_20250701.csv' },
    ])
  })
})

test('files that no source reads are named, not loaded', async () => {
  await withNight(async ({ land, run }) => {
    await land('readme.pdf', 'x')
    await land('.DS_Store', 'x')
    expect(await run([rollSource()])).toMatchObject({
      unclaimed: ['readme.pdf'],
      changed: false,
      exitCode: 0,
    })
  })
})

test('a second night without new files does nothing', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_20250701.csv', ROLL)
    await run([rollSource()])
    const before = await rows('select * from ledger.files')
    const report = await run([rollSource()], '2025-07-02')
    expect(report).toMatchObject({ changed: false, exitCode: 0 })
    expect(report.sources).toEqual([
      { source_id: 'us/fl/test.roll', status: 'unchanged', files: [], reason: null },
    ])
    expect(await rows('select * from ledger.files')).toEqual(before)
  })
})

test('the same content under another name, packed or not, changes nothing twice', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('day-1/roll_20250701.csv', ROLL)
    await run([rollSource()])
    const staged = await rows('select * from staging.parcels order by record_key')
    await land('day-2/roll_20250701.csv', ROLL)
    await land('day-2/roll_20250701_again.csv.gz', gzipSync(ROLL))
    const report = await run([rollSource()])
    expect(report.sources[0]?.files.map(({ status, reason }) => [status, reason])).toEqual([
      ['repeated', 'it has the same content as day-1/roll_20250701.csv, which is already loaded'],
      ['repeated', 'it has the same content as day-1/roll_20250701.csv, which is already loaded'],
    ])
    expect(await rows('select * from staging.parcels order by record_key')).toEqual(staged)
    expect(await rows('select count(*)::integer as n from raw.us_fl_test_roll__roll')).toEqual([{ n: 2 }])
    expect((await run([rollSource()])).changed).toBe(false)
  })
})

test('a roll that goes back to what it said before says so as of its own day', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_20250101.csv', ROLL)
    await land('roll_20250201.csv', `${HEADER}16,0001,"BROWN ANN",5\n`)
    await land('roll_20250301.csv', ROLL)
    await run([rollSource()])
    expect(await rows('select parcel_number, as_of_on, file_id from staging.parcels order by 1')).toEqual([
      { parcel_number: '0001', as_of_on: '2025-03-01', file_id: 1 },
      { parcel_number: '000837E2', as_of_on: '2025-03-01', file_id: 1 },
    ])
    expect(
      await rows('select full_name, as_of_on, superseded_on from staging.past_parcel_owners order by 2, 1'),
    ).toEqual([
      { full_name: 'DOE JANE', as_of_on: '2025-01-01', superseded_on: '2025-02-01' },
      { full_name: 'SMITH, JOHN', as_of_on: '2025-01-01', superseded_on: '2025-02-01' },
      { full_name: 'BROWN ANN', as_of_on: '2025-02-01', superseded_on: '2025-03-01' },
    ])
  })
})

test('a newer roll replaces its county only; an owner who sold is kept among the past ones', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_20250101_a.csv', `${HEADER}16,0001,SMITH JOHN,1\n16,0002,DOE JANE,2\n`)
    await land('roll_20250101_b.csv', `${HEADER}21,0001,LEE KIM,3\n`)
    await run([rollSource()])
    await land('roll_20250201_a.csv', `${HEADER}16,0001,SMITH JOHN,9\n16,0002,BROWN ANN,2\n`)
    await run([rollSource()])
    expect(
      await rows('select record_key, full_name, as_of_on from staging.parcel_owners order by record_key'),
    ).toEqual([
      { record_key: 'us/fl/test.roll/roll/16|0001', full_name: 'SMITH JOHN', as_of_on: '2025-02-01' },
      { record_key: 'us/fl/test.roll/roll/16|0002', full_name: 'BROWN ANN', as_of_on: '2025-02-01' },
      { record_key: 'us/fl/test.roll/roll/21|0001', full_name: 'LEE KIM', as_of_on: '2025-01-01' },
    ])
    expect(await rows('select full_name, superseded_on from staging.past_parcel_owners')).toEqual([
      { full_name: 'DOE JANE', superseded_on: '2025-02-01' },
    ])
  })
})

test('an older file that arrives late overrides nothing', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_20250201.csv', `${HEADER}16,0001,BROWN ANN,1\n`)
    await run([rollSource()])
    await land('roll_20250101.csv', `${HEADER}16,0001,SMITH JOHN,1\n21,0001,LEE KIM,3\n`)
    await run([rollSource()])
    expect(await rows('select full_name from staging.parcel_owners order by record_key')).toEqual([
      { full_name: 'BROWN ANN' },
      { full_name: 'LEE KIM' },
    ])
    expect(await rows('select full_name, superseded_on from staging.past_parcel_owners')).toEqual([
      { full_name: 'SMITH JOHN', superseded_on: '2025-02-01' },
    ])
  })
})

test('of two editions of one day the later name is the newest, in one run as in two, whatever folders they are in', async () => {
  const first = ['later/roll_20250101-1.csv', `${HEADER}16,0001,SMITH JOHN,1\n`] as const
  const second = ['early/roll_20250101-2.csv', `${HEADER}16,0001,BROWN ANN,1\n`] as const
  for (const runsBetween of [0, 1]) {
    await withNight(async ({ land, run, rows }) => {
      await land(...first)
      if (runsBetween > 0) await run([rollSource()])
      await land(...second)
      await run([rollSource()])
      expect(await rows('select full_name from staging.parcel_owners')).toEqual([{ full_name: 'BROWN ANN' }])
    })
  }
})

test('a document that is sent again is replaced, the rest of its day stays', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('07-01-2025nme.txt', '1|SMITH,JOHN|D|\n1|DOE,JANE|R|\n2|LEE,KIM|D|\n')
    await run([feedSource()])
    await land('07-02-2025nme.txt', '1|SMITH,JON|D|\n3|BROWN,ANN|D|\n')
    await run([feedSource()])
    expect(await rows('select document_id, full_name from staging.deed_parties order by 1, 2')).toEqual([
      { document_id: '1', full_name: 'SMITH,JON' },
      { document_id: '2', full_name: 'LEE,KIM' },
      { document_id: '3', full_name: 'BROWN,ANN' },
    ])
  })
})

test('the second record of a file with the same identity is ~2', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('07-01-2025nme.txt', '1|SMITH,JOHN|D|\n1|DOE,JANE|D|\n2|LEE,KIM|D|\n1|DOE,MARY|D|\n')
    await run([feedSource()])
    expect(await rows('select record_key, full_name from staging.deed_parties order by line_number')).toEqual(
      [
        { record_key: 'us/fl/test.feed/names/1|D', full_name: 'SMITH,JOHN' },
        { record_key: 'us/fl/test.feed/names/1|D~2', full_name: 'DOE,JANE' },
        { record_key: 'us/fl/test.feed/names/2|D', full_name: 'LEE,KIM' },
        { record_key: 'us/fl/test.feed/names/1|D~3', full_name: 'DOE,MARY' },
      ],
    )
  })
})

test('a changed meaning is staged again from what was read, without the file', async () => {
  await withNight(async ({ land, landing, run, rows }) => {
    await land('roll_20250701.csv', ROLL)
    await run([rollSource()])
    await rm(join(landing, 'roll_20250701.csv'))
    const report = await run([rollSource({ codes: { counties: { '16': '99999' } } })], '2025-07-02')
    expect(report).toMatchObject({ changed: true, exitCode: 0 })
    expect(await rows('select distinct county_fips from staging.parcels')).toEqual([{ county_fips: '99999' }])
    expect(await rows('select count(*)::integer as n from staging.parcels')).toEqual([{ n: 2 }])
    expect(await rows('select loaded_at from ledger.files')).toEqual([{ loaded_at: '2025-07-02 03:00:00' }])
  })
})

test('a changed format reads the files again, under the same ids', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_20250701.csv', 'CO;PARCEL;OWNER;VALUE\n16;0001;SMITH;1\n')
    const wrong = await run([rollSource()])
    expect(wrong).toMatchObject({ changed: false, exitCode: 3 })
    const columns = ['CO', 'PARCEL', 'OWNER', 'VALUE']
    const source = withFormat(rollSource(), { type: 'delimited', delimiter: ';', header: true, columns })
    expect((await run([source])).exitCode).toBe(0)
    const less = withFormat(rollSource(), {
      type: 'delimited',
      delimiter: ';',
      header: false,
      columns,
    })
    await run([less])
    expect(await rows('select file_id, line_number, CO from raw.us_fl_test_roll__roll order by 2')).toEqual([
      { file_id: 1, line_number: 1, CO: 'CO' },
      { file_id: 1, line_number: 2, CO: '16' },
    ])
    expect(await rows('select file_id, physical_rows from ledger.files')).toEqual([
      { file_id: 1, physical_rows: 2 },
    ])
  })
})

test('text that is no number is counted and becomes null; the row stays', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_20250701.csv', `${HEADER}16,1,A,12\n16,2,B,n/a\n16,3,C,\n`)
    await run([rollSource()])
    expect(await rows('select market_value_usd from staging.parcels order by line_number')).toEqual([
      { market_value_usd: 12 },
      { market_value_usd: null },
      { market_value_usd: null },
    ])
    expect(await rows('select unconverted_values, unconverted from ledger.files')).toEqual([
      { unconverted_values: 1, unconverted: '{"parcels.market_value_usd":1}' },
    ])
  })
})

test('a refused row keeps its file, line, text and reason, also when a rule of the definition refuses it', async () => {
  await withNight(async ({ land, run, rows }) => {
    const source = rollSource()
    const [kind] = source.files
    if (kind === undefined) throw new Error('a source has a kind')
    const refuse = [
      { when: { is: 'VALUE' as const, in: ['-1'] }, reason: 'the value is a mark for withdrawn' },
    ]
    await land('roll_20250701.csv', `${HEADER}16,1,A,12\n ,2,B,1\n16,3,C,-1\n16,4\n16,5,E,1\n16,6,F,1\n`)
    await run([defined({ ...source, files: [{ ...kind, refuse }] })])
    expect(
      await rows('select line_number, raw_text, reason, field, file_name from ledger.quarantine order by 1'),
    ).toEqual([
      {
        line_number: 3,
        raw_text: ' ,2,B,1,',
        reason: 'blank key',
        field: 'CO',
        file_name: 'roll_20250701.csv',
      },
      {
        line_number: 4,
        raw_text: '16,3,C,-1,',
        reason: 'the value is a mark for withdrawn',
        field: 'VALUE',
        file_name: 'roll_20250701.csv',
      },
      {
        line_number: 5,
        raw_text: '16,4',
        reason: 'the line has 2 fields instead of 4',
        field: null,
        file_name: 'roll_20250701.csv',
      },
    ])
    expect(await rows('select physical_rows, loaded_rows, refused_rows from ledger.files')).toEqual([
      { physical_rows: 6, loaded_rows: 3, refused_rows: 3 },
    ])
  })
})

test('sources whose definitions have faults are named and wait; every other source is loaded', async () => {
  await withNight(async ({ db, landing, land, rows }) => {
    const night = (sources: SourceDefinition[], badDefinitions: BadDefinition[]): Promise<IngestReport> =>
      ingest({
        db,
        sources,
        badDefinitions,
        landing,
        now: () => new Date('2025-07-01T03:00:00Z'),
        log: silentLog,
        signal: new AbortController().signal,
      })
    const sound = rollSource({ id: 'us/oh/test.roll', weight: 0.9 })
    const [kind] = feedSource().files
    if (kind === undefined) throw new Error('a feed has a kind')
    const unread = feedSource({
      files: [
        {
          ...kind,
          rows: [{ into: 'deed_parties', set: { document_id: { extract: '(?<=X)Y', of: 'DOC' } } }],
        },
      ],
    })
    await land('us-oh-test-roll/roll_20250701.csv', ROLL)
    await land('07-01-2025nme.txt', '1|SMITH JOHN|D|\n')
    await night([sound], [])
    await land('us-oh-test-roll/roll_20250702.csv', `${HEADER}16,7,LEE KIM,1\r\n`)
    await land('us-fl-test-roll/roll_20250702.csv', `${HEADER}16,8,DOE JANE,1\r\n`)
    const message = 'oh.roll.json:9:3: roll, parcels: there is no column WORTH'
    const bad = { id: sound.id, file: 'oh.roll.json', message }
    const report = await night([rollSource(), unread], [bad])
    expect(report).toMatchObject({ exitCode: 3, changed: true })
    expect(report.sources).toMatchObject([
      {
        source_id: 'us/oh/test.roll',
        status: 'rolled_back',
        reason: expect.stringMatching(/^oh\.roll\.json:9:3: .*WORTH/),
      },
      { source_id: 'us/fl/test.roll', status: 'loaded' },
      {
        source_id: 'us/fl/test.feed',
        status: 'rolled_back',
        reason: expect.stringMatching(/names, deed_parties\.document_id: /),
      },
    ])
    // The folder of the bad definition keeps its files, and what it loaded before keeps its weight.
    expect(await rows('select distinct source_id, parcel_number from staging.parcels order by all')).toEqual([
      { source_id: 'us/fl/test.roll', parcel_number: '8' },
      { source_id: 'us/oh/test.roll', parcel_number: '0001' },
      { source_id: 'us/oh/test.roll', parcel_number: '000837E2' },
    ])
    expect(await rows(`select weight from reference.sources where source_id = 'us/oh/test.roll'`)).toEqual([
      { weight: 0.9 },
    ])
    const corrected = await night([rollSource(), feedSource(), sound], [])
    expect(corrected).toMatchObject({ exitCode: 0 })
    expect(await rows(`select document_id from staging.deed_parties`)).toEqual([{ document_id: '1' }])
  })
})

test('dates outside their bounds are unknown, counted apart from unreadable ones, and other dates stay', async () => {
  await withNight(async ({ land, run, rows }) => {
    const [kind] = rollSource().files
    if (kind === undefined) throw new Error('a roll has a kind')
    const parcel = { county_fips: { literal: '12011' }, parcel_number: 'PARCEL' }
    const sold_on = { date: 'NOTE', formats: ['%m/%d/%y'] }
    const source = rollSource({
      files: [
        {
          ...kind,
          rows: [
            { into: 'sales', set: { ...parcel, sold_on } },
            {
              into: 'deaths',
              set: { birth_date: { birthDate: 'OWNER', formats: ['%Y%m%d'] }, died_on: sold_on },
            },
            {
              into: 'parcels',
              bounds: { deed_on: { notAfterDays: 0, notBefore: '1990-01-01' } },
              set: { ...parcel, deed_on: sold_on },
            },
          ],
        },
      ],
    })
    const notes = ['07/08/25', '07/09/25', '07/01/25', '01/01/68', '12/31/89', 'soon']
    const births = ['20250708', '20250709', '19760700', '20770000', '', '']
    const lines = notes.map((note, index) => `16,P${index},${births[index] ?? ''},1,${note}`)
    await land('roll_20250701.csv', `CO,PARCEL,OWNER,VALUE,NOTE\n${lines.join('\n')}\n`)
    await run([source])
    const column = async (table: string, name: string): Promise<unknown[]> =>
      (await rows(`select ${name} as value from staging.${table} order by line_number`)).map(
        ({ value }) => value,
      )
    expect(await column('sales', 'sold_on')).toEqual([
      '2025-07-08',
      null,
      '2025-07-01',
      null,
      '1989-12-31',
      null,
    ])
    expect(await column('deaths', 'birth_date')).toEqual(['2025-07-08', null, '1976-07-00', null, null, null])
    expect(await column('parcels', 'deed_on')).toEqual([null, null, '2025-07-01', null, null, null])
    const [file] = await rows('select unconverted, outside_bounds from ledger.files')
    expect(JSON.parse(String(file?.unconverted))).toEqual({
      'sales.sold_on': 1,
      'deaths.died_on': 1,
      'parcels.deed_on': 1,
    })
    expect(JSON.parse(String(file?.outside_bounds))).toEqual({
      'sales.sold_on': 2,
      'deaths.birth_date': 2,
      'parcels.deed_on': 4,
    })
  })
})
