import { execFileSync } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import { expect, test } from 'vitest'
import { INVENTED } from '../support/published.ts'
import { type Desk, LEADS, withDesk } from './support.ts'

async function statuses(desk: Desk, name = 'out.csv'): Promise<string[]> {
  return (await desk.rows(name)).map((row) => row['pb_match_status']!)
}

test('every row comes back in its place, as it stood, with an answer and a reason', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    const { code, out } = await desk.enrich([list, '--out', desk.path('out.csv')])
    expect(code).toBe(0)
    expect(out[0]).toMatch(/^7 rows in /)
    const rows = await desk.rows('out.csv')
    expect(rows.map((row) => row['id'])).toEqual(['1', '2', '3', '4', '5', '6', '7'])
    expect(rows.map((row) => row['pb_match_status'])).toEqual([
      'matched', 'matched', 'matched', 'ambiguous', 'no_match', 'invalid', 'matched',
    ]) // prettier-ignore
    expect(rows[0]).toMatchObject({
      pb_person_id: INVENTED.jane,
      pb_person_name: 'Jane Ann Smith',
      pb_matched_by: 'name phone address',
      pb_reason: 'name, phone, address',
      pb_phone_1: '(512) 555-0101',
      pb_phone_1_type: 'mobile',
      pb_email_1: 'jane.smith@example.com',
      pb_address_line1: '123 N Main St Apt 4',
      pb_age: '46',
      pb_company: 'Invented Widgets',
    })
    expect(rows[1]).toMatchObject({ pb_person_id: INVENTED.jonathan, note: 'sounds, alike' })
    expect(rows[1]!['pb_reason']).toMatch(/first name, last name \((sounds alike|mistyped)\).*birth date/)
    expect(rows[2]).toMatchObject({ pb_person_id: INVENTED.catherine, note: 'a\nnote of two lines' })
    expect(rows[3]!['pb_reason']).toMatch(/^2 people fit about as well/)
    expect(rows[3]!['pb_phone_1']).toBe('')
    expect(rows[5]).toMatchObject({ pb_reason: 'nothing to search by', pb_match_probability: '' })
    expect(rows[6]).toMatchObject({ pb_person_id: INVENTED.jane, pb_matched_by: 'email' })
    const lines = (await readFile(desk.path('out.csv'), 'utf8')).split('\n')
    for (const [at, line] of LEADS.split('\n').slice(1, 3).entries())
      expect(lines[at + 1]!.startsWith(`${line},`)).toBe(true)
    expect((await readdir(desk.folder)).sort()).toEqual(['leads.csv', 'out.csv'])
  })
})

test('a row whose match probability is --min-score is matched, and one below it is not', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', 'name,phone\nBob Smith,512-555-0101\n')
    const answer = async (minScore: number): Promise<Record<string, string>> => {
      await desk.enrich([list, '--out', desk.path('out.csv'), '--min-score', `${minScore}`, '--force'])
      return (await desk.rows('out.csv'))[0]!
    }
    const probability = (await answer(1))['pb_match_probability']
    expect(probability).toMatch(/^0\.\d{1,2}$/)
    const score = Math.round(Number(probability) * 100)
    expect(await answer(score)).toMatchObject({
      pb_match_status: 'matched',
      pb_match_probability: probability,
    })
    expect((await answer(score + 1))['pb_match_status']).toBe('no_match')
  })
})

test('a first name in the middle, and a surname that only the e-mail address has, are said in words', async () => {
  await withDesk(async (desk) => {
    const rows = 'Ann,Smith,512-555-0101,\nJane,Jones,512-555-0101,jane.smith@example.net\n'
    const list = await desk.put('leads.csv', `first_name,last_name,phone,email\n${rows}`)
    await desk.enrich([list, '--out', desk.path('out.csv')])
    expect((await desk.rows('out.csv')).map((row) => row['pb_reason'])).toEqual([
      'first name (goes by the middle name), last name, phone',
      'first name, last name (another surname), phone',
    ])
  })
})

const ROLL = `"SMITH, JANE","123 N Main St Apt 4, Austin, TX 78701"
"SMYTH, JONATHAN","125 N Main St, Austin, TX 78701"
"OBRIEN, CATHERINE","301 Oak Ave, Austin, TX 78704"
"one cell too many",x,y
`

