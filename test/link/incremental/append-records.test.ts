import { expect, test } from 'vitest'
import { AT } from '../../../src/link/compare/levels.ts'
import { PairComparer } from '../../../src/link/compare/compare.ts'
import { appendRecords } from '../../../src/link/incremental/append-records.ts'
import { ADDRESS_WIDTH, HOUSEHOLD_LIKE, type Records, SLOT } from '../../../src/link/records/records.ts'
import { textAt } from '../../../src/link/records/texts.ts'
import { type PlainRecord, recordsOf } from '../records/plain-records.ts'

const AUSTIN = { house: '12', street: 'ELM ST', city: 'AUSTIN', state: 'TX', zip: '78701' }
const OLD: PlainRecord[] = [
  { first: 'MARY', last: 'NOWAK', birth: '1971-06-24', addresses: [AUSTIN], phones: ['15125550101'], emails: ['mary@example.com'], identifiers: { voter: '100234' } },
  { first: 'ROBERT', last: 'ORCHARD', suffix: 'JR', others: ['GARCIA'], traits: { trade: 'CARPENTER' } },
] // prettier-ignore
// The name AUSTIN and the city AUSTIN are two texts.
const ADDED: PlainRecord[] = [
  { first: 'BOB', last: 'ORCHARD', middle: 'AUSTIN', others: ['NOWAK', 'SMITH'], identifiers: { voter: '100777' }, traits: { trade: 'CLERK' } },
  { first: 'MARY', last: 'NOWACK', birth: '1971-06-24', addresses: [{ ...AUSTIN, house: '977' }, AUSTIN], phones: ['15125550107', '15125550101'], emails: ['mary@example.net'], traits: { trade: 'CARPENTER' } },
] // prettier-ignore

const old = recordsOf(OLD)
const added = recordsOf(ADDED, [HOUSEHOLD_LIKE])
const both = appendRecords(old, added)

/** Returns the values of a record as texts. */
function plain({ rows, width, lists, addresses, texts, emailNames }: Records, record: number): object {
  const text = (id: number): string => (id === 0 ? '' : textAt(texts, id))
  const slot = (at: number): number => rows[record * width + at]!
  const list = (at: number): number[] => [...lists.subarray(slot(at) + 1, slot(at) + 1 + lists[slot(at)]!)]
  return {
    names: [SLOT.first, SLOT.middle, SLOT.last, SLOT.suffix].map((at) => text(slot(at))),
    birth: slot(SLOT.birth),
    others: list(SLOT.others).map(text),
    addresses: list(SLOT.addresses).map((address) => [...addresses.subarray(address * ADDRESS_WIDTH, (address + 1) * ADDRESS_WIDTH)].map(text)),
    phones: list(SLOT.phones).map(text),
    emails: list(SLOT.emails).map((email) => [text(email), text(emailNames[email]!)]),
    attributes: [0, 1].map((a) => text(slot(SLOT.attributes + a))),
  } // prettier-ignore
}

test('old records come first and keep their numbers, texts and lists; the sources are the new ones', () => {
  expect(both.count).toBe(4)
  const found = [0, 1, 2, 3].map((record) => plain(both, record))
  expect(found).toEqual([plain(old, 0), plain(old, 1), plain(added, 0), plain(added, 1)])
  expect([...both.ranks]).toEqual([...old.ranks, ...added.ranks])
  expect(both.sources).toBe(added.sources)
  for (let id = 1; id < old.texts.count; id++) expect(textAt(both.texts, id)).toBe(textAt(old.texts, id))
})

/** All texts of a pool, each with its kind. */
function textsOf({ texts }: Records): string[] {
  return Array.from({ length: texts.count - 1 }, (_, k) => `${textAt(texts, k + 1)} ${texts.sound[k + 1] === 0 ? 'text' : 'name'}`) // prettier-ignore
}

test('a text that both have gets one number, and a name never gets that of another text', () => {
  const found = textsOf(both)
  expect(new Set(found)).toEqual(new Set([...textsOf(old), ...textsOf(added)]))
  expect(found).toHaveLength(new Set(found).size)
  expect(found).toEqual(expect.arrayContaining(['AUSTIN name', 'AUSTIN text']))
})

test('appended records compare like records that were read together', () => {
  const together = recordsOf([...OLD, ...ADDED])
  const [one, other] = [new PairComparer({ ...both, sources: Uint8Array.of(0) }), new PairComparer(together)]
  for (let i = 0; i < 4; i++) {
    for (let j = 0; j < i; j++) {
      one.compare(i, j)
      other.compare(i, j)
      expect([...one.levels]).toEqual([...other.levels])
    }
  }
  one.compare(3, 0)
  expect(one.levels[AT.email]).toBe(2)
})
