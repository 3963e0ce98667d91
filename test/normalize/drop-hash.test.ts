import { expect, test } from 'vitest'
import {
  emailHash,
  hashOf,
  namedBirthHash,
  nameHash,
  phoneHash,
  zipHash,
} from '../../src/normalize/drop-hash.ts'

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
  expect(nameHash(name)).toBe(hashOf(standard))
})

test.each([
  ['94105-1234', '94105'],
  ['941051234', '94105'],
  ['02139', '2139'],
])('drop-hash: the ZIP %s is %s', (zip, standard) => {
  expect(zipHash(zip)).toBe(hashOf(standard))
})

test('drop-hash: name, birth date and ZIP are the hash of their hashes in that order', () => {
  const parts = ['jane', 'smith', '19800517', '78701'].map(hashOf)
  expect(
    namedBirthHash({ first_name: 'Jane', last_name: 'Smith', birth_date: '1980-05-17', zip: '78701' }),
  ).toBe(hashOf(parts.join('')))
})