test('names and addresses of a list are found by what they hold: under unknown names, below other lines, or without a header', async () => {
  await withDesk(async (desk) => {
    const people = [INVENTED.jane, INVENTED.jonathan, INVENTED.catherine]
    const above = 'County roll\nprinted,on,a,day\n'
    const given: [string, string[], number][] = [
      [`party,where\n${ROLL}`, [], 5],
      [`${above}party,where\n${ROLL}`, ['--skip-lines', '2'], 7],
      [ROLL, ['--no-header'], 4],
      [`${above}${ROLL}`.replaceAll('\n', '\r\n'), ['--no-header', '--skip-lines', '2'], 6],
    ]
    for (const [text, options, line] of given) {
      const list = await desk.put('roll.csv', text)
      const { code, err } = await desk.enrich([list, '--out', desk.path('out.csv'), '--force', ...options])
      expect(code).toBe(0)
      expect(err.join('\n')).toMatch(/→ name {2}\(by its values: 100 % of 3 values\)/)
      expect(err.join('\n')).toMatch(/→ address {2}\(by its values: 100 % of 3 values\)/)
      const rows = await desk.rows('out.csv')
      expect(rows.map((row) => row['pb_person_id'])).toEqual(people)
      const names = options.includes('--no-header') ? ['column1', 'column2'] : ['party', 'where']
      expect(Object.keys(rows[0]!).slice(0, 3)).toEqual([...names, 'pb_match_status'])
      expect(await desk.rows('out.rejected.csv')).toEqual([
        expect.objectContaining({ line: `${line}`, row: '4' }),
      ])
    }
  })
})

test('columns that are not clear stop the run with a command that can be run as it stands', async () => {
  await withDesk(async (desk) => {
    const people = 'Jane Smith,John Smith\nMary Jones,Robert Lee\nLisa Clark,James Moore\n'
    const list = await desk.put("owners' list.csv", `Owner's agent,the other\n${people}`)
    const argv = [list, '--out', desk.path('out.csv')]
    const told = await desk.enrich(argv).then(() => '', (error: Error) => error.message) // prettier-ignore
    expect(told).toMatch(/'Owner's agent' \(100 % of 3 values\) and 'the other' \(100 % of 3 values\)/)
    const command = told.split('\n').at(-1)!.trim()
    expect(command).toMatch(/^platbook enrich /)
    const said = execFileSync('sh', ['-c', command.replace('platbook enrich', "printf '%s\\n'")], { encoding: 'utf8' }) // prettier-ignore
    expect(said.trim().split('\n')).toEqual([
      ...argv,
      '--threads',
      '0',
      '--map',
      "Owner's agent=name",
      '--map',
      'the other=-',
    ])
    expect((await desk.enrich(said.trim().split('\n'))).code).toBe(0)
  })
})

test.each([
  ['more lines than there are', 'name\nJane Smith\n', ['--skip-lines', '2'], /nothing follows the 2 lines of --skip-lines/],
  ['JSON', '{"name":"Jane Smith"}\n', ['--no-header'], /is JSON, which names its own columns: leave out --no-header/],
  ['a number that is none', 'name\nJane Smith\n', ['--skip-lines', 'x'], /--skip-lines takes a whole number from 0 to 1000, not 'x'/],
])('%s: a message says what to do', async (_, text, options, message) => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', text)
    await expect(desk.enrich([list, '--out', desk.path('out.csv'), ...options])).rejects.toThrow(message)
  })
}) // prettier-ignore

test('the output is what its extension says', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    for (const name of ['out.tsv', 'out.jsonl', 'out.parquet', 'out.arrow'])
      await desk.enrich([list, '--out', desk.path(name)])
    const lines = (await readFile(desk.path('out.jsonl'), 'utf8')).trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>) // prettier-ignore
    expect(lines[0]).toMatchObject({ id: '1', pb_match_status: 'matched', pb_phone_1_score: 96, pb_age: 46 })
    expect(lines[5]).toMatchObject({ id: '6', pb_match_probability: null })
    expect((await readFile(desk.path('out.tsv'), 'utf8')).split('\n')[1]!.split('\t')[10]).toBe('matched')
    const table = tableFromIPC(await readFile(desk.path('out.arrow')))
    expect(table.numRows).toBe(7)
    expect(table.get(2)?.toJSON()).toMatchObject({ note: 'a\nnote of two lines', pb_match_status: 'matched' })
    expect(table.get(0)?.toJSON()).toMatchObject({ pb_age: 46 })
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const reader = await connection.runAndReadAll(
      `select id, note, pb_match_status, pb_age from '${desk.path('out.parquet')}' order by id`,
    )
    expect(reader.getRowObjectsJson()[0]).toEqual({
      id: '1',
      note: 'all right',
      pb_match_status: 'matched',
      pb_age: 46,
    })
    expect(reader.getRowObjectsJson()).toHaveLength(7)
  })
})

