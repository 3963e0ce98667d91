import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC, tableFromArrays, tableToIPC } from 'apache-arrow'
import { expect, test } from 'vitest'
import { withFolder } from '../support/folder.ts'
import { inventedWorld } from '../support/invented-world.ts'
import { INVENTED, publishedSnapshot } from '../support/published.ts'
import { type Desk, withDesk } from './support.ts'

const LEADS = `id,Full Name,Street,City,State,Zip,Phone,Email,DOB,note
1,Jane Smith,123 N Main St Apt 4,Austin,TX,78701,512-555-0101,,,all right
2,"Smyth, Jonathan",125 N. Main Street,Austin,TX,78701,,,1990-01-31,"sounds, alike"
3,Cathrine OBrien,301 Oak Ave,Austin,TX,78704,,,,"a
note of two lines"
4,John Smith,,,,,,,,two of them
5,Nobody Whatsoever,1 Nowhere Rd,Austin,TX,78701,206-555-0142,,,
6,,,,,,,,,nothing
7,,,,,,,jane.smith@example.com,,
`

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
    expect(rows[5]).toMatchObject({ pb_reason: 'nothing to search by', pb_match_score: '' })
    expect(rows[6]).toMatchObject({ pb_person_id: INVENTED.jane, pb_matched_by: 'email' })
    const lines = (await readFile(desk.path('out.csv'), 'utf8')).split('\n')
    for (const [at, line] of LEADS.split('\n').slice(1, 3).entries())
      expect(lines[at + 1]!.startsWith(`${line},`)).toBe(true)
    expect((await readdir(desk.folder)).sort()).toEqual(['leads.csv', 'out.csv'])
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

const ANSWER = ['id', 'pb_match_status', 'pb_match_score', 'pb_person_id', 'pb_reason']

test('the same rows give the same answers whatever file they come in', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    await desk.enrich([list, '--out', desk.path('out.csv')])
    const expected = (await desk.rows('out.csv')).map((row) => ANSWER.map((column) => row[column]))
    const objects = await desk.rows('leads.csv')
    const columns = Object.keys(objects[0]!)
    const delimited = (delimiter: string): string =>
      `${[columns, ...objects.map((row) => columns.map((name) => row[name]!))].map((cells) => cells.map((cell) => (/[;|\t\n"]/.test(cell) ? `"${cell}"` : cell)).join(delimiter)).join('\r\n')}\r\n`
    const files: Record<string, string | Buffer> = {
      'semicolons.csv': delimited(';'),
      'tabs.tsv': delimited('\t'),
      'mark.csv': `\ufeff${LEADS}`,
      'returns.csv': LEADS.replaceAll('\n', '\r'),
      'unmarked.csv': Buffer.from(LEADS, 'utf16le'),
      'bars.csv': delimited('|'),
      'wide.csv': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(LEADS, 'utf16le')]),
      'zipped.csv.gz': gzipSync(LEADS),
      'lines.jsonl': objects.map((row) => JSON.stringify(row)).join('\n'),
      'file.arrow': Buffer.from(tableToIPC(tableFromArrays(Object.fromEntries(columns.map((name) => [name, objects.map((row) => row[name]!)]))), 'file')),
      'stream.arrow': Buffer.from(tableToIPC(tableFromArrays(Object.fromEntries(columns.map((name) => [name, objects.map((row) => row[name]!)]))), 'stream')),
    } // prettier-ignore
    const duckdb = await DuckDBInstance.create(':memory:')
    const connection = await duckdb.connect()
    await connection.run(
      `copy (select * from read_csv('${list}', all_varchar = true)) to '${desk.path('file.parquet')}' (format parquet)`,
    )
    for (const name of [...Object.keys(files), 'file.parquet']) {
      if (files[name] !== undefined) await desk.put(name, files[name])
      await desk.enrich([desk.path(name), '--out', desk.path('again.csv')])
      const rows = await desk.rows(
        'again.csv',
        name.startsWith('semi') ? ';' : name.startsWith('bars') ? '|' : ',',
      )
      expect(
        rows.map((row) => ANSWER.map((column) => row[column])),
        name,
      ).toEqual(expected)
    }
  })
})

test('the output is what its extension says', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    for (const name of ['out.tsv', 'out.jsonl', 'out.parquet', 'out.arrow'])
      await desk.enrich([list, '--out', desk.path(name)])
    const lines = (await readFile(desk.path('out.jsonl'), 'utf8')).trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>) // prettier-ignore
    expect(lines[0]).toMatchObject({ id: '1', pb_match_status: 'matched', pb_phone_1_score: 96, pb_age: 46 })
    expect(lines[5]).toMatchObject({ id: '6', pb_match_score: null })
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

