import type { Columns } from '../format/columns.ts'
import { Output } from '../format/output.ts'
import { PropertyWriter } from '../format/property-writer.ts'
import { shardOf } from '../format/shards.ts'
import { numberOfId } from '../format/store.ts'
import type { Suppressed } from '../format/suppressed.ts'
import { closeIndex, type Index, openIndex } from './snapshot-index.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

/**
 * One part of a snapshot: some of the people and properties, with a copy of every address that they need.
 * Numbers of people, properties, addresses, words and phones belong to one shard.
 */
export interface Shard {
  readonly index: Index
  readonly workspace: Workspace
  /** The number, in the snapshot, of the first person of this shard. */
  readonly firstPerson: number
  /**
   * By person number of this shard, guests included: 1 for people whom no answer may contain. Null when there
   * are none in the snapshot.
   */
  hidden: Uint8Array | null
}

/**
 * One open snapshot, from which answers are made. People have a number in the snapshot, which is the number of
 * the first person of their shard plus their number in it.
 */
export interface Snapshot {
  readonly shards: readonly Shard[]
  readonly personCount: number
  /** The bytes of the current answer. */
  readonly out: Output
  /** Rebuilds the document of a property from which suppressed people are removed. */
  readonly propertyWriter: PropertyWriter
  /** The people whom no answer may contain; null when there are none. `suppress` sets it. */
  suppressed: Suppressed | null
}

/** Opens the shards in these folders. Another thread may have read `columns`. */
export function openSnapshot(folders: readonly string[], columns: readonly Columns[]): Snapshot {
  const shards: Shard[] = []
  let firstPerson = 0
  try {
    for (const [at, folder] of folders.entries()) {
      const index = openIndex(folder, columns[at]!)
      shards.push({ index, workspace: createWorkspace(index), firstPerson, hidden: null })
      firstPerson += index.personCount
    }
  } catch (error) {
    for (const { index } of shards) closeIndex(index)
    throw error
  }
  return {
    shards,
    personCount: firstPerson,
    out: new Output(),
    propertyWriter: new PropertyWriter(),
    suppressed: null,
  }
}

/** Suppresses the people of `suppressed` from now on, and nobody else. */
export function suppress(snapshot: Snapshot, suppressed: Suppressed | null): void {
  snapshot.suppressed = suppressed
  for (const shard of snapshot.shards) shard.hidden = suppressed === null ? null : hiddenOf(shard, suppressed)
}

function hiddenOf({ index, firstPerson }: Shard, { people, ids }: Suppressed): Uint8Array {
  const { guests, personCount } = index
  const own = people.subarray(firstPerson, firstPerson + personCount)
  if (guests.size === 0) return own
  const hidden = new Uint8Array(personCount + guests.size)
  hidden.set(own)
  for (const id of ids) {
    const guest = guests.find(id)
    if (guest >= 0) hidden[personCount + guest] = 1
  }
  return hidden
}

/** Returns the shard of a person's number in the snapshot. */
export function shardOfPerson({ shards }: Snapshot, person: number): Shard {
  let at = shards.length - 1
  while (at > 0 && shards[at]!.firstPerson > person) at--
  return shards[at]!
}

/** Returns the position of a person when all people are sorted by completeness, then by id. */
export function rankOfPerson(snapshot: Snapshot, person: number): number {
  const { index, firstPerson } = shardOfPerson(snapshot, person)
  return index.columns.person_rank[person - firstPerson]!
}

/** Returns the shard in which the person, property, address or phone with this id is at home. */
export function homeOf({ shards }: Snapshot, id: string): Shard {
  return shards[shardOf(id, shards.length)]!
}

/**
 * Returns the number in the snapshot of a person by id; null for an unknown id. An id that was merged away is
 * found in the shard of the person who remains.
 */
export function numberOfPerson(snapshot: Snapshot, id: string): number | null {
  const home = homeOf(snapshot, id)
  for (const shard of [home, ...snapshot.shards.filter((other) => other !== home)]) {
    const person = numberOfId(shard.index.store, id)
    if (person !== null) return shard.firstPerson + person
  }
  return null
}

/** Returns the number in the snapshot of an owner or resident of a property of the shard. */
export function numberOfOccupant(
  snapshot: Snapshot,
  { index, firstPerson }: Shard,
  occupant: number,
): number {
  if (occupant < index.personCount) return firstPerson + occupant
  return numberOfPerson(snapshot, index.guests.text(occupant - index.personCount))!
}

/** Returns the numbers in the shard of those people, given by number in the snapshot, who are in the shard. */
export function peopleIn({ firstPerson, index: { personCount } }: Shard, people: Iterable<number>): number[] {
  const own: number[] = []
  for (const person of people)
    if (person >= firstPerson && person < firstPerson + personCount) own.push(person - firstPerson)
  return own
}
