import { expect, test } from 'vitest'
import { type UnknownKind, unknownKinds } from '../../../src/link/model/unknown-kinds.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { type Cell, given, withWarehouse } from '../../support/warehouse.ts'

const trait = (kind: string) => ({ kind, isIdentifier: false })
const identifier = (kind: string) => ({ kind, isIdentifier: true })

async function unknownOf(
  records: Record<string, Cell>[],
  attributes: { kind: string; isIdentifier: boolean }[],
): Promise<UnknownKind[]> {
  return withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', records)
    return unknownKinds(db, { attributes })
  })
}

test('numbers, traits, gender and employer that a model has not seen are told, most records first', async () => {
  const records = [
    {
      record_id: 'a',
      identifiers: ['npi:1', 'npi:2', 'malformed'],
      traits: ['birthplace:OHIO'],
      gender: 'F',
    },
    { record_id: 'b', traits: ['birthplace:IOWA', 'birthplace_state:IA'], gender: 'M', employer: 'PALMETTO' },
    { record_id: 'c', identifiers: ['fl_voter:1'], gender: 'M' },
  ]
  expect(await unknownOf(records, [identifier('npi'), trait('birthplace')])).toEqual([
    { kind: 'gender', records: 3, isLearnable: true },
    { kind: 'birthplace_state', records: 1, isLearnable: true },
    { kind: 'employer', records: 1, isLearnable: true },
    { kind: 'fl_voter', records: 1, isLearnable: true },
  ])
  expect(await unknownOf(records.slice(2), [identifier('fl_voter'), trait('gender')])).toEqual([])
})

test('of kinds that a model of fifteen has no room for it is told that training would not learn them', async () => {
  const known = Array.from({ length: 15 }, (_, at) => trait(`kind_${10 + at}`))
  const records = [{ record_id: 'a', identifiers: ['npi:1'], traits: ['shoe:9', 'kind_10:x'] }]
  expect(await unknownOf(records, known)).toEqual([
    { kind: 'npi', records: 1, isLearnable: true },
    { kind: 'shoe', records: 1, isLearnable: false },
  ])
})
