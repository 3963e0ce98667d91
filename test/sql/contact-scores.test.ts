import type { DuckDBConnection } from '@duckdb/node-api'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMacros } from '../../src/warehouse/models.ts'
import { contact, voter, withPublished } from '../support/staged-world.ts'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'

/** What is known of a number of a person. */
interface Known {
  readonly days: number | null
  readonly weight: number
  readonly sources: number
  readonly people: number
  readonly isPast: boolean
}

const known = fc.record({
  days: fc.option(fc.integer({ min: 0, max: 20_000 })),
  weight: fc.double({ min: 0, max: 1, noNaN: true }),
  sources: fc.integer({ min: 1, max: 9 }),
  people: fc.integer({ min: 1, max: 50_000 }),
  isPast: fc.boolean(),
})

async function scoreOf(
  db: DuckDBConnection,
  { days, weight, sources, people, isPast }: Known,
): Promise<number> {
  const seen = days === null ? 'null::date' : `date '2026-01-05' - ${days}`
  const rows = await rowsOf(
    db,
    `select contact_score(date '2026-01-05', ${seen}, ${weight}::double, ${sources}, ${people}, ${isPast})::double as score`,
  )
  return rows[0]!['score'] as number
}

describe('the score of a telephone or an e-mail address', () => {
  test.each<[string, (one: Known, by: number) => Known]>([
    ['is no higher when it was seen longer ago', (one, by) => ({ ...one, days: one.days === null ? null : one.days + by })],
    ['is no higher when nobody says when', (one) => ({ ...one, days: null })],
    ['is no higher from a source of less weight', (one, by) => ({ ...one, weight: one.weight / (1 + by) })],
    ['is no higher with fewer sources', (one, by) => ({ ...one, sources: Math.max(1, one.sources - by) })],
    ['is no higher with more people who have it', (one, by) => ({ ...one, people: one.people + by })],
    ['is no higher when only superseded rows say so', (one) => ({ ...one, isPast: true })],
  ])('%s, whatever else is known', async (_, worsened) => {
    await withWarehouse(async (db) => {
      await createMacros(db)
      await fc.assert(
        fc.asyncProperty(known, fc.nat({ max: 3000 }), async (one, by) => {
          const [score, lower] = [await scoreOf(db, one), await scoreOf(db, worsened(one, by))]
          expect(score).toBeGreaterThanOrEqual(0)
          expect(score).toBeLessThanOrEqual(100)
          expect(lower).toBeLessThanOrEqual(score + 1e-9)
        }),
      )
    })
  }) // prettier-ignore

  test('is 100 for a number that three sources of full weight gave today to one person alone', async () => {
    await withWarehouse(async (db) => {
      await createMacros(db)
      expect(await scoreOf(db, { days: 0, weight: 1, sources: 3, people: 1, isPast: false })).toBe(100)
    })
  })
})

interface Mention {
  readonly person_id: string
  readonly value: string
  readonly day: number
  readonly source_id: string
  readonly weight: number
  readonly is_past: boolean
}

// Computes the scores of sql/decisions/002-people-and-contacts.md a second time, from the mentions.
function scoresOf(mentions: readonly Mention[]): Record<string, number> {
  const newest = Math.max(...mentions.map(({ day }) => day))
  const keys = [...new Set(mentions.map(({ person_id, value }) => `${person_id} ${value}`))]
  return Object.fromEntries(
    keys.map((key) => {
      const own = mentions.filter(({ person_id, value }) => `${person_id} ${value}` === key)
      const holders = new Set(mentions.filter(({ value }) => value === own[0]!.value).map(({ person_id }) => person_id)) // prettier-ignore
      const age = newest - Math.max(...own.map(({ day }) => day))
      const weight = Math.max(...own.map((one) => (one.is_past ? one.weight / 2 : one.weight)))
      const sources = new Set(own.map(({ source_id }) => source_id)).size
      const sum =
        35 * 0.5 ** (age / 1096) + 30 * weight + 5 * Math.min(3, sources) + 20 / Math.sqrt(holders.size)
      return [key, Math.round(own.every(({ is_past }) => is_past) ? sum / 2 : sum)]
    }),
  )
}

const phone = (i: number): string => `954555${String(100 + (i % 5)).padStart(4, '0')}`

test('published scores of phones and e-mails are those that the decision record derives from the mentions', async () => {
  const people = Array.from({ length: 12 }, (_, i) => ({
    last_name: ['Abernathy', 'Quimby', 'Fairweather'][i % 3]!,
    first_name: ['Jane', 'Peter', 'Carol', 'Walter'][i % 4]!,
    birth_date: `19${50 + i}-03-04`,
    line_1: `${i + 1} Elm St`,
  }))
  const rows = people.flatMap((person, i) => [
    voter(`${i}`, { ...person, phone: phone(i), observed_on: `2025-0${1 + (i % 9)}-01` }),
    contact(`a${i}`, { ...person, phone: phone(i), email: `home${i % 4}@example.com`, observed_on: `20${10 + i}-05-01` }),
    contact(`b${i}`, { ...person, phone: phone(i + 1), email: `own${i}@example.com`, observed_on: '2022-05-01' }),
  ]) // prettier-ignore
  const past = people.map((person, i) => ({ ...voter(`${i}`, { ...person, phone: phone(i + 2) }), as_of_on: '2024-10-01', observed_on: '2024-10-01' })) // prettier-ignore
  const tables = { 'staging.person_mentions': rows, 'staging.past_person_mentions': past }
  await withPublished(tables, async (db) => {
    for (const [table, column] of [
      ['published.person_phones', 'phone'],
      ['published.person_emails', 'email'],
    ]) {
      const mentions = await rowsOf(
        db,
        `select person_id, ${column} as value, (observed_on - date '2000-01-01')::integer as day, source_id,
           source_weight::double as weight, is_past
         from normal.person_mentions inner join link.person_mentions using (mention_key) where ${column} is not null`,
      )
      const published = await rowsOf(db, `select person_id || ' ' || ${column} as key, score from ${table}`)
      expect(published.length).toBeGreaterThan(12)
      expect(Object.fromEntries(published.map(({ key, score }) => [key, score]))).toEqual(
        scoresOf(mentions as unknown as Mention[]),
      )
    }
  })
})
