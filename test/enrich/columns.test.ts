import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { recogniseColumns, recogniseInTurns } from '../../src/enrich/columns/recognise.ts'
import { checkHeader } from '../../src/enrich/columns/header.ts'
import { mappingLines, parseMap, remedyTexts } from '../../src/enrich/columns/map-option.ts'

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

test('where no name says anything, names and addresses are known by what they hold, with the share that is shown', () => {
  const header = ['prospect', 'situs', 'note']
  const rows = PEOPLE.map(({ name, home }, at) => [name, at === 0 ? 'see file' : home, 'called twice'])
  const mapping = recogniseColumns(header, rows, new Map(), TODAY)
  expect(mapping.doubts).toEqual([])
  expect(mappingLines(header, mapping)).toEqual([
    '  prospect  → name  (by its values: 100 % of 10 values)',
    '  situs     → address  (by its values: 90 % of 10 values)',
    '  not used: note',
  ])
})

test.each([
  ['LAST, FIRST', PEOPLE.map(({ name }) => name.split(' ').reverse().join(', ').toUpperCase()), 'name'],
  ['joint owners', PEOPLE.map(({ name }) => `${name.split(' ').reverse().join(', ')} & MARIA`), 'name'],
  ['apostrophes and hyphens', ["O'BRIEN, CATHERINE", 'SMITH-JONES, MARY ANN', 'DE LA CRUZ, JOSÉ'], 'name'],
  ['addresses without commas', PEOPLE.map(({ home }) => home.replaceAll(',', '').toUpperCase()), 'address'],
  ['post office boxes', ['PO Box 12, Austin, TX 78701', 'P.O. BOX 7 AUSTIN TX 78702', 'PO BOX 9, Austin TX 78703'], 'address'],
  ['streets alone', PEOPLE.map((_, at) => `${at + 1}00 Main St Apt ${at}`), 'address'],
  ['birth dates', PEOPLE.map((_, at) => `0${(at % 9) + 1}/1${at % 9}/${1940 + at * 6}`), 'birth_date'],
  ['days of sales', PEOPLE.map((_, at) => `0${(at % 9) + 1}/1${at % 9}/${1997 + at * 3}`), undefined],
  ['company names', ['Acme Widgets LLC', 'Invented Holdings Inc', 'First Trust of Nowhere', 'Example Bank NA'], undefined],
  ['cities and states', ['Austin, TX', 'Houston, TX', 'Dallas, TX', 'Waco, TX'], undefined],
  ['legal descriptions', ['LOT 5 BLK 2 OAK PARK', 'LOT 6 BLK 2 OAK PARK', 'LOT 7 BLK 9 ELM HILL'], undefined],
])('%s in a column of an unknown name', (_, held, field) => {
  const rows = held.map((text, at) => [PEOPLE[at]!.email, text])
  expect(recognised(['c1', 'c2'], rows)).toEqual({
    fields: { c1: 'email', ...(field === undefined ? {} : { c2: field }) },
    doubts: [],
  })
}) // prettier-ignore

test('two columns that hold the same, and one that holds it now and then, are asked about; what --map would say settles it', () => {
  const header = ['grantor', 'grantee', 'where']
  const rows = PEOPLE.map(({ name, home }, at) => [name, name.toUpperCase(), at < 4 ? 'see file' : home])
  const mapping = recogniseColumns(header, rows, new Map(), TODAY)
  expect(mapping.doubts).toEqual([
    "'grantor' (100 % of 10 values) and 'grantee' (100 % of 10 values) all look like name",
  ])
  expect(remedyTexts(header, mapping)).toEqual(['grantor=name', 'grantee=-'])
  expect(recognised(header, rows, remedyTexts(header, mapping))).toEqual({
    fields: { grantor: 'name' },
    doubts: [],
  })
  const unclear = recogniseColumns(['where'], rows.map((row) => row.slice(2)), new Map(), TODAY) // prettier-ignore
  expect(unclear.doubts[0]).toBe("'where' (60 % of 10 values) may hold address")
  expect(remedyTexts(['where'], unclear)).toEqual(['where=address'])
})

test.each([
  [['name', 'contact', 'email'], []],
  [['Property Address', 'Mailing Address'], []],
  [['phone', 'name'], Array.from({ length: 5 }, () => ['a@example.com', 'Jane Smith'])],
])('what --map would say of %j leaves no doubt', (header, rows) => {
  const mapping = recogniseColumns(header, rows, new Map(), TODAY)
  expect(mapping.doubts).not.toEqual([])
  expect(recognised(header, rows, remedyTexts(header, mapping)).doubts).toEqual([])
})

