import type { Columns } from './columns.ts'
import { FNV_START, fnvWith } from '../../fnv.ts'

// Pairs (hash of an id, person number + 1) by hash, in the next free slot where it is taken; 0 is free. Two thirds are taken.

export function idSlots(count: number): Uint32Array<ArrayBuffer> {
  return new Uint32Array(2 * Math.ceil(count * 1.5))
}

export function addIdSlot(slots: Uint32Array, id: string, person: number): void {
  const hash = hashOf(id)
  let slot = firstSlot(slots, hash)
  while (slots[slot + 1] !== 0) slot = nextSlot(slots, slot)
  slots[slot] = hash
  slots[slot + 1] = person + 1
}

/**
 * The only person who may have the id; −1 when nobody does. Whether it is theirs their document tells, which is read anyway:
 * so an id costs no search of a tree. Ids that were merged away are not found here.
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

// Mixed once more: ids are figures one behind the other in some worlds.
function hashOf(id: string): number {
  let hash = FNV_START
  for (let i = 0; i < id.length; i++) hash = fnvWith(hash, id.charCodeAt(i))
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
}
