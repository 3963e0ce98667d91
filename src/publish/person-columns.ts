import type { DuckDBConnection } from '@duckdb/node-api'
import { DEAD } from '../lookup/format/birth.ts'
import { type Columns, GENERATIONS, TRAIT } from '../lookup/format/columns.ts'
import { addIdSlot, idSlots } from '../lookup/format/person-ids.ts'
import { packedBirth } from './json-sql.ts'
import { rowChunks } from './row-batches.ts'

/** Builds the columns of people, except those of names and addresses. */
export async function personColumns(
  db: DuckDBConnection,
  count: number,
  signal: AbortSignal,
): Promise<
  Pick<
    Columns,
    | 'person_id_slots'
    | 'person_birth'
    | 'person_completeness'
    | 'person_rank'
    | 'person_traits'
    | 'birth_people'
  >
> {
  const person_id_slots = idSlots(count)
  const person_birth = new Uint32Array(count)
  const person_completeness = new Uint8Array(count)
  const person_rank = new Uint32Array(count)
  const person_traits = new Uint8Array(count)
  for await (const rows of rowChunks(db, PEOPLE, signal)) {
    for (let row = 0; row < rows.count; row++) {
      const person = rows.integers(0, row)
      addIdSlot(person_id_slots, rows.text(4, row)!, person)
      person_birth[person] = rows.integers(1, row)
      person_completeness[person] = rows.integers(2, row)
      person_traits[person] = rows.integers(3, row)
      person_rank[person] = rows.integers(5, row)
    }
  }
  return {
    person_id_slots,
    person_birth,
    person_completeness,
    person_rank,
    person_traits,
    birth_people: byBirth(person_birth),
  }
}

const generations = Object.entries(GENERATIONS)
  .map(([suffix, bit]) => `when '${suffix}' then ${bit}`)
  .join(' ')

const PEOPLE = `
  with generations as (
    select person_id, bit_or(case upper(name_suffix) ${generations} else 0 end)::integer as bits
    from published.person_names where name_suffix is not null group by person_id
  )
  select
    person_no,
    ${packedBirth('people')},
    coalesce(completeness, 0),
    (coalesce(generations.bits, 0)
      + case when person_no in (select person_no from numbered_person_phones) then ${TRAIT.PHONE} else 0 end
      + case when person_no in (select person_no from numbered_person_emails) then ${TRAIT.EMAIL} else 0 end)::utinyint,
    people.person_id,
    people.person_rank
  from numbered_people as people
  left join generations using (person_id)
  order by person_no`

/** Returns the people with a known birth date, sorted by that date, then by number. */
function byBirth(births: Uint32Array): Uint32Array<ArrayBuffer> {
  // A counting sort: `next` first has the count of each birth date, then its next free position. It is faster
  // than sorting the people.
  const next = new Map<number, number>()
  for (const packed of births) {
    const birth = packed % DEAD
    if (birth > 0) next.set(birth, (next.get(birth) ?? 0) + 1)
  }
  let known = 0
  for (const birth of [...next.keys()].sort((left, right) => left - right)) {
    const count = next.get(birth)!
    next.set(birth, known)
    known += count
  }
  const people = new Uint32Array(known)
  for (const [person, packed] of births.entries()) {
    const at = next.get(packed % DEAD)
    if (at === undefined) continue
    people[at] = person
    next.set(packed % DEAD, at + 1)
  }
  return people
}
