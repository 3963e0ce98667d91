import { normalizeAddress } from '../address.ts'
import { normalizeEmail } from '../email.ts'
import { parseName } from '../name.ts'
import { nicknameClass } from '../nicknames.ts'
import { parsePhone } from '../phone.ts'
import { phoneticKey } from '../phonetic.ts'

const FIELD = '\u001f'
const GROUP = '\u001e'

/** Returns the normalised form of a text as one text: fields separated by `FIELD`, groups of fields by `GROUP`. */
export type Normalizer = (text: string) => string

/** Factories of the normalisers. A normaliser caches results, so each thread makes one per name and reuses it. */
export const NORMALIZERS = {
  names: nameNormalizer,
  addresses: () => normalizedAddress,
  phones: () => normalizedPhone,
  emails: () => (text) => normalizeEmail(text) ?? '',
} as const satisfies Record<string, () => Normalizer>

export type NormalizerName = keyof typeof NORMALIZERS

function nameNormalizer(): Normalizer {
  const classes = cached((first: string) => nicknameClass(first))
  const phonetics = cached((word: string) => phoneticKey(word))
  return (text) => {
    const at = text.indexOf(FIELD)
    const parsed = parseName(text.slice(at + 1), text.slice(0, at) as Parameters<typeof parseName>[1])
    let result = joined([
      parsed.kind,
      parsed.organisation,
      parsed.organisation_key,
      parsed.has_et_al ? '1' : '',
      parsed.is_trustee ? '1' : '',
      parsed.is_life_estate ? '1' : '',
      parsed.care_of,
    ])
    for (const person of parsed.people) {
      result +=
        GROUP +
        joined([
          person.first,
          person.middle,
          person.last,
          person.suffix,
          person.display,
          person.first === null ? null : classes(person.first),
          person.first === null ? null : phonetics(person.first),
          person.last === null ? null : phonetics(person.last),
        ])
    }
    return result
  }
}

function normalizedAddress(text: string): string {
  const [line_1, line_2, city, state, zip] = text.split(FIELD)
  const parsed = normalizeAddress({
    line_1: line_1 || null,
    line_2: line_2 || null,
    city: city || null,
    state: state || null,
    zip: zip || null,
  })
  return joined([
    parsed.address_key,
    parsed.building_key,
    parsed.street_key,
    parsed.kind,
    parsed.house_number,
    parsed.pre_directional,
    parsed.street_name,
    parsed.street_suffix,
    parsed.post_directional,
    parsed.building,
    parsed.unit_type,
    parsed.unit_number,
    parsed.po_box,
    parsed.city,
    parsed.state,
    parsed.zip,
    parsed.plus4,
    parsed.line1,
    parsed.full_address,
    parsed.city_display,
  ])
}

function normalizedPhone(text: string): string {
  const at = text.indexOf(FIELD)
  const parsed = parsePhone(text.slice(0, at), text.slice(at + 1) || null)
  return parsed === null ? '' : joined([parsed.phone, parsed.national_format, parsed.is_toll_free ? '1' : ''])
}

function joined(values: (string | null)[]): string {
  return values.map((value) => value ?? '').join(FIELD)
}

/** Returns a function that caches the results of `normalize` by word. Millions of names consist of far fewer words. */
function cached(normalize: (word: string) => string): (word: string) => string {
  const known = new Map<string, string>()
  return (word) => {
    const found = known.get(word)
    if (found !== undefined) return found
    const value = normalize(word)
    known.set(word, value)
    return value
  }
}
