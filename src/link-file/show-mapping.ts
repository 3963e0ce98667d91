import { basename } from 'node:path'
import type { PeopleFile } from './load-files.ts'
import type { Proposal } from './propose-columns.ts'

/** Returns the columns of a file as table rows: file, column, field, reason. */
export function mappingRows({ path, proposal }: PeopleFile): string[][] {
  const rows = [
    ...proposal.used.map((one) => [one.column, readAs(one, proposal), one.why] as const),
    ...proposal.unused.map(({ column, why }) => [column, 'not used', why] as const),
  ]
  return rows.toSorted(([a], [b]) => a - b).map(([column, as, why]) => [basename(path), proposal.header[column]!, as, why]) // prettier-ignore
}

/** Returns the columns of a file as lines for the terminal. */
export function mappingLines(file: PeopleFile): string[] {
  const rows = mappingRows(file)
  const width = Math.min(30, Math.max(6, ...rows.map(([, name]) => name!.length)))
  return rows.map(([, name, as, why]) => `  ${name!.padEnd(width)}  → ${as!.padEnd(14)}  (${why})`)
}

const ORDERS = { given_first: 'given name first', surname_first: 'surname first', unknown: 'either order' }

function readAs({ field, kind, place, ordinal }: Proposal['used'][number], proposal: Proposal): string {
  if (field === 'identifier' || field === 'trait') return `${field} ${kind}`
  if (field === 'name') return `${field}, ${ORDERS[proposal.nameOrder]}`
  if (field === 'birth_date' && proposal.isDayFirst) return `${field}, day first`
  const whose = place === 'plain' ? '' : ` (${place})`
  return `${field}${whose}${ordinal > 1 ? ` ${ordinal}` : ''}`
}
