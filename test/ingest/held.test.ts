import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SourceDefinitionInput } from '../../src/ingest/definition.ts'
import type { Decision } from '../../src/ingest/decision.ts'
import { defined, feedSource, type Night, rollSource, withNight } from './night.ts'

const HEADER = 'CO,PARCEL,OWNER,VALUE\n'

/** A roll of one county with so many parcels; `owner` and `value` say what their columns have. */
function roll(
  count: number,
  { county = '16', owner = (n: number) => `OWNER ${n}`, value = (n: number) => String(n) } = {},
): string {
  const lines = Array.from({ length: count }, (_, n) => `${county},${n},${owner(n)},${value(n)}\n`)
  return lines.join('')
}

async function staged({ rows }: Night): Promise<unknown> {
  return (
    await rows(
      'select county_fips, count(*)::integer as n, max(as_of_on) as day from staging.parcels group by 1 order by 1',
    )
  ).map(({ county_fips, n, day }) => [county_fips, n, day])
}

async function decide({ rows }: Night, name: string, decision: Decision['decision']): Promise<Decision> {
  const [file] = await rows(
    `select source_id, container_sha256 as sha256, member from ledger.files where file_name = '${name}'`,
  )
  return { ...file, decision } as unknown as Decision
}

test('a county that shrinks is held: it is in raw, and the last good issue stays served', async () => {
  await withNight(async (night) => {
    const { land, run, rows } = night
    await land('roll_20250601.csv', HEADER + roll(447) + roll(120, { county: '21' }))
    expect(await run([rollSource()])).toMatchObject({ exitCode: 0, held: [] })
    await land('roll_20250701.csv', HEADER + roll(12))
    await land('roll_20250701_b.csv', HEADER + roll(125, { county: '21' }))
    const report = await run([rollSource()], '2025-07-02')
    expect(report).toMatchObject({ changed: true, exitCode: 3, failed: [] })
    expect(report.held).toEqual([
      {
        source_id: 'us/fl/test.roll',
        kind: 'roll',
        file_id: 2,
        file_name: 'roll_20250701.csv',
        container_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        member: null,
        as_of_on: '2025-07-01',
        held_at: '2025-07-02 03:00:00',
        reason:
          'county 12011: 12 rows, 447 before (-97.3 %, allowed -20 % to +50 %; compared with the last accepted load)',
        findings: [
          expect.objectContaining({ measure: 'rows', county_fips: '12011', before: 447, after: 12 }),
        ],
      },
    ])
    expect(await staged(night)).toEqual([
      ['12011', 447, '2025-06-01'],
      ['12021', 125, '2025-07-01'],
    ])
    expect(
      await rows('select count(*)::integer as n from raw.us_fl_test_roll__roll where file_id = 2'),
    ).toEqual([{ n: 12 }])
    const again = await run([rollSource()], '2025-07-03')
    expect(again).toMatchObject({ changed: false, exitCode: 3, held: report.held })
    expect(again.sources[0]).toMatchObject({ status: 'held', files: [] })
  })
})

test('a held load that is accepted supersedes the one before; a newer one is still compared with the history', async () => {
  await withNight(async (night) => {
    const { land, run, rows } = night
    await land('roll_20250601.csv', HEADER + roll(400))
    await run([rollSource()])
    await land('roll_20250701.csv', HEADER + roll(110))
    await run([rollSource()])
    const accept = await decide(night, 'roll_20250701.csv', 'accept')
    expect(await run([rollSource()], '2025-07-02', [accept])).toMatchObject({
      changed: true,
      exitCode: 0,
      held: [],
    })
    expect(await staged(night)).toEqual([['12011', 110, '2025-07-01']])
    expect(await rows('select * from ledger.findings')).toEqual([])
    await land('roll_20250801.csv', HEADER + roll(111))
    const [held] = (await run([rollSource()], '2025-08-02', [accept])).held
    expect(held?.findings).toMatchObject([{ before: 255, after: 111 }])
    const always = await decide(night, 'roll_20250801.csv', 'accept_always')
    await run([rollSource()], '2025-08-03', [accept, always])
    await land('roll_20250901.csv', HEADER + roll(112))
    expect(await run([rollSource()], '2025-09-02', [accept, always])).toMatchObject({ exitCode: 0, held: [] })
    expect(await staged(night)).toEqual([['12011', 112, '2025-09-01']])
  })
})

