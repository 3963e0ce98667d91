import { nationalFormat, type UnresolvedOwner } from '../format/phone-document.ts'

/**
 * Returns the record of a phone's owner without a person id: `id` is null, and no list is shortened. Without
 * `result` the record has the form of API version 1.
 */
export function unresolvedRecord(
  { name, score, type }: UnresolvedOwner,
  phone: string,
  result: { readonly match_score: number; readonly matched_by: readonly string[] } | null,
): string {
  return JSON.stringify({
    id: null,
    name,
    aliases: [],
    is_dead: false,
    ...(result === null ? {} : { age: null }),
    date_of_birth: null,
    linkedin_url: null,
    company_name: null,
    job_title: null,
    ...result,
    phones: [{ number: nationalFormat(phone), type, score }],
    emails: [],
    current_addresses: [],
    historic_addresses: [],
    owned_properties: [],
    relatives: [],
    ...(result === null ? {} : { result_metadata: ONE_PHONE }),
  })
}

const NOTHING = { displayed: 0, additional: 0 }
const ONE_PHONE = {
  details_url: null,
  phones: { displayed: 1, additional: 0 },
  emails: NOTHING,
  historic_addresses: NOTHING,
  owned_properties: NOTHING,
}
