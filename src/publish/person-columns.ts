import type { DuckDBConnection } from '@duckdb/node-api'
import { DEAD } from '../lookup/format/birth.ts'
import { type Columns, GENERATIONS, TRAIT } from '../lookup/format/columns.ts'
import { addIdSlot, idSlots } from '../lookup/format/person-ids.ts'
import { packedBirth } from './json-sql.ts'
import { readLists, rowChunks } from './row-batches.ts'

/** Builds the columns of people, except those of names and addresses. */
export async function personColumns(
  db: DuckDBConnection,
  count: number,
  signal: AbortSignal,
): Promise<Partial<Columns>> {
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
  const birth_people = (await readLists(db, BORN, 1, signal)).items
  return { person_id_slots, person_birth, person_completeness, person_rank, person_traits, birth_people }
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

const BORN = `
  select 0, person_no
  from (select person_no, ${packedBirth('people')} % ${DEAD} as birth from numbered_people as people)
  where birth > 0
  order by birth, person_no`