test('a held load is settled when it is rejected, when it is removed, and when a newer good file arrives', async () => {
  await withNight(async (night) => {
    const { land, landing, run, rows } = night
    await land('roll_20250601.csv', HEADER + roll(300))
    await run([rollSource()])
    await land('roll_20250701.csv', HEADER + roll(10))
    expect((await run([rollSource()])).held).toHaveLength(1)
    const reject = await decide(night, 'roll_20250701.csv', 'reject')
    expect(await run([rollSource()], '2025-07-02', [reject])).toMatchObject({ exitCode: 0, held: [] })
    await land('roll_20250702.csv', HEADER + roll(11))
    expect((await run([rollSource()], '2025-07-03', [reject])).held).toHaveLength(1)
    await rm(join(landing, 'roll_20250702.csv'))
    expect(await run([rollSource()], '2025-07-04', [reject])).toMatchObject({ exitCode: 0, held: [] })
    await land('roll_20250703.csv', HEADER + roll(12))
    expect((await run([rollSource()], '2025-07-05', [reject])).held).toHaveLength(1)
    await land('roll_20250704.csv', HEADER + roll(301))
    expect(await run([rollSource()], '2025-07-06', [reject])).toMatchObject({ exitCode: 0, held: [] })
    expect(await rows('select file_name, status from ledger.files order by 1')).toEqual([
      { file_name: 'roll_20250601.csv', status: 'loaded' },
      { file_name: 'roll_20250701.csv', status: 'rejected' },
      { file_name: 'roll_20250703.csv', status: 'replaced' },
      { file_name: 'roll_20250704.csv', status: 'loaded' },
    ])
    expect(
      await rows(
        'select file_id, count(*)::integer as n from raw.us_fl_test_roll__roll group by 1 order by 1',
      ),
    ).toMatchObject([{ n: 300 }, { n: 301 }])
  })
})

test.each<[string, Parameters<typeof roll>[1], object]>([
  [
    'a column that becomes blank',
    { owner: (n) => (n % 4 === 0 ? '' : 'A') },
    {
      measure: 'blanks',
      column: 'OWNER',
      before: 0,
      after: 0.25,
      reason:
        'county 12011: OWNER is blank in 25 % of the rows, 0 % before (allowed +10 %; compared with the last accepted load)',
    },
  ],
  ['keys that collapse', {}, { measure: 'keys', column: null, before: 400, after: 40 }],
])('%s holds the load', async (_name, change, finding) => {
  await withNight(async ({ land, run }) => {
    await land('roll_20250601.csv', HEADER + roll(400))
    await run([rollSource()])
    const next = 'measure' in finding && finding.measure === 'keys' ? roll(40).repeat(10) : roll(400, change)
    await land('roll_20250701.csv', HEADER + next)
    expect((await run([rollSource()])).held.map(({ findings }) => findings)).toMatchObject([[finding]])
  })
})

test('codes that the definition does not know hold the load', async () => {
  await withNight(async ({ land, run }) => {
    const [kind] = rollSource().files
    if (kind === undefined) throw new Error('a source has a kind')
    const [parcels] = kind.rows
    if (parcels === undefined) throw new Error('the kind fills a table')
    const codes = {
      counties: { '16': '12011', '21': '12021' },
      uses: { R: 'single_family', C: 'commercial' },
    }
    const source = rollSource({
      codes,
      files: [
        {
          ...kind,
          rows: [
            {
              ...parcels,
              set: {
                county_fips: { codes: 'counties', of: 'CO' },
                parcel_number: 'PARCEL',
                property_purpose: { codes: 'uses', of: 'VALUE' },
              },
            },
          ],
        },
      ],
    })
    await land('roll_20250601.csv', HEADER + roll(400, { value: (n) => (n % 100 === 0 ? 'X' : 'R') }))
    expect((await run([source])).held).toEqual([])
    await land('roll_20250701.csv', HEADER + roll(400, { value: (n) => (n % 10 === 0 ? '01' : 'R') }))
    const report = await run([source])
    expect(report.held[0]?.findings).toMatchObject([
      { measure: 'codes', column: 'uses (VALUE)', before: 0.01, after: 0.1 },
    ])
  })
})

test('small counties, new counties, and days of a feed are not compared by rows', async () => {
  await withNight(async (night) => {
    const { land, run } = night
    await land('roll_20250601.csv', HEADER + roll(90) + roll(400, { county: '21' }))
    await land('07-01-2025nme.txt', Array.from({ length: 500 }, (_, n) => `${n}|SMITH,JOHN|D|\n`).join(''))
    await run([rollSource(), feedSource()])
    await land('roll_20250701.csv', HEADER + roll(5))
    await land(
      '07-02-2025nme.txt',
      Array.from({ length: 8 }, (_, n) => `${n + 1000}|SMITH,JOHN|D|\n`).join(''),
    )
    const report = await run([rollSource(), feedSource()])
    expect(report.held.map(({ file_name, reason }) => [file_name, reason])).toEqual([])
    expect(report.exitCode).toBe(0)
  })
})

