import { type Field, fieldColumns } from './fields.ts'

const BASE = [
  'match_status',
  'match_probability',
  'matched_by',
  'reason',
  'person_id',
  'person_name',
  'property_id',
] as const

/** Returns the names of the columns that a run adds to each row, in their order. */
export function addedColumns(
  fields: readonly Field[],
  prefix: string,
  top: number,
  dedupe: boolean,
): string[] {
  const rank = top > 1 ? ['match_rank'] : []
  return [...BASE, ...rank, ...fieldColumns(fields), ...(dedupe ? ['duplicate_of'] : [])].map(
    (name) => prefix + name,
  )
}

/** Returns whether an added column holds numbers, which keep their type in Parquet and Arrow. */
export function isNumeric(column: string): boolean {
  return /(?:_score|_probability|_count|_age|_sqft|_bedrooms|_bathrooms|_value|_amount|_year_built|_rank|_duplicate_of)$/.test(
    column,
  )
}
