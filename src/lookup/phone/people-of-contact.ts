import { emailPeople, phoneNumber, phonePeople, type PhonePerson } from '../format/phone-document.ts'
import { rankOfPerson, type Shard, type Snapshot } from '../snapshot/snapshot.ts'

// A phone or e-mail address is in each shard that has one of its people. People are returned by number in the
// snapshot.

/** Returns the people of a phone of eleven digits, best first, including suppressed people. */
export function peopleOfPhone(snapshot: Snapshot, phone: string): PhonePerson[] {
  return ofAllShards(snapshot, ({ index: { columns } }) => {
    const number = phoneNumber(columns, phone)
    return number < 0 ? [] : phonePeople(columns, number)
  })
}

/** Returns the people of a normalised e-mail address, best first, including suppressed people. */
export function peopleOfEmail(snapshot: Snapshot, email: string): PhonePerson[] {
  return ofAllShards(snapshot, ({ index: { store } }) => emailPeople(store, email))
}

function ofAllShards(snapshot: Snapshot, peopleIn: (shard: Shard) => PhonePerson[]): PhonePerson[] {
  const { shards } = snapshot
  if (shards.length === 1) return peopleIn(shards[0]!)
  return shards
    .flatMap((shard) =>
      peopleIn(shard).map(({ person, score }) => ({ person: shard.firstPerson + person, score })),
    )
    .sort((a, b) => b.score - a.score || rankOfPerson(snapshot, a.person) - rankOfPerson(snapshot, b.person))
}