test('fields, least match probability, requirements, ranks and prefix are as asked', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    await desk.enrich([
      list,
      '--out',
      desk.path('out.csv'),
      '--fields',
      'property,age,owners,owned_properties',
      '--prefix',
      'x_',
    ])
    const [jane] = await desk.rows('out.csv')
    expect(jane).toMatchObject({
      x_property_id: INVENTED.flat,
      x_property_year_built: '1998',
      x_owner_1_name: 'Jane Ann Smith',
      x_owned_count: '2',
      x_age: '46',
    })
    expect(Object.keys(jane!)).not.toContain('x_phone_1')
    await desk.enrich([list, '--out', desk.path('out.csv'), '--force', '--require', 'phone,email'])
    expect(await statuses(desk)).toEqual([
      'matched',
      'no_match',
      'no_match',
      'ambiguous',
      'no_match',
      'invalid',
      'matched',
    ])
    expect((await desk.rows('out.csv'))[1]!['pb_reason']).toBe('the match has no phone, which is required')
    await desk.enrich([list, '--out', desk.path('out.csv'), '--force', '--top', '3'])
    const ranks = (await desk.rows('out.csv')).filter((row) => row['id'] === '4')
    expect(ranks.map((row) => row['pb_match_rank'])).toEqual(['1', '2'])
    expect(new Set(ranks.map((row) => row['pb_person_id']))).toEqual(
      new Set([INVENTED.john, INVENTED.johnInMiami]),
    )
    await desk.enrich([list, '--out', desk.path('out.csv'), '--force', '--limit', '2'])
    expect(await statuses(desk)).toEqual(['matched', 'matched'])
  })
})

test('a row of a property alone, by address, id or parcel number, finds the property', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put(
      'leads.csv',
      `property_id,address,city,state,zip\n${INVENTED.house},,,,\n,123 N Main St Apt 4,Austin,TX,78701\n,9999 Nowhere Ln,Austin,TX,78701\nR9999999999,,,,\n`,
    )
    await desk.enrich([list, '--out', desk.path('out.csv'), '--fields', 'property,owners'])
    const rows = await desk.rows('out.csv')
    expect(rows.map((row) => [row['pb_match_status'], row['pb_property_id']])).toEqual([
      ['matched', INVENTED.house], ['matched', INVENTED.flat], ['no_match', ''], ['no_match', ''],
    ]) // prettier-ignore
    expect(rows[0]).toMatchObject({ pb_owner_1_id: INVENTED.jane, pb_matched_by: 'id' })
  })
})

test('suppressed people do not come out, by whatever the list names them', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    for (const [content, reason] of [
      [`person_id\n${INVENTED.jane}\n`, 'the person’s person id'],
      ['phone\n512-555-0101\n', 'the row’s phone'],
      ['email\nJANE.SMITH@example.com\n', 'the person’s e-mail'],
      ['address,zip\n123 N Main St # 4,78701\n', 'the row’s address'],
      ['address,csz\n123 N Main St # 4,"Austin, TX 78701"\n', 'the row’s address'],
      [
        'house number,street dir,street name,street type,unit,zip\n123,N,Main,St,4,78701\n',
        'the row’s address',
      ],
      ['phone,note\n512-555-0101,asked us,,\n,\n', 'the row’s phone'],
      [
        'phone 1,phone 2,phone 3,phone 4,phone 5\n206-555-0191,206-555-0192,206-555-0193,206-555-0194,512-555-0101\n',
        'the row’s phone',
      ],
      [`{"email":"${INVENTED.janesEmail}"}\n`, 'the person’s e-mail'],
    ] as const) {
      const suppress = await desk.put('suppress.csv', content)
      await desk.enrich([list, '--out', desk.path('out.csv'), '--force', '--suppress', suppress])
      const [jane] = await desk.rows('out.csv')
      expect(jane).toMatchObject({ pb_match_status: 'suppressed', pb_person_id: '', pb_phone_1: '' })
      expect(jane!['pb_reason']).toBe(`${reason.replace('’', "'")} is on the suppression list`)
    }
  })
})