test('latin-1 is read as what it is, and said', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put(
      'latin.csv',
      Buffer.from('name,phone,city\nJosé Peña,512-555-0101,Köln\n', 'latin1'),
    )
    const { err } = await desk.enrich([list, '--out', desk.path('out.csv')])
    expect(err[0]).toMatch(/read as windows-1252/)
    expect((await desk.rows('out.csv'))[0]).toMatchObject({ name: 'José Peña', city: 'Köln' })
  })
})

test('rows that can’t be read go to a file of their own, with line and reason, and no other row is lost', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put(
      'leads.csv',
      'name,phone\nJane Smith,5125550101\ntoo,many,fields\n"a\nb",1\n"x"y,2\nJohn Smith,5125550100\n"open,3\n',
    )
    const { out } = await desk.enrich([list, '--out', desk.path('out.csv'), '--json'])
    const report = JSON.parse(out[0]!) as { rows: number; rejected: number }
    expect(report).toMatchObject({ rows: 3, rejected: 3 })
    expect((await desk.rows('out.csv')).map((row) => row['name'])).toEqual([
      'Jane Smith',
      'a\nb',
      'John Smith',
    ])
    expect(await desk.rows('out.rejected.csv')).toEqual([
      { line: '3', row: '2', reason: 'the row has 3 fields, the header 2', text: 'too,many,fields' },
      { line: '6', row: '4', reason: 'there is text behind a closing quote', text: '"x"y,2' },
      { line: '8', row: '6', reason: 'a quote is opened and not closed', text: '"open,3' },
    ])
  })
})

test('empty fields behind the last column, as spreadsheets write them, are no reason to reject a row', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', 'name,phone\nJane Smith,512-555-0101,,\n"Nobody\nat all",206-555-0142,"",\nTotal,2,x\nNobody,206-555-0142\n') // prettier-ignore
    const { code, out } = await desk.enrich([list, '--out', desk.path('out.csv')])
    expect(code).toBe(0)
    const rows = await desk.rows('out.csv')
    expect(rows.map((row) => [row['name'], row['phone'], row['pb_person_id']])).toEqual([
      ['Jane Smith', '512-555-0101', INVENTED.jane],
      ['Nobody\nat all', '206-555-0142', ''],
      ['Nobody', '206-555-0142', ''],
    ])
    expect(out).toContainEqual(expect.stringMatching(/not readable: 1 row, in .*out\.rejected\.csv/))
  })
})

test('a list whose rows have other columns than its header is refused before anything is looked up', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', `name,phone\n${'Jane,Smith,512-555-0101\n'.repeat(5)}`)
    await expect(desk.enrich([list, '--out', desk.path('out.csv')])).rejects.toThrow(
      /the header has 2 fields, most rows don't \(the first 3\): take away lines above the header/,
    )
    expect(await readdir(desk.folder)).toEqual(['leads.csv'])
  })
})

test('fields, minimum score, requirements, ranks and prefix are as asked', async () => {
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
    await desk.enrich([list, '--out', desk.path('out.csv'), '--require', 'phone,email'])
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
    await desk.enrich([list, '--out', desk.path('out.csv'), '--top', '3'])
    const ranks = (await desk.rows('out.csv')).filter((row) => row['id'] === '4')
    expect(ranks.map((row) => row['pb_match_rank'])).toEqual(['1', '2'])
    expect(new Set(ranks.map((row) => row['pb_person_id']))).toEqual(
      new Set([INVENTED.john, INVENTED.johnInMiami]),
    )
    await desk.enrich([list, '--out', desk.path('out.csv'), '--limit', '2'])
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
      [`{"email":"${INVENTED.janesEmail}"}\n`, 'the person’s e-mail'],
    ] as const) {
      const suppress = await desk.put('suppress.csv', content)
      await desk.enrich([list, '--out', desk.path('out.csv'), '--suppress', suppress])
      const [jane] = await desk.rows('out.csv')
      expect(jane).toMatchObject({ pb_match_status: 'suppressed', pb_person_id: '', pb_phone_1: '' })
      expect(jane!['pb_reason']).toBe(`${reason.replace('’', "'")} is on the suppression list`)
    }
  })
})

test.each([
  ['a phone that is none', 'name,phone\nJane Smith,512-555-0101\nBob Reyes,unlisted\n', /suppress.csv, line 3: no person id, phone, e-mail or address that can be read stands in 'phone'; nobody was searched/],
  ['an address without a place', 'address,zip\n123 N Main St,78701\nsomewhere,\n', /line 3: no person id, .* stands in 'address', 'zip'/],
  ['another number of fields', 'phone,note\n512-555-0101,a,b\n', /line 2: the row has 3 fields, the header 2; nobody/],
  ['a quote that is not closed', 'phone,note\n512-555-0101,"a"\n512-555-0102,"b\n', /line 3: a quote is opened and not closed; nobody/],
])('a suppression list in which a row has %s is refused with its line', async (_, content, message) => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    const argv = ['--out', desk.path('out.csv'), '--suppress', await desk.put('suppress.csv', content)]
    await expect(desk.enrich([list, ...argv])).rejects.toThrow(message)
  })
}) // prettier-ignore

