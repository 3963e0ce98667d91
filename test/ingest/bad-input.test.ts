import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { Spool } from '../../src/ingest/spool.ts'
import { withFolder } from '../support/folder.ts'
import type { FileKind, SourceDefinition } from '../../src/ingest/definition.ts'
import { rollSource, withFormat, withNight } from './night.ts'

const HEADER = 'CO,PARCEL,OWNER,VALUE\n'
const GOOD = `${HEADER}16,0001,"SMITH, JOHN",1000\n`

/** Lands a good and a bad file of one source: the good one must be loaded, and nothing of the bad one. */
async function expectFailed(
  file: { name: string; content: string | Buffer },
  message: RegExp | string,
): Promise<void> {
  await withNight(async (night) => {
    await night.land('roll_20250602.csv', `${HEADER}16,0002,DOE JANE,1\n`)
    await night.land(file.name, file.content)
    const report = await night.run([rollSource()])
    expect(report).toMatchObject({ changed: true, exitCode: 3, held: [] })
    expect(report.failed).toMatchObject([
      { source_id: 'us/fl/test.roll', reason: expect.stringMatching(message) as string },
    ])
    expect(report.sources[0]).toMatchObject({ status: 'loaded', reason: report.failed[0]?.reason })
    expect(await night.rows('select "PARCEL" from raw.us_fl_test_roll__roll')).toEqual([{ PARCEL: '0002' }])
    expect(await night.rows('select parcel_number from staging.parcels')).toEqual([{ parcel_number: '0002' }])
    const before = await night.rows('select * from ledger.files order by file_id')
    const again = await night.run([rollSource()], '2025-07-02')
    expect(again).toMatchObject({ changed: false, exitCode: 3, failed: report.failed })
    expect(again.sources[0]).toMatchObject({ status: 'rolled_back', files: [] })
    expect(await night.rows('select * from ledger.files order by file_id')).toEqual(before)
    await rm(join(night.landing, file.name))
    expect(await night.run([rollSource()])).toMatchObject({ changed: false, exitCode: 0, failed: [] })
    expect(await night.rows(`select file_name, status from ledger.files`)).toEqual([
      { file_name: 'roll_20250602.csv', status: 'loaded' },
    ])
  })
}

test.each([
  ['an empty file', '', 'the file is empty'],
  ['a file of blank lines', '\n  \r\n\n', 'the file is empty'],
  ['a header and nothing else', HEADER, 'line 1 is a header, and no records follow'],
])('%s is refused by name; what the night also brought is loaded', async (_name, content, reason) => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_20250601.csv', GOOD)
    await land('roll_20250701.csv', content)
    const report = await run([rollSource()])
    expect(report.exitCode).toBe(0)
    expect(report.sources[0]?.files).toMatchObject([
      { file_name: 'roll_20250601.csv', status: 'loaded' },
      { file_name: 'roll_20250701.csv', status: 'empty', reason, file_rows: 0 },
    ])
    expect(await rows('select count(*)::integer as n from staging.parcels')).toEqual([{ n: 1 }])
    expect((await run([rollSource()])).sources[0]?.status).toBe('unchanged')
  })
})

test('a truncated zip', async () => {
  const zip = new ZipFile()
  zip.addBuffer(Buffer.from(GOOD.repeat(50)), 'roll_20250701.csv')
  zip.end()
  const blocks: Buffer[] = []
  for await (const block of zip.outputStream) blocks.push(block as Buffer)
  const whole = Buffer.concat(blocks)
  await expectFailed(
    { name: 'us-fl-test-roll/roll.zip', content: whole.subarray(0, whole.length - 30) },
    /^us-fl-test-roll\/roll\.zip: the file is cut off or damaged; download it again/,
  )
  const damaged = Buffer.from(whole)
  damaged.writeUInt8((damaged[45] ?? 0) ^ 0xff, 60)
  await expectFailed(
    { name: 'us-fl-test-roll/roll.zip', content: damaged },
    /^us-fl-test-roll\/roll\.zip(!roll_20250701\.csv)?: the file (is cut off|cannot be read)/,
  )
})

test('a truncated gzip', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `16,${index * 7919},OWNER ${index},${index}\n`)
  const packed = gzipSync(HEADER + lines.join(''))
  await expectFailed(
    { name: 'roll_20250701.csv.gz', content: packed.subarray(0, packed.length / 2) },
    /^roll_20250701\.csv\.gz: the file is cut off or damaged; download it again \(unexpected end of file\)$/,
  )
})