test('beside other things to search by, names in a column of another name may be anybody’s: they are shown, not used', () => {
  const header = ['email', 'sales rep']
  const mapping = recogniseColumns(header, PEOPLE.map(({ name, email }) => [email, name]), new Map(), TODAY) // prettier-ignore
  expect(mapping.columns.map(({ field }) => field)).toEqual(['email'])
  expect(mapping.doubts).toEqual([])
  expect(mappingLines(header, mapping).at(-1)).toBe(
    "  not used: sales rep (looks like name; --map 'sales rep=name' uses it)",
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
  expect(doubts).toEqual(["the name of column 'phone' means phone, but its values look like email"])
  expect(recognised(['phone', 'name'], rows, ['phone=email']).doubts).toEqual([])
  expect(recognised(['phone', 'name'], rows, ['phone=-']).fields).toEqual({ name: 'name' })
})

test('a list without anything to search by, and a parcel number without a county, are doubtful', () => {
  expect(recognised(['id', 'note']).doubts).toEqual([
    'no column holds a name, phone, e-mail, address or id to search by (is the first line the header?)',
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
  ['a column twice', ['a', 'b', 'a'], /names the column 'a' twice \(columns 1 and 3\)/],
  ['a column that is added', ['name', 'pb_reason'], /already has a column 'pb_reason': choose another --prefix/], // prettier-ignore
  [
    'data instead of names',
    ['Jane Smith', 'jane@example.com'],
    /begins with a row of data instead of a header/,
  ],
])('a header with %s is refused', (_, header, message) => {
  expect(() => checkHeader(header, 'leads.csv', 'pb_')).toThrow(message)
})

const used = (header: string[], row: string[] = []): string[] =>
  recogniseColumns(header, row.length === 0 ? [] : Array.from({ length: 20 }, () => row), new Map(), TODAY)
    .columns.map(({ column, field }) => `${header[column]}=${field}`) // prettier-ignore

test.each([
  ['Salesforce', ['Contact ID', 'First Name', 'Last Name', 'Account Name', 'Mailing Street', 'Mailing State/Province', 'Mailing Zip/Postal Code', 'Mailing Country', 'Mobile', 'Contact Owner'],
    ['First Name=first_name', 'Last Name=last_name', 'Mailing Street=address', 'Mailing State/Province=state', 'Mailing Zip/Postal Code=zip', 'Mobile=phone']],
  ['HubSpot', ['Record ID', 'Phone Number', 'Contact owner', 'Lead Status', 'Street Address', 'State/Region', 'Postal Code', 'Country/Region'],
    ['Phone Number=phone', 'Street Address=address', 'State/Region=state', 'Postal Code=zip']],
  ['an address book', ['E-mail 1 - Label', 'E-mail 1 - Value', 'E-mail 2 - Value', 'Phone 1 - Value', 'Address 1 - Street', 'Address 1 - City', 'Address 1 - Region', 'Address 1 - Postal Code', 'Address 2 - City'],
    ['E-mail 1 - Value=email', 'E-mail 2 - Value=email', 'Phone 1 - Value=phone', 'Address 1 - Street=address', 'Address 1 - City=city', 'Address 1 - Region=state', 'Address 1 - Postal Code=zip']],
  ['a shop', ['Default Address Address1', 'Default Address Address2', 'Default Address Province Code', 'Default Address Zip', 'Default Address Phone'],
    ['Default Address Address1=address', 'Default Address Address2=address_2', 'Default Address Province Code=state', 'Default Address Zip=zip', 'Default Address Phone=phone']],
  ['a sales pipeline', ['Person - Name', 'Person - Email - Work', 'Person - Address', 'Person - Owner', 'Person - Organization'],
    ['Person - Name=name', 'Person - Email - Work=email', 'Person - Address=address']],
  ['a roll of owners', ['OWNERNAME1', 'OWNERNAME2', 'MAILADDR', 'MAIL_CITY', 'Owner Occupied'],
    ['OWNERNAME1=name', 'MAILADDR=address', 'MAIL_CITY=city']],
  ['a voter file', ['NameLast', 'NameFirst', 'ResidenceAddressLine1', 'ResidenceCity', 'ResidenceZipcode', 'DaytimePhoneNumber'],
    ['NameLast=last_name', 'NameFirst=first_name', 'ResidenceAddressLine1=address', 'ResidenceCity=city', 'ResidenceZipcode=zip', 'DaytimePhoneNumber=phone']],
  ['a list in Spanish', ['Apellido', 'Correo electrónico', 'Teléfono', 'Dirección', 'Código Postal'],
    ['Apellido=last_name', 'Correo electrónico=email', 'Teléfono=phone', 'Dirección=address', 'Código Postal=zip']],
])('the columns that %s exports are recognised', (_, header, columns) => {
  expect(used(header)).toEqual(columns)
}) // prettier-ignore

const AROUND = fc.constantFrom('Home', 'Work', 'Day', 'Mobile', 'Other', 'Business', 'Cell', 'Evening')

test('however many words stand around it, a column is called what it is; a name of words alone, or one too long, says nothing', () => {
  fc.assert(
    fc.property(
      fc.array(AROUND, { maxLength: 12 }),
      fc.array(AROUND, { maxLength: 12 }),
      (before, behind) => {
        const letters = [...before, ...behind].join('').length
        const [named] = used([[...before, 'E-mail', ...behind].join(' ')])
        expect(named?.split('=').at(-1)).toBe(letters + 'email'.length > 80 ? undefined : 'email')
        expect(used([[...before, 'Shoe', ...behind].join(' ')])).toEqual([])
      },
    ),
  )
  expect(used(['Home'.repeat(20)])).toEqual([])
  expect(used([`${'Day '.repeat(13)}Off${' Day'.repeat(13)}`])).toEqual([])
})

test.each(['Account Name', 'Business Name', 'Lead Age', 'Home Value', 'Street Number', 'Phone 2 Type', 'Email Domain', 'Agent Name', 'Home Fax'])(
  'a column called %s holds nothing that a row is searched by',
  (name) => expect(used([name])).toEqual([]),
) // prettier-ignore

test('parts of one address are used together; whose it is, when there are two, is asked', () => {
  const header = [
    'Property Address',
    'Property City',
    'Mailing Address',
    'Mailing City',
    'Zip',
    'Business Street',
  ]
  expect(recognised(header)).toEqual({
    fields: { 'Property Address': 'address', 'Property City': 'city', Zip: 'zip' },
    doubts: [
      "'Property Address' and 'Mailing Address' are different addresses, and rows are searched by one address: 'Property Address=address' uses the first",
    ],
  })
  expect(recognised(header, [], ['Mailing Address=address'])).toEqual({
    fields: { 'Mailing Address': 'address', 'Mailing City': 'city', Zip: 'zip' },
    doubts: [],
  })
  const row = ['', '', '100 Main St', 'Austin', '78701', '']
  expect(recognised(header, [row, row, row]).doubts).toEqual([])
  expect(used(header, row)).toEqual(['Mailing Address=address', 'Mailing City=city', 'Zip=zip'])
})

test('a street in parts is put together, and its parts are left out beside a whole address', () => {
  const parts = ['House Number', 'Street Pre Dir', 'Street Name', 'Street Type', 'Post Direction', 'Apt']
  const all = ['House Number=house_number', 'Street Pre Dir=street_direction', 'Street Name=street_name', 'Street Type=street_type', 'Post Direction=street_post_direction', 'Apt=address_2'] // prettier-ignore
  const row = ['100', 'N', 'Main', 'St', '', '2B']
  expect(used(parts, row)).toEqual(all)
  expect(used([...parts, 'Address'], [...row, ''])).toEqual(all)
  expect(used([...parts, 'Address'], [...row, '100 N Main St'])).toEqual(['Apt=address_2', 'Address=address'])
  expect(used(['Last Name', 'House No', 'Street'], ['Doe', '100', 'N Main St'])).toEqual(['Last Name=last_name', 'House No=house_number', 'Street=street_name']) // prettier-ignore
  expect(used(['Last Name', 'House No', 'Street'], ['Doe', '100', '100 N Main St'])).toEqual(['Last Name=last_name', 'Street=address']) // prettier-ignore
  expect(used(['Last Name', 'Mailing Street Number', 'Mailing Street Name', 'Mailing Zip', 'Zip'])).toEqual(['Last Name=last_name', 'Mailing Street Number=house_number', 'Mailing Street Name=street_name', 'Mailing Zip=zip']) // prettier-ignore
})

test('a county is the property’s, beside which a mailing county means nothing', () => {
  expect(recognised(['APN', 'County', 'Mailing County'])).toEqual({ fields: { APN: 'apn', County: 'county' }, doubts: [] }) // prettier-ignore
})

test('days and times are no phones, though they have as many digits', () => {
  expect(used(['name', 'Last Activity Date'], ['Jane Smith', '2025-02-06 10:22'])).toEqual(['name=name'])
})

test('what a column holds says that it is the end of a ZIP code, the day of a birthday, a given name, a city with its ZIP code', () => {
  expect(used(['name', 'ZIP5', 'ZIP4'], ['Jane Smith', '78701', '1234'])).toEqual(['name=name', 'ZIP5=zip'])
  expect(used(['name', 'Zip+4'], ['Jane Smith', '78701-1234'])).toEqual(['name=name', 'Zip+4=zip'])
  expect(recognised(['email', 'Birthday'], Array.from({ length: 3 }, () => ['jane@example.com', '03/14']))).toEqual({ fields: { email: 'email' }, doubts: [] }) // prettier-ignore
  expect(used(['Name', 'Surname'], ['Jane', 'Smith'])).toEqual(['Name=first_name', 'Surname=last_name'])
  expect(used(['Name', 'Mailing Address 1', 'Mailing Address 2'], ['Jane Smith', '100 Main St', 'Austin, TX 78701'])).toEqual(['Name=name', 'Mailing Address 1=address', 'Mailing Address 2=city_state_zip']) // prettier-ignore
})

test('of more phones than are used, those that nothing stands in are left out first', () => {
  const header = ['name', 'Home Phone', 'Home Phone 2', 'Business Phone', 'Other Phone', 'Mobile Phone']
  expect(used(header, ['Jane Smith', '', '', '', '', '512-555-0101'])).toContain('Mobile Phone=phone')
})

test('phones that a spreadsheet rounded are doubtful', () => {
  expect(
    recognised(
      ['name', 'phone'],
      Array.from({ length: 5 }, () => ['Jane Smith', '5.13E+09']),
    ).doubts,
  ).toContainEqual(expect.stringMatching(/a spreadsheet rounded, such as 5.13E\+09: export the file again/))
})

/** Rows of which every cell that is read is counted. */
function countedRows(
  columns: number,
  value: (column: number) => string,
): { rows: string[][]; reads: () => number } {
  let reads = 0
  const row = new Proxy(
    Array.from({ length: columns }, (_, column) => value(column)),
    {
      get(cells, key, receiver): unknown {
        if (/^\d+$/.test(String(key))) reads++
        return Reflect.get(cells, key, receiver)
      },
    },
  )
  return { rows: Array.from({ length: 1_000 }, () => row), reads: () => reads }
}

test.each([10, 100, 1_000])(
  'a list of %d columns has no more than 20,000 of its values looked at',
  (columns) => {
    const { rows, reads } = countedRows(columns, () => 'Main')
    recogniseColumns(
      Array.from({ length: columns }, (_, column) => `c${column}`),
      rows,
      new Map(),
      TODAY,
    )
    expect(reads()).toBe(Math.min(300, 20_000 / columns) * columns)
  },
)

test('blank cells are passed over, 200,000 of a list at most', () => {
  const { rows, reads } = countedRows(1_000, () => '')
  recogniseColumns(
    Array.from({ length: 1_000 }, (_, column) => `c${column}`),
    rows,
    new Map(),
    TODAY,
  )
  expect(reads()).toBe(200_000)
})

test('others have their turn while 1,000 columns are recognised, after 320 values at most', async () => {
  const header = Array.from({ length: 1_000 }, (_, column) => `c${column}`)
  const { rows, reads } = countedRows(1_000, (column) => (column === 999 ? 'jane@example.com' : 'Main'))
  const perTurn: number[] = []
  let before = 0
  let isDone = false
  const look = (): void => {
    perTurn.push(reads() - before)
    before = reads()
    if (!isDone) setImmediate(look)
  }
  setImmediate(look)
  const mapping = await recogniseInTurns(header, rows, new Map(), TODAY)
  isDone = true
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(320)
  expect(mapping).toEqual(recogniseColumns(header, rows, new Map(), TODAY))
  expect(mapping.columns).toEqual([{ column: 999, field: 'email', by: 'content' }])
})
