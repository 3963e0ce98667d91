import { expect, test } from 'vitest'
import { withoutParties } from '../../src/events/suppressed-parties.ts'

const PARTIES = [
  { name: 'Jane Sample', person_id: 'P1', addresses: ['1 Elm St'] },
  { name: 'John Sample', person_id: 'P2', addresses: ['1 Elm St'] },
  { name: 'Jane Sample', person_id: null, addresses: ['2 Oak Ave'] },
  { name: 'Palmetto Holdings LLC', person_id: null, addresses: [] },
]
const EVENT = { id: 'e1', data: { jurisdiction: { state: 'FL' }, parties: PARTIES } }
const DOCUMENT = Buffer.from(JSON.stringify(EVENT))

function screened(ids: string[], names: 'withheld' | 'public_record') {
  const mayMean = (name: string, state: string): boolean =>
    ids.length > 0 && name === 'Jane Sample' && state === 'FL'
  return withoutParties(DOCUMENT, { ids: new Set(ids), mayMean }, names)
}

test('an event loses ids, addresses and names of its suppressed parties, known by id or by name', () => {
  const { data } = JSON.parse(screened(['P1'], 'withheld').toString()) as typeof EVENT
  const withheld = { name: 'Name withheld', person_id: null, addresses: [] }
  expect(data.parties).toEqual([withheld, PARTIES[1], withheld, PARTIES[3]])
})

test('names stay where the operator keeps them as part of the public record', () => {
  const { data } = JSON.parse(screened(['P1'], 'public_record').toString()) as typeof EVENT
  const nameOnly = { name: 'Jane Sample', person_id: null, addresses: [] }
  expect(data.parties).toEqual([nameOnly, PARTIES[1], nameOnly, PARTIES[3]])
})

test('an event without suppressed parties is the same document', () => {
  expect(screened([], 'withheld')).toBe(DOCUMENT)
})
