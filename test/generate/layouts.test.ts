import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { isValidPhoneNumber } from 'libphonenumber-js/max'
import { expect, test } from 'vitest'
import { Layout } from '../../src/layouts.ts'
import { membersOf } from './zip-members.ts'

const DAYS = ['day-1', 'day-2'].map((day) => join('data/sample', day))

function texts(source: string, pattern: RegExp): string[] {
  return DAYS.flatMap((day) => {
    const folder = join(day, source)
    const names = readdirSync(day).includes(source) ? readdirSync(folder) : []
    return names
      .filter((name) => pattern.test(name))
      .map((name) => readFileSync(join(folder, name), 'latin1'))
  })
}

function lines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '')
}

test('the rolls of Florida have the columns of the Department of Revenue, CRLF, texts in quotes and numbers bare', () => {
  for (const [file, count] of [
    ['nal', 165],
    ['sdf', 23],
  ] as const) {
    const header = new Layout(file).names(file).join(',')
    for (const text of texts(`us-fl-statewide-${file}`, /csv$/)) {
      expect(text.startsWith(`${header}\r\n`)).toBe(true)
      expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
      const rows: string[][] = parse(text, { relax_quotes: false })
      expect(new Set(rows.map((row) => row.length))).toEqual(new Set([count]))
      expect(lines(text)[1]).toMatch(/^16,"[0-9A-Z]{12}",/)
    }
  }
})

test('map ids that look like numbers in scientific notation are there', () => {
  expect(texts('us-fl-statewide-sdf', /csv$/).join('')).toMatch(/,"000\d{3}E\d",/)
})

test('ACRIS files have their headers, one with a trailing space, and quote only what has a comma', () => {
  const expected = { master: 14, legals: 14, parties: 11, references: 11 } as const
  const layout = new Layout('acris')
  for (const kind of ['master', 'legals', 'parties', 'references'] as const) {
    for (const text of texts('us-ny-nyc-acris', new RegExp(`_${kind}_`))) {
      expect(text.startsWith(`${layout.names(kind).join(',')}\n`)).toBe(true)
      expect(new Set(parse(text).map((row) => row.length))).toEqual(new Set([expected[kind]]))
    }
  }
  expect(layout.names('references')).toContain('REFERENCE BY CRFN ')
})

test('document ids have sixteen characters, those of films letters too, and every party has a document', () => {
  const documents = new Set(documentIds('master'))
  for (const id of documents) expect(id).toMatch(/^(\d{16}|(FT|BK)_\d{13})$/)
  expect([...documents].some((id) => id.startsWith('FT_'))).toBe(true)
  for (const id of [...documentIds('parties'), ...documentIds('legals'), ...documentIds('references')])
    expect(documents).toContain(id)
})

test('PLUTO has 92 columns and block and lot as a decimal', () => {
  const [text = ''] = texts('us-ny-nyc-pluto', /csv$/)
  const rows: string[][] = parse(text)
  expect(rows[0]).toEqual(new Layout('pluto').names('pluto'))
  expect(rows[0]).toHaveLength(92)
  expect(rows[1]![71]).toMatch(/^[1-5]$/)
  expect(rows[1]![72]).toMatch(/^[1-5]\d{9}\.00000000$/)
})

test('the clerk of Broward ends every line with a pipe and has 19, 4, 3 and 11 fields', () => {
  for (const [kind, count] of [
    ['doc', 19],
    ['nme', 4],
    ['lgl', 3],
    ['lnk', 11],
  ] as const) {
    const found = texts('us-fl-broward-official-records', new RegExp(`${kind}-ver`)).flatMap(lines)
    expect(found.length).toBeGreaterThan(0)
    for (const line of found) {
      expect(line.endsWith('|')).toBe(true)
      expect(line.split('|')).toHaveLength(count + 1)
    }
  }
})

test('stamps on a deed are 70 cents for every 100 dollars, on a mortgage 35 and two mills', () => {
  let deeds = 0
  for (const line of texts('us-fl-broward-official-records', /doc-ver/).flatMap(lines)) {
    const [, , , , code = '', amount = '', , , , , , stamps = '', intangible = ''] = line.split('|')
    const hundreds = Math.ceil(Number(amount) / 100)
    if (code === 'D' && Number(amount) > 0) expect(stamps).toBe((hundreds * 0.7).toFixed(2))
    if (code === 'D' && Number(amount) === 0) expect(stamps).toBe('')
    if (code === 'M')
      expect([stamps, intangible]).toEqual([
        (hundreds * 0.35).toFixed(2),
        (Number(amount) * 0.002).toFixed(2),
      ])
    if (code === 'D') deeds += 1
  }
  expect(deeds).toBeGreaterThan(50)
})

test('what the Department lists as sold is on record with the clerk, at the same price and on the same parcel', () => {
  const documents = new Map(
    texts('us-fl-broward-official-records', /doc-ver/)
      .flatMap(lines)
      .map((line) => line.split('|'))
      .filter((row) => row[4] !== 'VOID')
      .map((row) => [row[0]!, row]),
  )
  const legals = new Set(
    texts('us-fl-broward-official-records', /lgl-ver/)
      .flatMap(lines)
      .map((line) => line.split('|'))
      .map(([instrument, , parcel]) => `${instrument} ${parcel}`),
  )
  const [text = ''] = texts('us-fl-statewide-sdf', /csv$/)
  const numbers = new Set(
    texts('us-fl-statewide-nal', /csv$/).flatMap((roll) => parse(roll).map((row) => row[1])),
  )
  const sales: Record<string, string>[] = records(text)
  for (const sale of sales) {
    const document = documents.get(sale['CLERK_NO']!)!
    expect(Number(document[5])).toBe(Number(sale['SALE_PRC']))
    const isFirst = document[10] === sale['PARCEL_ID'] || document[10] === '000000000000'
    expect(isFirst || legals.has(`${sale['CLERK_NO']} ${sale['PARCEL_ID']}`)).toBe(true)
    expect(numbers).toContain(sale['PARCEL_ID'])
  }
})

