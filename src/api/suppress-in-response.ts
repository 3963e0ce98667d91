import type { AnsweredRow } from '../enrich/jobs/answer-rows.ts'
import { NO_SUCH_ID, NOBODY_FOUND } from '../enrich/match/match-row.ts'
import type { Lookup } from '../lookup/index.ts'
import { mayMeanSuppressed } from '../lookup/format/suppressed-names.ts'

const OWNER = /^owner_\d+_id$/

/** Removes people who were suppressed since from the stored response of an enrichment. */
export function suppressInResponse(lookup: Lookup, body: string): string {
  const { suppressed } = lookup
  if (suppressed === null) return body
  const response = JSON.parse(body) as { results?: AnsweredRow[] }
  if (response.results === undefined) return body
  const results = response.results.map((row): AnsweredRow => {
    const { person_id, data } = row
    if (person_id !== null && lookup.mayBeSuppressed(person_id))
      return {
        ...row,
        match_status: 'no_match',
        match_probability: null,
        matched_by: [],
        reason: row.matched_by.includes('id') ? NO_SUCH_ID : NOBODY_FOUND,
        person_id: null,
        person_name: null,
        property_id: null,
        duplicate_of: null,
        data: null,
      }
    if (data === null) return row
    const kept = { ...data }
    for (const column of Object.keys(data).filter((name) => OWNER.test(name))) {
      const nameColumn = column.replace(/_id$/, '_name')
      const [id, name] = [data[column], data[nameColumn]]
      const isOut = typeof id === 'string' ? lookup.mayBeSuppressed(id) : typeof name === 'string' && mayMeanSuppressed(suppressed.names, name, null) // prettier-ignore
      if (isOut) kept[column] = kept[nameColumn] = null
    }
    return { ...row, data: kept }
  })
  return JSON.stringify({ ...response, results })
}