test.each([
  [
    'a column that is renamed is named with its likely new name',
    'CO,PARCEL,OWNER_NAME,VALUE\n16,1,A,1\n',
    'roll_20250701.csv, line 1: column OWNER is missing and OWNER_NAME is new: if it was renamed, add OWNER_NAME to the aliases of OWNER',
  ],
  [
    'of two likely columns the more similar one is named, and the other is new',
    'CO,OWNERSHIP,PARCEL,OWNER_1,VALUE\n16,A,1,A,1\n',
    'roll_20250701.csv, line 1: column OWNER is missing and OWNER_1 is new: if it was renamed, add OWNER_1 to the aliases of OWNER; column OWNERSHIP is new',
  ],
  [
    'of two lost columns each has its own',
    'CO,PARCEL_NO,OWNER_NAME,VALUE\n16,1,A,1\n',
    'roll_20250701.csv, line 1: column PARCEL is missing and PARCEL_NO is new: if it was renamed, add PARCEL_NO to the aliases of PARCEL; ' +
      'column OWNER is missing and OWNER_NAME is new: if it was renamed, add OWNER_NAME to the aliases of OWNER',
  ],
  [
    'five names are shown of more',
    'CO,PARCEL,VALUE,A,B,C,D,E,F,G\n16,1,1\n',
    'roll_20250701.csv, line 1: column OWNER is missing; columns A, B, C, D, E and 2 more are new',
  ],
  [
    'a column that is missing',
    'CO,PARCEL,VALUE\n16,1,1\n',
    'roll_20250701.csv, line 1: column OWNER is missing',
  ],
  [
    'a page in place of the file',
    '<!DOCTYPE html>\n<html><body>Not found</body></html>\n',
    'roll_20250701.csv, line 1: the line is not the header: it has none of the 4 expected columns',
  ],
])('header drift: %s', async (_name, content, message) => {
  await expectFailed({ name: 'roll_20250701.csv', content }, message)
})

/** The roll, with a fifth column that nothing reads, and other fields of its kind. */
function changedRoll(changes: Partial<FileKind> = {}): SourceDefinition {
  const source = rollSource()
  const [kind] = source.files
  if (kind?.format.type !== 'delimited') throw new Error('a roll is delimited')
  kind.format.columns.push('ZONE')
  Object.assign(kind, changes)
  return source
}

test.each<[string, Partial<FileKind>, string, string | null]>([
  ['a new column', {}, 'CO,PARCEL,FLOOD,OWNER,VALUE,ZONE\n16,1,"X,Y",SMITH,5,R\n', 'column FLOOD is new and ignored'],
  ['a column that nothing reads is gone', {}, 'CO,PARCEL,OWNER,VALUE\n16,1,SMITH,5\n', 'column ZONE is missing, but the definition does not use it'],
  ['both', {}, 'CO,PARCEL,OWNER,A,B,VALUE\n16,1,SMITH,,,5\n', 'columns A, B are new and ignored; column ZONE is missing, but the definition does not use it'],
  ['another case and order', {}, 'zone,Value,owner, Parcel ,co\nR,5,SMITH,1,16\n', null],
  ['a column under an alias', { aliases: { OWNER: ['OWN_NAME', 'owner_name'] } }, 'CO,PARCEL,OWNER_NAME,VALUE,ZONE\n16,1,SMITH,5,R\n', null],
])('a change of the header without consequence is reported, and the file is loaded: %s', async (_name, changes, content, note) => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_20250701.csv', content)
    const report = await run([changedRoll(changes)])
    expect(report).toMatchObject({ exitCode: 0, sources: [{ files: [{ status: 'loaded', reason: note }] }] })
    expect(await rows('select county_fips, parcel_number, full_name from staging.parcel_owners')).toEqual([
      { county_fips: '12011', parcel_number: '1', full_name: 'SMITH' },
    ])
    expect(await rows('select market_value_usd from staging.parcels')).toEqual([{ market_value_usd: 5 }])
  })
}) // prettier-ignore

test.each<[string, Partial<FileKind>, string, RegExp]>([
  ['a new column, where the definition refuses changes', { schemaChanges: 'refuse' }, 'CO,PARCEL,OWNER,VALUE,ZONE,A\n', /column A is new$/],
  ['an unread column is gone, where the definition refuses changes', { schemaChanges: 'refuse' }, 'CO,PARCEL,OWNER,VALUE\n', /column ZONE is missing$/],
  ['a column and its alias', { aliases: { OWNER: ['NAME'] } }, 'CO,PARCEL,OWNER,NAME,VALUE,ZONE\n', /column OWNER is in the header twice$/],
])('a change of the header with consequences fails the file: %s', async (_name, changes, header, message) => {
  await withNight(async ({ land, run }) => {
    await land('roll_20250701.csv', `${header}16,1,SMITH,5,R,1\n`)
    const report = await run([changedRoll(changes)])
    expect(report).toMatchObject({ exitCode: 3, failed: [{ reason: expect.stringMatching(message) as string }] })
  })
}) // prettier-ignore

