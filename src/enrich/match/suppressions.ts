import { normalizeAddress } from '../../normalize/address.ts'
import { normalizeEmail } from '../../normalize/email.ts'
import { parsePhone } from '../../normalize/phone.ts'
import type { PersonParts } from '../../lookup/index.ts'

/**
 * A suppression list: person ids, phones (eleven digits), e-mails and address keys. Plain data, so that threads can
 * receive it.
 */
export interface Suppressions {
  readonly people: ReadonlySet<string>
  readonly phones: ReadonlySet<string>
  readonly emails: ReadonlySet<string>
  readonly addresses: ReadonlySet<string>
}

export interface AddressText {
  readonly street?: string | undefined
  readonly city?: string | undefined
  readonly state_code?: string | undefined
  readonly zipcode?: string | undefined
}

/** Returns which clue of a row is on the list: 'person id', 'phone', 'e-mail' or 'address'; null for none. */
export function suppressedClue(
  list: Suppressions,
  clues: AddressText & {
    phones?: readonly string[] | undefined
    emails?: readonly string[] | undefined
    person_id?: string | undefined
  },
): string | null {
  if (clues.person_id !== undefined && list.people.has(clues.person_id)) return 'person id'
  if (clues.phones?.some((text) => list.phones.has(parsePhone(text)?.phone ?? ''))) return 'phone'
  if (clues.emails?.some((text) => list.emails.has(normalizeEmail(text) ?? ''))) return 'e-mail'
  return list.addresses.size > 0 && isListed(list, clues) ? 'address' : null
}

/** Returns which fact of a person is on the list; null for none. */
export function suppressedPerson(list: Suppressions, person: PersonParts): string | null {
  if (list.people.has(person.id)) return 'person id'
  if (
    list.phones.size > 0 &&
    person.phones.some(({ number }) => list.phones.has(`1${number.replace(/\D/g, '')}`))
  )
    return 'phone'
  if (list.emails.size > 0 && person.emails.some(({ email }) => list.emails.has(email))) return 'e-mail'
  if (list.addresses.size === 0) return null
  const address = person.address
  if (address === null) return null
  const { line1, city, state, zip } = address
  return isListed(list, { street: line1 ?? undefined, city: city ?? undefined, state_code: state ?? undefined, zipcode: zip ?? undefined }) ? 'address' : null // prettier-ignore
}

function isListed(list: Suppressions, { street, city, state_code, zipcode }: AddressText): boolean {
  if (street === undefined) return false
  const key = addressKey({ street, city, state_code, zipcode })
  return key !== null && list.addresses.has(key)
}

export function addressKey({ street, city, state_code, zipcode }: AddressText): string | null {
  return normalizeAddress({
    line_1: street ?? null,
    city: city ?? null,
    state: state_code ?? null,
    zip: zipcode ?? null,
  }).address_key
}
