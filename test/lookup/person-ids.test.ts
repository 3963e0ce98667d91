import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { addIdSlot, idSlots, personOfId } from '../../src/lookup/format/person-ids.ts'

const id = fc.stringMatching(/^P[0-9A-Za-z]{10}$/)

test('everybody is found by id, and for an id of nobody hardly anybody', () => {
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 2, maxLength: 300 }), (all) => {
      const [nobody, ...ids] = all
      const slots = idSlots(ids.length)
      for (const [person, each] of ids.entries()) addIdSlot(slots, each, person)
      const columns = { person_id_slots: slots }
      expect(ids.map((each) => personOfId(columns, each))).toEqual(ids.map((_, person) => person))
      expect(personOfId(columns, nobody!)).toBe(-1)
    }),
    { numRuns: 50 },
  )
})

test('of two ids with one hash one is found, and the document has to tell', () => {
  const slots = idSlots(2)
  addIdSlot(slots, 'P0000000001', 0)
  addIdSlot(slots, 'P0000000001', 1)
  expect(personOfId({ person_id_slots: slots }, 'P0000000001')).toBe(0)
})

test('in a snapshot of nobody nobody is found', () => {
  expect(personOfId({ person_id_slots: idSlots(0) }, 'P0000000001')).toBe(-1)
})