test.each([
  ['a phone that is none', 'name,phone\nJane Smith,512-555-0101\nBob Reyes,unlisted\n', /suppress.csv, line 3: the row has no readable person id, phone, e-mail or address in 'phone'; no row was matched/],
  ['an address without a place', 'address,zip\n123 N Main St,78701\nsomewhere,\n', /line 3: the row has no readable person id, .* in 'address', 'zip'/],
  ['another number of fields', 'phone,note\n512-555-0101,a,b\n', /line 2: the row has 3 fields, and the header has 2; no row was matched/],
  ['a quote that is not closed', 'phone,note\n512-555-0101,"a"\n512-555-0102,"b\n', /line 3: a quote is never closed; no row was matched/],
])('a suppression list in which a row has %s is refused with its line', async (_, content, message) => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    const argv = ['--out', desk.path('out.csv'), '--suppress', await desk.put('suppress.csv', content)]
    await expect(desk.enrich([list, ...argv])).rejects.toThrow(message)
  })
}) // prettier-ignore

test.each([
  ['property address,property zip,mailing address,mailing zip\n1 Elm St,78701,123 N Main St # 4,78701\n', "'property address' and 'mailing address' are different addresses, .*"],
  ['phone,owner 1 address,owner 2 address,zip\n206-555-0191,1 Elm St,123 N Main St # 4,78701\n', "'owner 1 address' and 'owner 2 address' both look like address"],
])('a suppression list with two addresses is refused: one of them would be passed over', async (content, why) => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    const argv = ['--out', desk.path('out.csv'), '--suppress', await desk.put('suppress.csv', content)]
    const message = new RegExp(`suppress.csv: ${why}; no row was matched: keep only the columns`)
    await expect(desk.enrich([list, ...argv])).rejects.toThrow(message)
  })
}) // prettier-ignore

test('a person twice is marked and billed once; behind the cap nothing is looked up; a dry run writes nothing', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    const marked = await desk.enrich([list, '--out', desk.path('out.csv'), '--dedupe', '--json'])
    expect(JSON.parse(marked.out[0]!)).toMatchObject({ billable: 3, duplicates: 1, statuses: { matched: 4 } })
    expect((await desk.rows('out.csv')).map((row) => row['pb_duplicate_of'])).toEqual([
      '',
      '',
      '',
      '',
      '',
      '',
      '1',
    ])
    await desk.enrich([list, '--out', desk.path('out.jsonl'), '--dedupe'])
    expect(JSON.parse((await readFile(desk.path('out.jsonl'), 'utf8')).trim().split('\n')[6]!)).toMatchObject(
      { pb_duplicate_of: 1 },
    )
    const capped = await desk.enrich([
      list,
      '--out',
      desk.path('out.csv'),
      '--force',
      '--max-billable',
      '2',
      '--json',
    ])
    expect(JSON.parse(capped.out[0]!)).toMatchObject({ billable: 2, not_looked_up: 5, rows: 7 })
    expect((await desk.rows('out.csv'))[2]).toMatchObject({
      pb_match_status: 'no_match',
      pb_reason: 'not looked up: the cap on billable matches is reached',
    })
    const before = (await stat(desk.path('out.csv'))).mtimeMs
    const dry = await desk.enrich([list, '--dry-run'])
    expect(dry.out.join('\n')).toMatch(/would be billed: 4 matches/)
    expect((await stat(desk.path('out.csv'))).mtimeMs).toBe(before)
  })
})

test('--safe-cells guards cells that may be formulas, of the list and of its header; other rows are copied', async () => {
  await withDesk(async (desk) => {
    const text = `"id",name,phone,=note\n"1",Jane Smith,+15125550101,@SUM(1)\n"2",Jane Smith,-5125550101,fine\n=1,2\n`
    const list = await desk.put('leads.csv', text)
    await desk.enrich([list, '--out', desk.path('out.csv'), '--safe-cells', '--yes'])
    const lines = (await readFile(desk.path('out.csv'), 'utf8')).split('\n')
    expect(lines[0]).toMatch(/^id,name,phone,'=note,pb_match_status/)
    expect(lines[1]).toMatch(/^1,Jane Smith,\+15125550101,'@SUM\(1\),matched,/)
    expect(lines[2]).toMatch(/^"2",Jane Smith,-5125550101,fine,/)
    expect(await readFile(desk.path('out.rejected.csv'), 'utf8')).toContain(`"'=1,2"`)
    await desk.enrich([desk.path('out.csv'), '--out', desk.path('again.csv'), '--prefix', 'x_', '--yes'])
    expect((await desk.rows('again.csv'))[0]).toMatchObject({
      "'=note": "'@SUM(1)",
      x_match_status: 'matched',
    })
    await expect(desk.enrich([list, '--out', desk.path('other.jsonl'), '--safe-cells'])).rejects.toThrow(
      '--safe-cells is for .csv and .tsv files',
    )
  })
})
