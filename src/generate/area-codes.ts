import { dataTable } from '../data-tables.ts'

/** What carries the 555 exchange of an area code in the generated world. */
export type LineType = 'mobile' | 'landline' | 'voip' | 'tollfree'

export interface AreaCode {
  readonly code: string
  readonly state: string
  readonly line: LineType
}

/** Real area codes; a number's row in this list and its last four digits are how the world holds it. */
export const AREA_CODES: readonly AreaCode[] = dataTable('worlds/area-codes.csv').map(
  ({ code = '', state = '', line }) => ({ code, state, line: line as LineType }),
)