test('JSON lines: a new key is ignored and reported; a key that has replaced one that is read fails the file', async () => {
  await withNight(async ({ land, run, rows }) => {
    const format = { type: 'jsonl' as const, columns: ['CO', 'PARCEL', 'OWNER', 'VALUE'] }
    const source = withFormat(rollSource(), format, 'roll_(?<date>\\d{8})\\.jsonl')
    await land('roll_20250701.jsonl', '{"CO":"16","parcel":"1","VALUE":5}\n{"CO":"16","PARCEL":"2","OWNER":"DOE","FLOOD":"X"}\n')
    await land('roll_20250702.jsonl', '{"CO":"21","PARCEL":"3","OWNER_NAME":"DOE","VALUE":1}\n')
    const report = await run([source])
    expect(report.sources[0]?.files).toMatchObject([
      { file_name: 'roll_20250701.jsonl', status: 'loaded', reason: 'column FLOOD is new and ignored' },
      { file_name: 'roll_20250702.jsonl', status: 'failed', reason: expect.stringMatching(/column OWNER is missing and OWNER_NAME is new: if it was renamed, add OWNER_NAME to the aliases of OWNER$/) as string },
    ])
    expect(await rows('select parcel_number, market_value_usd from staging.parcels order by 1')).toEqual([
      { parcel_number: '1', market_value_usd: 5 },
      { parcel_number: '2', market_value_usd: null },
    ])
  })
}) // prettier-ignore

test.each<[string, Buffer, RegExp]>([
  [
    'an archive',
    Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), Buffer.alloc(500, 7)]),
    /^roll_20250701\.csv, line 1: the file is not text: it starts like a zip archive/,
  ],
  [
    'noise',
    Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 197 + ((index * index) % 251)) % 256)),
    /^roll_20250701\.csv, line 1: the file is not text: \d+ of its first 4096 bytes are control characters$/,
  ],
  [
    'UTF-16',
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(GOOD, 'utf16le')]),
    /^roll_20250701\.csv, line 1: the file is not text: it is UTF-16; convert it to UTF-8$/,
  ],
])('a binary file with the right name: %s', async (_name, content, message) => {
  await expectFailed({ name: 'roll_20250701.csv', content }, message)
})

test('a file with more refused records than the source allows fails, and the first of them are kept', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('roll_20250701.csv', `${GOOD}16,0002\n`)
    const report = await run([rollSource({ refusedLimit: 0.01 })])
    expect(report.sources[0]?.reason).toBe(
      'us/fl/test.roll: 1 of 2 records refused (50 %, limit 1 %); the first: ' +
        'roll_20250701.csv, line 3: the line has 2 fields instead of 4. `platbook quarantine show us/fl/test.roll` lists them',
    )
    expect(await rows('select physical_rows, status from ledger.files')).toEqual([
      { physical_rows: 2, status: 'rolled_back' },
    ])
    expect(await rows('select line_number, raw_text from ledger.quarantine')).toEqual([
      { line_number: 3, raw_text: '16,0002' },
    ])
    await land('roll_20250701.csv', `${GOOD}16,0002,B,1\n`)
    expect((await run([rollSource({ refusedLimit: 0.01 })])).exitCode).toBe(0)
    expect(await rows('select count(*)::integer as n from ledger.quarantine')).toEqual([{ n: 0 }])
    expect(await rows('select status, loaded_rows from ledger.files')).toEqual([
      { status: 'loaded', loaded_rows: 2 },
    ])
  })
})

test('the share of refused records that is the limit loads, and one above it fails', async () => {
  await withNight(async ({ land, run }) => {
    const good = Array.from({ length: 99 }, (_, index) => `16,${index},A,1\n`)
    await land('roll_20250701.csv', `${HEADER}${good.slice(1).join('')}16,99\n`)
    expect((await run([rollSource({ refusedLimit: 0.01 })])).sources[0]?.reason).toContain(
      '1 of 99 records refused (1 %, limit 1 %)',
    )
    await land('roll_20250701.csv', `${HEADER}${good.join('')}16,99\n`)
    expect(await run([rollSource({ refusedLimit: 0.01 })])).toMatchObject({ exitCode: 0, changed: true })
  })
})

