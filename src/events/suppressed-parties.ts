import type { Config } from '../config.ts'

interface Party {
  readonly name: string
  readonly person_id: string | null
}

interface Document {
  readonly data: { readonly parties: readonly Party[] }
}

const WITHHELD = 'Name withheld'
const PERSON_ID = /"person_id":"(P[0-9A-Za-z]{10})"/g

/**
 * An event whose parties are none of the people of `ids`: the same bytes when they were none before, else without their ids
 * and addresses, and without their names unless the operator lets them stand as part of the public record.
 */
export function withoutParties(
  document: Buffer,
  ids: ReadonlySet<string>,
  names: Config['SUPPRESSED_NAMES'],
): Buffer {
  const text = document.toString()
  const parties = Array.from(text.matchAll(PERSON_ID), ([, id]) => id!)
  if (!parties.some((id) => ids.has(id))) return document
  const event = JSON.parse(text) as Document
  const screened = event.data.parties.map((party) => {
    if (party.person_id === null || !ids.has(party.person_id)) return party
    const name = names === 'public_record' ? party.name : WITHHELD
    return { ...party, name, person_id: null, addresses: [] }
  })
  return Buffer.from(JSON.stringify({ ...event, data: { ...event.data, parties: screened } }))
}
