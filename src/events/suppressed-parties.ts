import type { Config } from '../config.ts'

/** The suppressed people, by the ids and names of parties. */
export interface SuppressedParties {
  readonly ids: ReadonlySet<string>
  /** Returns whether a party without id, with this name in this state, may be a suppressed person. */
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
 * Removes suppressed people from the parties of an event: their ids and addresses, and their names unless `names` is
 * `public_record`. Returns the same buffer when no party is suppressed.
 */
export function withoutParties(
  document: Buffer,
  { ids, mayMean }: SuppressedParties,
  names: Config['SUPPRESSED_NAMES'],
): Buffer {
  const event = JSON.parse(document.toString()) as Document
  const { jurisdiction, parties } = event.data
  const shown = parties.map((party) => {
    const { person_id } = party
    if (person_id === null ? !mayMean(party.name, jurisdiction.state) : !ids.has(person_id)) return party
    const name = names === 'public_record' ? party.name : WITHHELD
    return { ...party, name, person_id: null, addresses: [] }
  })
  if (shown.every((party, at) => party === parties[at])) return document
  return Buffer.from(JSON.stringify({ ...event, data: { ...event.data, parties: shown } }))
}
