import type { Cell } from '../../support/warehouse.ts'

export type MentionRow = Record<string, Cell>

const FIRST = [
  'JOHN',
  'JON',
  'JOHNNY',
  'MARY',
  'MARIE',
  'ROBERT',
  'BOB',
  'ROBRET',
  'ANN',
  'A',
  'LUIS',
  'LOPEZ',
  'SMITH',
  // With a control character that a clerk's system left.
  'AN\u001fN',
]
const LAST = [
  'SMITH',
  'SMYTH',
  'GARCIA',
  'GARCIA LOPEZ',
  'LOPEZ',
  'NOWAK',
  'NOWACK',
  'UNKNOWN',
  'JOHN',
  'MARY',
]
const PHONES = ['12065550101', '12065550102', '12065550120', '12065550177']
const EMAILS = ['john.smith@example.com', 'jsmith@example.net', 'mary@example.org']

// One house is written with its ZIP, seldom with another or without; some streets stand in no place.
const PLACES = [
  ...Array.from({ length: 12 }, () => ({ city: 'SPRINGFIELD', state: 'FL', zip: '32999' })),
  { city: 'SPRINGFIELD', state: 'FL', zip: '32998' },
  { city: 'SPRINGFIELD', state: 'FL', zip: null },
  { city: null, state: null, zip: null },
]

/** Mentions of few people with many slips: dense enough that every rule, split and conflict happens among a hundred. */
export function randomMentions(seed: number): {
  take(count: number): MentionRow[]
  withdraw(count: number): string[]
  change(count: number): MentionRow[]
} {
  let state = seed * 7919
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) / 8_388_608
  }
  const of = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!
  const maybe = <T>(share: number, value: () => T): T | null => (next() < share ? value() : null)
  let issued = 0
  const there: string[] = []
  const address = (): string => {
    const parts = {
      house_number: of(['1', '2', '12']),
      street_name: of(['OAK ST', 'ELM AVE']),
      unit_number: maybe(0.3, () => of(['4', '5'])),
      ...of(PLACES),
    }
    const written = Object.entries(parts).map(([part, value]) => `'${part}': ${value ?? 'NULL'}`)
    return `{'address_key': NULL, 'building_key': NULL, ${written.join(', ')}}`
  }
  // With more kinds than four, a mention's row takes two lines of memory.
  const moreKinds = (kind: string, values: number): string[] =>
    seed % 2 === 0 ? [`${kind}${issued % values}`] : []
  const row = (record_id: string): MentionRow => ({
    record_id,
    source_id: of(['roll', 'voters', 'contacts']),
    first_name: maybe(0.95, () => of(FIRST)),
    middle_name: maybe(0.3, () => of(['A', 'B', 'ANN', 'LEE', 'JOHN', 'SMITH'])),
    last_name: of(LAST),
    name_suffix: maybe(0.1, () => of(['JR', 'SR'])),
    other_last_names: next() < 0.1 ? [of(LAST)] : [],
    birth_year: maybe(0.6, () => 1950 + Math.floor(next() * 4)),
    birth_month: 1 + Math.floor(next() * 2),
    birth_day: 1 + Math.floor(next() * 3),
    phones: next() < 0.5 ? [of(PHONES), ...(next() < 0.2 ? [of(PHONES)] : [])] : [],
    emails: next() < 0.3 ? [of(EMAILS)] : [],
    gender: maybe(0.3, () => of(['M', 'F'])),
    addresses: next() < 0.4 ? `[${address()}${next() < 0.2 ? `, ${address()}` : ''}]` : null,
    employer: maybe(0.2, () => of(['ACME', 'GLOBEX'])),
    identifiers: next() < 0.1 ? [`voter:100${Math.floor(next() * 20)}`, ...moreKinds('npi:1', 9)] : [],
    traits: next() < 0.2 ? [`birthplace:${of(['OHIO', 'MAINE'])}`, 'no kind', ...moreKinds('trade:', 3)] : [],
  })
  return {
    take: (count) =>
      Array.from({ length: count }, () => {
        const id = `r${String(Math.floor(next() * 1e6)).padStart(6, '0')}-${issued++}`
        there.push(id)
        return row(id)
      }),
    withdraw: (count) =>
      Array.from(
        { length: Math.min(count, there.length) },
        () => there.splice(Math.floor(next() * there.length), 1)[0]!,
      ),
    change: (count) => {
      const ids = new Set(Array.from({ length: count }, () => of(there)))
      return [...ids].map(row)
    },
  }
}