test('a source that is rolled back does not keep the others from loading', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('us-fl-test-roll/roll_20250701.csv', 'CO\n1\n')
    await land('us-fl-other-roll/roll_20250701.csv', GOOD)
    const report = await run([rollSource(), rollSource({ id: 'us/fl/other.roll' })])
    expect(report).toMatchObject({ changed: true, exitCode: 3 })
    expect(report.sources.map((source) => source.status)).toEqual(['rolled_back', 'loaded'])
    expect(await rows('select distinct source_id from staging.parcels')).toEqual([
      { source_id: 'us/fl/other.roll' },
    ])
  })
})

test('a stray quote in the middle of a file costs its own line; the rows after it are loaded', async () => {
  await withNight(async ({ land, run, rows }) => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `16,${index},"OWNER ${index}",1`)
    lines[499] = '16,499,"OWNER 499,1'
    await land('roll_20250701.csv', `${HEADER}${lines.join('\n')}\n`)
    const report = await run([rollSource({ refusedLimit: 0.01 })])
    expect(report.sources[0]?.files).toMatchObject([{ file_rows: 1000, loaded_rows: 999, refused_rows: 1 }])
    expect(await rows('select line_number, raw_text, reason from ledger.quarantine')).toEqual([
      { line_number: 501, raw_text: '16,499,"OWNER 499,1', reason: 'a quoted field does not end' },
    ])
    expect(
      await rows('select count(*)::integer as n, max(line_number) as last from staging.parcels'),
    ).toEqual([{ n: 999, last: 1001 }])
  })
})

test('lines in a wrong encoding are refused one by one', async () => {
  await withNight(async ({ land, run, rows }) => {
    const lines = Array.from({ length: 200 }, (_, index) => `16,${index},JOSÉ ${index},1\n`)
    const content = Buffer.concat([
      Buffer.from(HEADER + lines.join('')),
      Buffer.from('16,200,JOSÉ 200,1\n', 'latin1'),
    ])
    await land('roll_20250701.csv', content)
    await run([rollSource({ refusedLimit: 0.01 })])
    expect(await rows('select line_number, raw_text, reason from ledger.quarantine')).toEqual([
      { line_number: 202, raw_text: '16,200,JOSÉ 200,1', reason: 'the line is not valid UTF-8' },
    ])
    expect(await rows('select count(*)::integer as n from staging.parcels')).toEqual([{ n: 200 }])
  })
})

test('a line of 100 MB is refused with its length, and the rows around it are loaded', async () => {
  await withNight(async ({ land, run, rows }) => {
    const rest = Array.from({ length: 200 }, (_, index) => `16,${index},A,1\n`).join('')
    const monster = Buffer.alloc(100 << 20, 'x')
    await land('roll_20250701.csv', Buffer.concat([Buffer.from(GOOD), monster, Buffer.from(`\n${rest}`)]))
    const report = await run([rollSource({ refusedLimit: 0.01 })])
    expect(report.sources[0]?.files).toMatchObject([{ file_rows: 202, loaded_rows: 201, refused_rows: 1 }])
    expect(
      await rows('select line_number, length(raw_text)::integer as kept, reason from ledger.quarantine'),
    ).toEqual([{ line_number: 3, kept: 4000, reason: 'the line has 104857600 bytes, more than 1048576' }])
  })
})

test('a disk that fills up while records wait to be loaded is said in words', async () => {
  await withFolder(async (folder) => {
    // The kernel's own full disk.
    await symlink('/dev/full', join(folder, 'records-0.csv'))
    const spool = new Spool({ folder, name: 'records', delimiter: ',', load: () => Promise.resolve() })
    spool.write(1, 1, Buffer.from('a,b'), 0, 3, false)
    await expect(spool.settle()).rejects.toMatchObject({
      code: 'disk_full',
      message: `no space left on the disk of ${folder}, where files wait to be loaded: free space and run again`,
    })
    await spool.abandon()
  })
})

test('a warehouse that may not grow any more ends the night with a clear error, and nothing half-loaded', async () => {
  await withNight(async ({ db, landing, land, run, rows }) => {
    const lines = Array.from(
      { length: 400_000 },
      (_, index) => `16,${index},OWNER ${index * 7919},${index}\n`,
    )
    await land('roll_20250701.csv', HEADER + lines.join(''))
    await db.run(`set memory_limit = '80MB'`)
    await db.run(`set temp_directory = '${landing}/.spill'`)
    await db.run(`set max_temp_directory_size = '1KB'`)
    await expect(run([rollSource()])).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(
        /^no space left on the disk while us\/fl\/test\.roll was loaded; none/,
      ) as string,
    })
    await db.run(`set memory_limit = '1GB'`)
    expect(await rows('select count(*)::integer as n from staging.parcels')).toEqual([{ n: 0 }])
    expect(await rows('select count(*)::integer as n from ledger.files')).toEqual([{ n: 0 }])
  })
})

