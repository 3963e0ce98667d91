import { expect, test } from 'vitest'
import { parsePersonMap, proposeColumns } from '../../src/link-file/propose-columns.ts'
import { inventedPeople } from './invented-people.ts'

const TODAY = '2026-01-01'
const PEOPLE = inventedPeople(40)

function proposed(columns: Record<string, readonly string[]>, map: string[] = [], truth?: string) {
  const header = Object.keys(columns)
  const rows = Object.values(columns)[0]!.map((_, row) => header.map((name) => columns[name]![row]!))
  const proposal = proposeColumns({ name: 'people.csv', header, sample: rows }, parsePersonMap(map), truth, TODAY) // prettier-ignore
  return {
    ...proposal,
    fields: Object.fromEntries(proposal.used.map(({ column, field, kind }) => [header[column], kind === '' ? field : `${field}:${kind}`])), // prettier-ignore
    why: Object.fromEntries(proposal.unused.map(({ column, why }) => [header[column], why])),
  }
}
const of = (value: (person: (typeof PEOPLE)[number]) => string): string[] => PEOPLE.map(value)

test('columns are taken by the usual names of files of people', () => {
  const { fields, why } = proposed(
    {
      unique_id: PEOPLE.map((_, n) => String(n)),
      given_name: of(({ first }) => first),
      surname: of(({ last }) => last),
      street_number: of(({ house }) => String(house)),
      address_1: of(({ street }) => street),
      suburb: of(({ city }) => city),
      date_of_birth: of(({ birth }) => birth),
      sex: of(() => 'F'),
      soc_sec_id: PEOPLE.map((_, n) => String(1_000_000 + n)),
      birthplace: of(() => 'Laredo'),
      cluster: PEOPLE.map((_, n) => String(n)),
      signup_channel: of(() => 'web'),
    },
    [],
    undefined,
  )
  expect(fields).toEqual({
    unique_id: 'record_id',
    given_name: 'first_name',
    surname: 'last_name',
    street_number: 'house_number',
    address_1: 'street_name',
    suburb: 'city',
    date_of_birth: 'birth_date',
    sex: 'gender',
    soc_sec_id: 'identifier:ssn',
    birthplace: 'trait:birthplace',
  })
  expect(why).toEqual({
    cluster: "may be the truth, so it is not compared: --truth 'cluster' evaluates the clusters with it",
    signup_channel: 'neither its name nor its values are recognised',
  })
})

test('columns without a telling name are taken by their values: e-mail, phone, name, ZIP code', () => {
  const { fields, nameOrder, why } = proposed({
    c1: of(({ first, last }) => `${last.toUpperCase()} ${first.toUpperCase()}`),
    c2: of(({ email }) => email),
    c3: of(({ phone }) => phone),
    c4: of(({ zip }) => zip),
    c5: of(({ birth }) => birth),
  })
  expect(fields).toEqual({ c1: 'name', c2: 'email', c3: 'phone', c4: 'zip' })
  expect(nameOrder).toBe('surname_first')
  // A day may be any day: of birth, of signing up.
  expect(why['c5']).toMatch(/contains dates: --map/)
})

test('a column is not taken by its name when its values are something else', () => {
  const { fields, why } = proposed({
    name: of(({ first, last }) => `${first} ${last}`),
    dob: of(() => 'yes'),
    phone: of(({ email }) => email),
    'Owner 2 Last Name': of(({ last }) => last),
  })
  expect(fields).toEqual({ name: 'name', phone: 'email' })
  expect(why['dob']).toBe('has the name of birth_date, but only 0 % of 40 values look like it')
  expect(why['Owner 2 Last Name']).toMatch(/only the first person is read/)
})

test('--map overrides names and values, and leaves columns out', () => {
  const columns = { who: of(({ first }) => first), last_name: of(({ last }) => last), badge: of(({ zip }) => zip) } // prettier-ignore
  expect(proposed(columns, ['who=first_name', 'badge=identifier:badge']).fields).toEqual({ who: 'first_name', last_name: 'last_name', badge: 'identifier:badge' }) // prettier-ignore
  expect(proposed(columns, ['last_name=-', 'who=name']).fields).toEqual({ who: 'name', badge: 'zip' })
  expect(() => parsePersonMap(['who=nme'])).toThrow(/there is no field 'nme'; the fields are record_id, name/)
  expect(() => proposed({ badge: of(() => 'x') })).toThrow(/people\.csv: no column was recognised that can identify people[^]*badge/) // prettier-ignore
})

test('the truth is never evidence, whatever it is called', () => {
  const { fields, why } = proposed({ name: of(({ first, last }) => `${first} ${last}`), email: of(({ email }) => email) }, [], 'email') // prettier-ignore
  expect(fields).toEqual({ name: 'name' })
  expect(why['email']).toBe('the truth, which is never compared')
})

test('addresses of other countries are told by their states and postcodes', () => {
  const names = of(({ first, last }) => `${first} ${last}`)
  expect(proposed({ name: names, state: of(() => 'nsw'), postcode: of(() => '2119') }).isAmerican).toBe(false)
  expect(proposed({ name: names, state: of(() => 'TX'), zip: of(({ zip }) => zip) }).isAmerican).toBe(true)
})