/** A day of a feed: documents from `first` on, each with so many parties; `name` is what the parties are called. */
function feedDay(first: number, documents: number, parties = 1, name = 'SMITH,JOHN'): string {
  const lines = Array.from({ length: documents * parties }, (_, n) => {
    return `${first + Math.floor(n / parties)}|${name}|${'DRGT'.charAt(n % parties)}|\n`
  })
  return lines.join('')
}

/** Lands a backlog of 500 documents and the files after it, each in a night of its own; resolves to the last night's findings. */
async function feedFindings(
  files: readonly [name: string, content: string][],
  source = feedSource(),
  backlog = feedDay(0, 500, 2),
): Promise<unknown[]> {
  const findings: unknown[] = []
  await withNight(async ({ land, run }) => {
    await land('12-31-2024nme.txt', backlog)
    await run([source])
    for (const [name, content] of files) {
      await land(name, content)
      const { held } = await run([source])
      findings.splice(0, findings.length, ...held.map(({ reason }) => reason))
    }
  })
  return findings
}

test('a day of a feed that is sent again is compared with the rows that it replaces, not with the backlog', async () => {
  const monday = '01-05-2026nme.txt'
  expect(
    await feedFindings([
      [monday, feedDay(1000, 120, 2)],
      [`again/${monday}`, feedDay(1000, 121, 2)],
    ]),
  ).toEqual([])
  // Corrections of a few documents of the day: the other documents stay.
  expect(await feedFindings([[monday, feedDay(1000, 300, 2)], [`again/${monday}`, feedDay(1000, 90, 2, 'DOE,ANN')]])).toEqual([]) // prettier-ignore
  expect(
    await feedFindings([
      [monday, feedDay(1000, 120, 2)],
      [`again/${monday}`, feedDay(1000, 120)],
    ]),
  ).toEqual([
    'county 12011: 120 rows, 240 before (-50 %, allowed -20 % to +50 %; compared with the last accepted load)',
  ])
  expect(
    await feedFindings([
      [monday, feedDay(1000, 300, 2)],
      [`again/${monday}`, feedDay(1000, 120)],
    ]),
  ).toEqual([
    'county 12011: 120 rows in place of 240 (-50 %, allowed -20 % to +50 %; compared with the last accepted load)',
  ])
})

test('a file that replaces the days before it and adds to them is compared with those days only', async () => {
  const days: [string, string][] = [1, 2, 3, 4, 5, 6].map((n) => [
    `01-0${n}-2026nme.txt`,
    feedDay(1000 * n, 150),
  ])
  expect(await feedFindings([...days, ['01-31-2026nme.txt', feedDay(0, 20_000)]])).toEqual([])
})

test('a day of a feed may be small, but not ten times as large as any load before, unless the definition says so', async () => {
  const backlog = feedDay(0, 110)
  const small: [string, string] = ['01-05-2026nme.txt', feedDay(9000, 8)]
  const monthEnd: [string, string] = ['01-30-2026nme.txt', feedDay(10_000, 1_000)]
  const large: [string, string] = ['02-02-2026nme.txt', feedDay(20_000, 12_000)]
  expect(await feedFindings([small, monthEnd, large], feedSource(), backlog)).toEqual([
    'county 12011: 12000 rows, 1000 in the largest load before (+1100 %, allowed +900 % for a file that only adds rows)',
  ])
  const unlimited = feedSource({ limits: { incrementUp: null } })
  expect(await feedFindings([large], unlimited, backlog)).toEqual([])
})

function limited(limits: SourceDefinitionInput['limits'] = {}, own: SourceDefinitionInput['limits'] = {}) {
  return rollSource({ limits, files: rollSource().files.map((kind) => ({ ...kind, limits: own })) })
}

test('the limits of a definition decide, those of a kind before those of the source', async () => {
  await withNight(async ({ land, run }) => {
    await land('roll_20250601.csv', HEADER + roll(400))
    await run([rollSource()])
    await land('roll_20250701.csv', HEADER + roll(300))
    expect((await run([rollSource()])).held).toHaveLength(1)
    expect((await run([limited({ rowsDown: 0.3 }, { rowsDown: 0.1 })])).held).toHaveLength(1)
    expect((await run([limited({ rowsDown: 0.1 }, { rowsDown: 0.3 })])).held).toEqual([])
  })
})

