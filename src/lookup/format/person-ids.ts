import type { Columns } from './columns.ts'
import { fnvOfText } from '../../hash.ts'

// A hash table that gives the number of a person by id. A slot has two numbers: the hash of the id, and the
// person number + 1, which is 0 in a free slot. Two thirds of the slots are used when all people are in it.

/** Returns an empty table for `count` people. */
export function idSlots(count: number): Uint32Array<ArrayBuffer> {
  return new Uint32Array(2 * Math.ceil(count * 1.5))
}

/** Adds a person. Every id may be added once. */
export function addIdSlot(slots: Uint32Array, id: string, person: number): void {
  const hash = hashOf(id)
  let slot = firstSlot(slots, hash)
  while (slots[slot + 1] !== 0) slot = nextSlot(slots, slot)
  slots[slot] = hash
  slots[slot + 1] = person + 1
}

/**
 * Returns the only person who can have the id; −1 when no person can. Two ids may have one hash, so the caller
 * must compare the id in the person's document. This is faster than a search of the B-tree of ids. Ids that
 * were merged into another id are not in the table.
 */
export function personOfId({ person_id_slots: slots }: Pick<Columns, 'person_id_slots'>, id: string): number {
  if (slots.length === 0) return -1
  const hash = hashOf(id)
  for (let slot = firstSlot(slots, hash); ; slot = nextSlot(slots, slot)) {
    const person = slots[slot + 1]! - 1
    if (person < 0 || slots[slot] === hash) return person
  }
}

function firstSlot(slots: Uint32Array, hash: number): number {
  return 2 * (hash % (slots.length >>> 1))
}

function nextSlot(slots: Uint32Array, slot: number): number {
  return slot + 2 === slots.length ? 0 : slot + 2
}

// Ids of some data sets are consecutive numbers, so the hash is mixed once more.
function hashOf(id: string): number {
  const hash = fnvOfText(id)
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
}
