import { dataTable } from '../data-tables.ts'

/** The kind of line of all numbers in the 555 exchange of an area code. In reality a number tells no kind of line. */
export type LineType = 'mobile' | 'landline' | 'voip' | 'tollfree'

export interface AreaCode {
  readonly code: string
  readonly state: string
  readonly line: LineType
}

/** Real area codes. A world stores a phone number as a row of this list and the last four digits. */
export const AREA_CODES: readonly AreaCode[] = dataTable('worlds/area-codes.csv').map(
  ({ code = '', state = '', line }) => ({ code, state, line: line as LineType }),
)
