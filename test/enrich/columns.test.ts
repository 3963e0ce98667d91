import { expect, test } from 'vitest'
import { checkHeader, mappingLines, parseMap, recogniseColumns } from '../../src/enrich/columns.ts'

const TODAY = '2026-06-01'

function recognised(header: string[], sample: string[][] = [], said: string[] = []) {
  const { columns, doubts } = recogniseColumns(header, sample, parseMap(said, header), TODAY)
  return { fields: Object.fromEntries(columns.map(({ column, field }) => [header[column], field])), doubts }
}

test.each([
  ['First Name', 'first_name'],
  ['LNAME', 'last_name'],
  ['Full name', 'name'],
  ['e-mail', 'email'],
  ['Mobile_Phone', 'phone'],
  ['Phone 2', 'phone'],
  ['Postal Code', 'zip'],
  ['ST', 'state'],
  ['Street Address', 'address'],
  ['Address 2', 'address_2'],
  ['D.O.B.', 'birth_date'],
  ['Parcel Number', 'apn'],
  ['pb_person_id', 'person_id'],
])('a column called %s holds %s', (name, field) => {
  expect(recognised([name, 'email_address', 'county']).fields[name]).toBe(field)
})

test('phones, e-mails and person ids are known by what they hold, whatever the column is called', () => {
  const row = ['(512) 555-0101', 'a@example.com', 'P0000000001', 'hello']
  const { fields, doubts } = recognised(['c1', 'c2', 'c3', 'c4'], [row, row, row])
  expect(fields).toEqual({ c1: 'phone', c2: 'email', c3: 'person_id' })
  expect(doubts).toEqual([])
})

const SURNAMES = ['Smith', 'Garcia', 'Miller', 'Davis', 'Lopez', 'Wilson', 'Moore', 'Taylor', 'Lee', 'Clark']
const PEOPLE = SURNAMES.map((surname, at) => ({
  name: `${at % 2 === 0 ? 'Jane' : 'Robert'} ${surname}`,
  home: `${at + 1}00 Main St, Austin, TX 7870${(at % 5) + 1}`,
  email: `lead${at}@example.com`,
}))

test('states and ZIP codes are known by what they hold where no column is called like them', () => {
  const rows = PEOPLE.map(({ name }, at) => [
    name,
    '99999',
    at % 2 === 0 ? 'TX' : 'NY',
    `7870${(at % 5) + 1}`,
  ])
  const { fields, doubts } = recognised(['name', 'shop', 'where', 'code'], rows)
  expect(fields).toEqual({ name: 'name', where: 'state', code: 'zip' })
  expect(doubts).toEqual([])
  expect(recognised(['name', 'shop', 'where', 'code'], rows, ['where=-']).fields).not.toHaveProperty('where')
})

test('what looks like names and addresses is used where there is nothing else to search by, and asked about', () => {
  const rows = PEOPLE.map(({ name, home }) => [name, home, 'called twice'])
  const { fields, doubts } = recognised(['prospect', 'situs', 'note'], rows)
  expect(fields).toEqual({ prospect: 'name', situs: 'address' })
  expect(doubts).toEqual([
    "column 'situs' is taken for address by what it holds",
    "column 'prospect' is taken for name by what it holds",
  ])
})

test('beside other things to search by, names in a column of another name may be anybody’s: they are shown, not used', () => {
  const header = ['email', 'sales rep']
  const mapping = recogniseColumns(header, PEOPLE.map(({ name, email }) => [email, name]), new Map(), TODAY) // prettier-ignore
  expect(mapping.columns.map(({ field }) => field)).toEqual(['email'])
  expect(mapping.doubts).toEqual([])
  expect(mappingLines(header, mapping).at(-1)).toBe(
    "  not used: sales rep (name? then --map 'sales rep=name')",
  )
})

test('several phones and e-mails are all used, of other things the first, which is doubtful', () => {
  const { fields, doubts } = recognised(['phone1', 'phone2', 'email', 'email2', 'name', 'contact'])
  expect(fields).toEqual({ phone1: 'phone', phone2: 'phone', email: 'email', email2: 'email', name: 'name' })
  expect(doubts).toEqual(["'name' and 'contact' both look like name"])
  expect(recognised(['name', 'contact', 'email'], [], ['contact=name']).doubts).toEqual([])
})

test('a column that is called one thing and holds another is doubtful, unless told', () => {
  const rows = Array.from({ length: 5 }, () => ['a@example.com', 'Jane Smith'])
  const { fields, doubts } = recognised(['phone', 'name'], rows)
  expect(fields).toEqual({ phone: 'email', name: 'name' })
  expect(doubts).toEqual(["column 'phone' is called like phone but holds what looks like email"])
  expect(recognised(['phone', 'name'], rows, ['phone=email']).doubts).toEqual([])
  expect(recognised(['phone', 'name'], rows, ['phone=-']).fields).toEqual({ name: 'name' })
})

test('a list without anything to search by, and a parcel number without a county, are doubtful', () => {
  expect(recognised(['id', 'note']).doubts).toEqual([
    'no column was recognised that a person or a property could be found by',
  ])
  expect(recognised(['apn']).doubts[0]).toMatch(/county/)
  expect(recognised(['apn', 'county', 'state']).doubts).toEqual([])
})

test('first and last name are used instead of a whole name beside them', () => {
  expect(recognised(['name', 'first', 'last']).fields).toEqual({ first: 'first_name', last: 'last_name' })
})

test.each([
  ['Nam=name', /no column 'Nam'; the columns are Name, Mail/],
  ['Name=nonsense', /no field 'nonsense'; the fields are person_id, name/],
  ['Name', /no column ''/],
])('--map %s is refused', (text, message) => {
  expect(() => parseMap([text], ['Name', 'Mail'])).toThrow(message)
})

test.each([
  [['a', 'b', 'a'], /'a' stands twice in the header \(columns 1 and 3\)/],
  [Array.from({ length: 5_000 }, (_, at) => `c${at}`), /has 5000 columns; a list has at most 1000/],
  [['name', 'pb_reason'], /already has a column 'pb_reason': choose another --prefix/],
  [['Jane Smith', 'jane@example.com'], /begins with a row of data and no header/],
])('a header like %j is refused', (header, message) => {
  expect(() => checkHeader(header, 'leads.csv', 'pb_')).toThrow(message)
})
