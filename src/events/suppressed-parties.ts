import type { Config } from '../config.ts'

/** Who is suppressed, as the parties of deeds know people. */
export interface SuppressedParties {
  readonly ids: ReadonlySet<string>
  /** Whether a party without id of this name, in this state, may be one of them. */
  readonly mayMean: (name: string, state: string) => boolean
}

interface Party {
  readonly name: string
  readonly person_id: string | null
}

interface Document {
  readonly data: {
    readonly jurisdiction: { readonly state: string }
    readonly parties: readonly Party[]
  }
}

const WITHHELD = 'Name withheld'

/**
 * An event whose parties are nobody who is suppressed: the same bytes when they were none before, else without their ids and
 * addresses, and without their names unless the operator lets them stand as part of the public record.
 */
export function withoutParties(
  document: Buffer,
  { ids, mayMean }: SuppressedParties,
  names: Config['SUPPRESSED_NAMES'],
): Buffer {
  const event = JSON.parse(document.toString()) as Document
  const { jurisdiction, parties } = event.data
  const screened = parties.map((party) => {
    const { person_id } = party
    if (person_id === null ? !mayMean(party.name, jurisdiction.state) : !ids.has(person_id)) return party
    const name = names === 'public_record' ? party.name : WITHHELD
    return { ...party, name, person_id: null, addresses: [] }
  })
  if (screened.every((party, at) => party === parties[at])) return document
  return Buffer.from(JSON.stringify({ ...event, data: { ...event.data, parties: screened } }))
}
