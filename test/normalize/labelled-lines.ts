import { readFileSync } from 'node:fs'
import type { Address } from '../../src/normalize/address.ts'
import { parseName } from '../../src/normalize/name.ts'
import type { NameOrder, ParsedName } from '../../src/normalize/name.ts'

/** One line of test/fixtures/normalize: a text and what it should be read as, in one notation. */
export interface LabelledLine {
  section: string
  text: string
  expected: string
  /** Read otherwise today; why is in src/normalize/README.md. */
  isKnownLimit: boolean
}

const FOLDER = new URL('../fixtures/normalize/', import.meta.url)

/** The lines of a file below its heading; '## ' starts a section, '~ ' marks a known limit. */
export function readLabelledLines(file: string): LabelledLine[] {
  let section = ''
  const lines: LabelledLine[] = []
  for (const line of readFileSync(new URL(file, FOLDER), 'utf8').split('\n').slice(1)) {
    if (line.startsWith('## ')) section = line.slice(3)
    const at = line.indexOf(' => ')
    if (at < 0) continue
    const isKnownLimit = line.startsWith('~ ')
    lines.push({
      section,
      text: line.slice(isKnownLimit ? 2 : 0, at),
      expected: line.slice(at + 4),
      isKnownLimit,
    })
  }
  return lines
}

/** number|pre|name|suffix|post|building, unit|box|cross street|city|state|zip, without empty fields at the end. */
export function addressNotation(address: Address): string {
  const unit = [address.unit_type, address.unit_number].filter((part) => part !== null).join(' ')
  const { house_number, pre_directional, street_name, street_suffix, post_directional } = address
  return [
    house_number,
    pre_directional,
    street_name,
    street_suffix,
    post_directional,
    [address.building, unit].filter((part) => part !== null && part !== '').join(', '),
    address.po_box,
    address.cross_street,
    address.city,
    address.state,
    address.zip,
  ]
    .map((part) => part ?? '')
    .join('|')
    .replace(/\|+$/, '')
}

const ORDERS: Record<string, NameOrder> = { s: 'surname_first', g: 'given_first', u: 'unknown' }

/** What 's', 'g' and 'u' before a name stand for. */
export function orderOf(text: string): NameOrder {
  return ORDERS[text[0]!]!
}

/** 's MERCER DANA' read in its order: first/middle/last/suffix + the next person; kind and roles. */
export function nameNotation(text: string): string {
  const found = parseName(text.slice(2), orderOf(text))
  const people = found.people.map(({ first, middle, last, suffix }) =>
    [first, middle, last, suffix].map((part) => part ?? '').join('/'),
  )
  const roles = rolesOf(found)
  return people.join(' + ') + (roles === '' ? '' : `; ${roles}`)
}

function rolesOf(found: ParsedName): string {
  return [
    found.kind === 'individual' ? '' : found.kind,
    found.has_et_al ? 'et_al' : '',
    found.is_trustee ? 'trustee' : '',
    found.is_life_estate ? 'life_estate' : '',
    found.care_of === null ? '' : `care_of=${found.care_of}`,
  ]
    .filter((word) => word !== '')
    .join(' ')
}