test('a night that is called off rolls the load under way back', async () => {
  await withNight(async ({ db, landing, land, rows }) => {
    await land('roll_20250701.csv', GOOD)
    await land('roll_20250702.csv', GOOD.replace('0001', '0002'))
    const { ingest } = await import('../../src/ingest/ingest.ts')
    const { silentLog } = await import('../../src/log.ts')
    const controller = new AbortController()
    const night = ingest({
      db,
      sources: [rollSource()],
      landing,
      now: () => new Date('2025-07-01'),
      log: silentLog,
      signal: controller.signal,
      progress: () => controller.abort(),
    })
    await expect(night).rejects.toThrow(/abort/i)
    expect(await rows('select count(*)::integer as n from ledger.files')).toEqual([{ n: 0 }])
  })
})

test('a value outside a closed list refuses its row, and the reason has the list', async () => {
  await withNight(async ({ land, run, rows }) => {
    const [kind] = rollSource().files
    if (kind === undefined) throw new Error('a roll has a kind')
    const [parcels, owners] = kind.rows
    const set = { ...parcels!.set, property_purpose: { lower: 'NOTE' }, county_fips: 'CO' }
    const source = rollSource({ files: [{ ...kind, rows: [{ ...parcels!, set }, owners!] }] })
    await land(
      'roll_20250701.csv',
      'CO,PARCEL,OWNER,VALUE,NOTE\n12011,1,A,1,Condominium\n12011,2,B,1,rowhouse\n99999,3,C,1,\n12011,4,D,1,\n',
    )
    await run([source])
    expect(
      await rows('select county_fips, parcel_number, property_purpose from staging.parcels order by 2'),
    ).toEqual([
      { county_fips: '12011', parcel_number: '1', property_purpose: 'condominium' },
      { county_fips: '12011', parcel_number: '4', property_purpose: null },
    ])
    expect(await rows('select line_number, field, reason from ledger.quarantine order by 1')).toEqual([
      {
        line_number: 3,
        field: 'NOTE',
        reason: expect.stringMatching(
          /^parcels\.property_purpose is not in its closed list: single_family, condominium, /,
        ) as string,
      },
      {
        line_number: 4,
        field: 'CO',
        reason:
          'parcels.county_fips is not in its closed list: the FIPS codes of data/reference/counties.csv',
      },
    ])
  })
})

const DAMAGED: [string, string, RegExp][] = [
  ['a number in scientific notation', '5.02E+11', /^PARCEL is a number in scientific notation: a spreadsheet/],
  ['a missing value', '#N/A', /^PARCEL is an error value of a spreadsheet/],
  ['a lost reference', '#REF!', /^PARCEL is an error value/],
  ['a cell too narrow', '########', /^PARCEL is an error value/],
  ['a day in place of a number', '5-Oct', /^PARCEL is a date: a spreadsheet/],
  ['a day of a year', '3/5/2025', /^PARCEL is a date/],
  ['lost leading zeros', '42', /^PARCEL has fewer than 6 characters: a spreadsheet has dropped its leading zeros/],
] // prettier-ignore

test('identifiers that a spreadsheet has damaged are refused, each with its column and the likely cause', async () => {
  await withNight(async ({ land, run, rows }) => {
    const [kind] = rollSource().files
    if (kind === undefined) throw new Error('a roll has a kind')
    const source = rollSource({
      refusedLimit: 1,
      files: [{ ...kind, keys: { PARCEL: { length: 6 } } }],
    })
    const whole = ['000042', '000837E2', '10-5-2025-1', '12/345/6', 'OCT-5A']
    const lines = [...whole, ...DAMAGED.map(([, parcel]) => parcel)].map((parcel) => `16,${parcel},SMITH,1`)
    await land('roll_20250701.csv', `CO,PARCEL,OWNER,VALUE\n${lines.join('\n')}\n`)
    await run([source])
    expect(await rows('select parcel_number from staging.parcels order by line_number')).toEqual(
      whole.map((parcel_number) => ({ parcel_number })),
    )
    expect(await rows('select field, reason from ledger.quarantine order by line_number')).toEqual(
      DAMAGED.map(([, , reason]) => ({ field: 'PARCEL', reason: expect.stringMatching(reason) as string })),
    )
  })
})
