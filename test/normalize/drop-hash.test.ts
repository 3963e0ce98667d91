import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { emailHash, NamedBirthHashes, phoneHash } from '../../src/normalize/drop-hash.ts'

const hashOf = (text: string): string => hash('sha256', text, 'base64')
const JANE = { first_name: 'Jane', last_name: 'Smith', birth_date: '1980-05-17', zip: '78701' }

/** What the list has of somebody by values that are standardised already. */
const listed = (...values: string[]): string => hashOf(values.map(hashOf).join(''))

test('drop-hash: a phone is its last ten digits, as the published examples have it', () => {
  expect(phoneHash('+1(415)555-9317')).toBe('vGM7y5n+hBXRSEAklhHDPCbysyNgYTmXdMcagGUOY8E=')
  expect(phoneHash('+84(90)123 4567')).toBe('ptzVkgbv9DonwvPCHmXmJ2SEOaolSh37z3ZzY/Gmm+U=')
})

test('drop-hash: an e-mail address is taken without spaces, in lower case, and with all its dots and signs', () => {
  expect(emailHash(' A.Lice+Tag@ example.COM ')).toBe(hashOf('a.lice+tag@example.com'))
})

test.each([
  ['José', 'jose'],
  ["O'Brien-Smith", 'obriensmith'],
  ['DE LA CRUZ', 'delacruz'],
])('drop-hash: the name %s is %s', (name, standard) => {
  const hashes = new NamedBirthHashes()
  expect(hashes.of({ ...JANE, first_name: name })).toBe(listed(standard, 'smith', '19800517', '78701'))
  expect(hashes.of({ ...JANE, last_name: name })).toBe(listed('jane', standard, '19800517', '78701'))
})

test.each([
  ['94105-1234', '94105'],
  ['941051234', '94105'],
  ['02139', '2139'],
])('drop-hash: the ZIP %s is %s', (zip, standard) => {
  expect(new NamedBirthHashes().of({ ...JANE, zip })).toBe(listed('jane', 'smith', '19800517', standard))
})

test('drop-hash: name, birth date and ZIP are the hash of their hashes in that order', () => {
  const hashes = new NamedBirthHashes()
  for (let twice = 0; twice < 2; twice++)
    expect(hashes.of(JANE)).toBe(hashOf(['jane', 'smith', '19800517', '78701'].map(hashOf).join('')))
})
