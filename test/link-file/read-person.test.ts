import { expect, test } from 'vitest'
import { readBirthDate } from '../../src/link-file/birth-dates.ts'
import { parsePersonMap, proposeColumns } from '../../src/link-file/propose-columns.ts'
import { type Person, PersonReader } from '../../src/link-file/read-person.ts'

const TODAY = '2026-01-01'

/** The person of a row whose columns are what they are called. */
function read(row: Record<string, string>): Person {
  const header = Object.keys(row)
  const cells = Object.values(row)
  const map = header.map((name) => `${name}=${name}`)
  const proposal = proposeColumns({ name: 'people.csv', header, sample: [cells] }, parsePersonMap(map), undefined, TODAY) // prettier-ignore
  return new PersonReader(proposal, TODAY).read(cells)
}

const nameOf = ({ first_name, middle_name, last_name, name_suffix }: Person) => [first_name, middle_name, last_name, name_suffix] // prettier-ignore

test.each([
  ['Barlow, Adela M', ['ADELA', 'M', 'BARLOW', null]],
  ['Adela Marie Barlow', ['ADELA', 'MARIE', 'BARLOW', null]],
  ['BARLOW JR, JOHN', ['JOHN', null, 'BARLOW', 'JR']],
  ['Castañeda Ibarra, María del Carmen', ['MARIA', 'DEL CARMEN', 'CASTANEDA IBARRA', null]],
  // A row is one person: the first that the field names.
  ['JOHN & MARY SMITH', ['JOHN', null, 'SMITH', null]],
  ['First Bank of Example', [null, null, 'FIRST BANK OF EXAMPLE', null]],
])('the full name %s is read into its parts', (name, expected) => {
  expect(nameOf(read({ name }))).toEqual(expected)
})

test('several given names in one column are first and middle name; a suffix behind the surname is its own part', () => {
  expect(nameOf(read({ first_name: 'Maria del Carmen', last_name: 'Ibarra Lopez' }))).toEqual(['MARIA', 'DEL CARMEN', 'IBARRA LOPEZ', null]) // prettier-ignore
  expect(nameOf(read({ first_name: 'La Shawn', last_name: 'Ford III' }))).toEqual(['LA SHAWN', null, 'FORD', 'III']) // prettier-ignore
  expect(nameOf(read({ first_name: 'Jonas', middle_name: 'P', last_name: 'O’Hara', name_suffix: 'jr.' }))).toEqual(['JONAS', 'P', "O'HARA", 'JR']) // prettier-ignore
})

test('an address in one cell and the same address in parts are one place', () => {
  const [whole] = read({
    name: 'Adela Barlow',
    address: '107 N Old Mill Road Apt 4, Austin, TX 78701-1234',
  }).addresses
  const [parts] = read({ name: 'Adela Barlow', house_number: '107', street_direction: 'N', street_name: 'Old Mill', street_type: 'Rd', address_2: '4', city: 'Austin', state: 'TX', zip: '78701' }).addresses // prettier-ignore
  const expected = { house_number: '107', street_name: 'N OLD MILL RD', unit_number: '4', city: 'AUSTIN', state: 'TX', zip: '78701' } // prettier-ignore
  expect(whole).toMatchObject({ ...expected, building_key: expect.stringContaining('78701') })
  expect(parts).toMatchObject(expected)
})

test('phones, e-mails, numbers and dates are read as lists write them', () => {
  const person = read({ name: 'Adela Barlow', phone: '(512) 555-0101 / 512-555-0102', email: 'Adela@Example.com; none@none.com', identifier: '123-45', birth_date: '2/29/1980', gender: 'female' }) // prettier-ignore
  expect(person).toMatchObject({
    phones: ['15125550101', '15125550102'],
    emails: ['adela@example.com'],
    identifiers: ['identifier:12345'],
    birth_year: 1980,
    birth_month: 2,
    birth_day: 29,
    gender: 'F',
  })
  expect(read({ name: 'N/A', phone: '0000000000' })).toMatchObject({ last_name: null, phones: [] })
})

test.each([
  ['1688-07-04', false, [1688, 7, 4]],
  ['17760704', false, [1776, 7, 4]],
  ['3/4/1970', false, [1970, 3, 4]],
  ['3/4/1970', true, [1970, 4, 3]],
  ['25/4/1970', false, [1970, 4, 25]],
  ['4 Jul 1970', false, [1970, 7, 4]],
  ['July 4, 1970', false, [1970, 7, 4]],
  ['1o/l2/197b', false, [1978, 10, 12]],
  ['1970', false, [1970, 0, 0]],
  ['not stated', false, null],
  ['3024-01-01', false, null],
])('the birth date %s (day first: %s) is read', (text, isDayFirst, expected) => {
  const birth = readBirthDate(text, TODAY, isDayFirst)
  expect(birth === null ? null : [birth.year, birth.month, birth.day]).toEqual(expected)
})