test('the tables of Harris County have a tab between all columns of the codebook', async () => {
  const layout = new Layout('hcad')
  const names = ['building_res', 'deeds', 'fixtures', 'land', 'owners', 'real_acct']
  expect(layout.names('real_acct')).toHaveLength(71)
  expect(layout.names('building_res')).toHaveLength(31)
  const folder = join(DAYS[0]!, 'us-tx-harris-hcad')
  const seen: string[] = []
  for (const archive of readdirSync(folder)) {
    for (const [name, bytes] of await membersOf(join(folder, archive))) {
      const expected = layout.names(basename(name, '.txt'))
      seen.push(basename(name, '.txt'))
      const [header = '', ...rows] = lines(bytes.toString('latin1'))
      expect(header.split('\t')).toEqual(expected)
      for (const row of rows) expect(row.split('\t')).toHaveLength(expected.length)
    }
  }
  expect(seen.sort()).toEqual(names)
})

test('PACS records have the lengths of version 8.0.18, in bytes', async () => {
  const lengths = { INFO: 8602, IMPROVEMENT_INFO: 114, IMPROVEMENT_DETAIL: 622, LAND_DETAIL: 199 } as const
  for (const [name, bytes] of await membersOf(join(DAYS[0]!, 'us-tx-travis-pacs/travis_20260105.zip'))) {
    const kind = /APPRAISAL_(.*)\.TXT$/.exec(name)![1] as keyof typeof lengths
    const text = bytes.toString('latin1')
    expect(text.endsWith('\r\n')).toBe(true)
    for (const record of lines(text)) expect(record).toHaveLength(lengths[kind])
  }
})

test('voters have 38 fields without a header, and no empty one: blanks are single spaces', () => {
  for (const line of texts('us-fl-statewide-voters', /txt$/).flatMap(lines)) {
    const fields = line.split('\t')
    expect(fields).toHaveLength(38)
    expect(fields).not.toContain('')
    expect(fields[0]).toBe('BRO')
  }
})

test('the provider file has 330 columns, all in quotes, and numbers that pass their check', async () => {
  const columns = new Layout('nppes').names('npi')
  expect(columns).toHaveLength(330)
  expect(new Set(columns).size).toBe(330)
  const folder = join(DAYS[0]!, 'us-nppes-providers')
  const [member] = await membersOf(join(folder, readdirSync(folder)[0]!))
  const [header = '', ...rows] = lines(member![1].toString('utf8'))
  expect(header).toBe(columns.map((column) => `"${column}"`).join(','))
  for (const row of rows) {
    expect(row.slice(1, -1).split('","')).toHaveLength(330)
    expect(luhn(`80840${row.slice(1, 11)}`)).toBe(true)
  }
})

test('gifts have 21 fields between pipes', () => {
  for (const line of texts('us-fec-contributions', /txt$/).flatMap(lines))
    expect(line.split('|')).toHaveLength(21)
})

test('all telephone numbers are valid, in 555 exchanges', async () => {
  const folder = join(DAYS[0]!, 'us-nppes-providers')
  const [member] = await membersOf(join(folder, readdirSync(folder)[0]!))
  const contacts: Record<string, string>[] = texts('us-lists-contacts', /csv$/).flatMap((text) =>
    records(text),
  )
  const providers: Record<string, string>[] = records(member![1].toString('utf8'))
  const numbers = [
    ...contacts.flatMap((row) => [row['phone'], row['phone_2']]),
    ...providers.flatMap((row) =>
      Object.keys(row)
        .filter((key) => key.includes('Telephone'))
        .map((key) => row[key]),
    ),
    ...texts('us-fl-statewide-voters', /txt$/)
      .flatMap(lines)
      .map((line) => line.split('\t').slice(34, 36).join('').replace(/[*\s]/g, '')),
  ].filter((number) => number !== undefined && number !== '' && number !== '000-000-0000')
  expect(numbers.length).toBeGreaterThan(2000)
  for (const number of numbers) {
    expect(number!.replaceAll(/\D/g, '')).toMatch(/^1?\d{3}555\d{4}$/)
    expect(isValidPhoneNumber(number!, 'US')).toBe(true)
  }
})

test('all e-mail addresses and links are in example domains', () => {
  const all = texts('us-lists-contacts', /(csv|jsonl)$/).join('\n')
  for (const [, domain] of all.matchAll(/@([\w.-]+)/g)) expect(domain).toMatch(/\.example\.(com|net|org)$/i)
  for (const [, host] of all.matchAll(/https?:\/\/([\w.-]+)/g)) expect(host).toMatch(/\.example\.com$/)
})

function records(text: string): Record<string, string>[] {
  return parse(text, { columns: true })
}

function documentIds(kind: string): string[] {
  return texts('us-ny-nyc-acris', new RegExp(`_${kind}_`)).flatMap((text) =>
    parse(text, { from_line: 2 }).map((row) => row[0]!),
  )
}

function luhn(digits: string): boolean {
  const sum = digits
    .split('')
    .reverse()
    .reduce((total, digit, at) => {
      const doubled = at % 2 === 1 ? Number(digit) * 2 : Number(digit)
      return total + (doubled > 9 ? doubled - 9 : doubled)
    }, 0)
  return sum % 10 === 0
}