const dated = (formats: string[], changes: Partial<SourceDefinitionInput> = {}) => {
  const [kind] = feedSource().files
  if (kind === undefined) throw new Error('a source has a kind')
  return defined({
    ...feedSource(),
    ...changes,
    files: [
      {
        ...kind,
        rows: [
          {
            into: 'deeds',
            set: {
              county_fips: { literal: '12011' },
              document_id: 'DOC',
              recorded_on: { date: 'NAME', formats },
            },
          },
        ],
      },
    ],
  })
}

test('dates that cannot be read hold the load, also the first: column, share, shapes and format are named', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land(
      '07-01-2025nme.txt',
      Array.from({ length: 300 }, (_, n) => `${n}|${n % 2 === 0 ? '07/01/2025' : 'Jul 1'}|D|\n`).join(''),
    )
    const report = await run([dated(['%Y-%m-%d'])])
    expect(report).toMatchObject({ changed: false, exitCode: 3 })
    expect(report.held[0]?.findings).toEqual([
      {
        measure: 'conversions',
        county_fips: null,
        column: 'deeds.recorded_on',
        before: null,
        after: 1,
        reason:
          'deeds.recorded_on: 300 of 300 values cannot be read (100 %, limit 1 %); they look like ' +
          '"99/99/9999" (150), "AAA 9" (150); the definition expects %Y-%m-%d',
      },
    ])
    expect(await rows('select * from staging.deeds')).toEqual([])
    expect(await run([dated(['%m/%d/%Y', '%b %d'])])).toMatchObject({ changed: true, exitCode: 0, held: [] })
    expect(await rows('select count(recorded_on)::integer as n from staging.deeds')).toEqual([{ n: 300 }])
  })
})

test('a few unreadable values, or a share that the definition allows, hold nothing', async () => {
  await withNight(async ({ land, run }) => {
    await land(
      '07-01-2025nme.txt',
      Array.from({ length: 300 }, (_, n) => `${n}|${n < 4 ? 'x' : '07/01/2025'}|D|\n`).join(''),
    )
    expect((await run([dated(['%m/%d/%Y'])])).held).toEqual([])
    await land(
      '07-02-2025nme.txt',
      Array.from({ length: 300 }, (_, n) => `${n + 900}|${n < 30 ? 'x' : '07/02/2025'}|D|\n`).join(''),
    )
    expect((await run([dated(['%m/%d/%Y'])])).held).toHaveLength(1)
    const limits = { columns: { 'deeds.recorded_on': 0.2 } }
    expect((await run([dated(['%m/%d/%Y'], { limits })])).held).toEqual([])
  })
})

test('a changed definition that makes loaded dates unreadable is not used', async () => {
  await withNight(async ({ land, run, rows }) => {
    await land('07-01-2025nme.txt', Array.from({ length: 300 }, (_, n) => `${n}|07/01/2025|D|\n`).join(''))
    await run([dated(['%m/%d/%Y'])])
    const report = await run([dated(['%Y%m%d'])])
    expect(report).toMatchObject({ changed: false, exitCode: 3 })
    expect(report.failed[0]?.reason).toMatch(
      /^07-01-2025nme\.txt: deeds\.recorded_on: 300 of 300 values cannot be read .*the changed definition of us\/fl\/test\.feed is not used/,
    )
    expect(await rows('select count(recorded_on)::integer as n from staging.deeds')).toEqual([{ n: 300 }])
    expect((await run([dated(['%m/%d/%Y'])])).exitCode).toBe(0)
  })
})

test('a warehouse from before there was a history measures what it has before it compares', async () => {
  await withNight(async ({ db, land, run }) => {
    await land('roll_20250601.csv', HEADER + roll(400))
    await run([rollSource()])
    await db.run('delete from ledger.loads')
    await land('roll_20250701.csv', HEADER + roll(12))
    expect((await run([rollSource()])).held).toHaveLength(1)
  })
})

test('a file that replaces all counties of its kind and lacks one of them is held', async () => {
  await withNight(async ({ land, run }) => {
    const source = rollSource({ files: rollSource().files.map((kind) => ({ ...kind, supersedes: [] })) })
    await land('roll_20250601.csv', HEADER + roll(400) + roll(150, { county: '21' }))
    await run([source])
    await land('roll_20250701.csv', HEADER + roll(400))
    expect((await run([source])).held[0]?.findings).toEqual([
      {
        measure: 'rows',
        county_fips: '12021',
        column: null,
        before: 150,
        after: 0,
        reason: 'county 12021: no rows, 150 in the last accepted load',
      },
    ])
  })
})