test('a suppression list with two addresses is refused: one of them would be passed over', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    const content = 'property address,property zip,mailing address,mailing zip\n1 Elm St,78701,123 N Main St # 4,78701\n' // prettier-ignore
    const argv = ['--out', desk.path('out.csv'), '--suppress', await desk.put('suppress.csv', content)]
    await expect(desk.enrich([list, ...argv])).rejects.toThrow(/suppress.csv: 'property address' and 'mailing address' are different addresses, .*; nobody was searched: keep in it only/) // prettier-ignore
  })
})

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
    const capped = await desk.enrich([list, '--out', desk.path('out.csv'), '--max-billable', '2', '--json'])
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

test('the report stands by itself, adds up and names nobody', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    const { out } = await desk.enrich([
      list,
      '--out',
      desk.path('out.csv'),
      '--report',
      desk.path('report.html'),
      '--json',
    ])
    const report = JSON.parse(out[0]!) as {
      rows: number
      statuses: Record<string, number>
      matched_by: { rows: number }[]
      counties: { fips: string; rows: number }[]
      columns: { column: string; rows: number; matched: number; agreed: number }[]
      field_coverage: { field: string; rows: number }[]
    }
    expect(Object.values(report.statuses).reduce((sum, rows) => sum + rows, 0)).toBe(report.rows)
    expect(report.matched_by.reduce((sum, { rows }) => sum + rows, 0)).toBe(report.statuses['matched'])
    expect(report.counties).toEqual([{ fips: '48453', name: 'Travis', state: 'TX', rows: 4 }])
    const rows = await desk.rows('out.csv')
    const matched = rows.filter((row) => row['pb_match_status'] === 'matched')
    const having = (from: typeof rows, column: string): number =>
      from.filter((row) => row[column] !== '').length
    for (const { column, ...counts } of report.columns)
      expect([column, counts.rows, counts.matched]).toEqual([column, having(rows, column), having(matched, column)]) // prettier-ignore
    expect(report.columns.find(({ column }) => column === 'Phone')?.agreed).toBe(matched.filter((row) => row['Phone'] !== '' && row['pb_matched_by']!.includes('phone')).length) // prettier-ignore
    for (const [field, column] of [
      ['phones', 'pb_phone_1'],
      ['address', 'pb_address_line1'],
      ['age', 'pb_age'],
    ] as const)
      // prettier-ignore
      expect(report.field_coverage.find((one) => one.field === field)?.rows).toBe(having(matched, column))
    const html = await readFile(desk.path('report.html'), 'utf8')
    expect(html).not.toMatch(/(?:src|href)=|https?:\/\/(?!www\.w3\.org)|@import|url\(/)
    expect(html).not.toMatch(/Jane|Jonathan|555-0/)
    expect(html).toContain('Travis, TX: 4')
  })
})

interface Counts {
  readonly columns: { readonly column: string; readonly rows: number }[]
  readonly field_coverage: { readonly field: string; readonly rows: number }[]
}

test('the report counts what cells say, not what exports write where there is nothing, and a property also without an address', async () => {
  await withFolder(async (data) => {
    const world = inventedWorld()
    for (const property of world.properties!) property['address_id'] = null
    await publishedSnapshot(join(data, 'snapshots'), world)
    await withDesk(async (desk) => {
      const list = await desk.put(
        'leads.csv',
        `name,phone,email,property_id\nJane Smith,512-555-0101,N/A,\nJane Smith,512-555-0101," ",NULL\n-,,,${INVENTED.house}\n`,
      )
      const argv = [list, '--out', desk.path('out.csv'), '--fields', 'property,owners', '--json']
      const { columns, field_coverage } = JSON.parse((await desk.enrich(argv)).out[0]!) as Counts
      expect(columns.map(({ column, rows }) => [column, rows])).toEqual([
        ['name', 2],
        ['phone', 2],
        ['email', 0],
        ['property_id', 1],
      ])
      const rows = await desk.rows('out.csv')
      const found = rows.filter((row) => row['pb_property_id'] !== '').length
      expect(rows.map((row) => row['pb_property_address'])).toEqual(['', '', ''])
      expect(field_coverage.map(({ field, rows: having }) => [field, having])).toEqual([
        ['property', found],
        ['owners', found],
      ])
      expect(found).toBeGreaterThan(0)
    }, data)
  })
})
