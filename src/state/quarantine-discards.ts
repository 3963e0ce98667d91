import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { insertRow, readRows } from './rows.ts'
import { inTransaction } from './transaction.ts'

const Row = z.object({
  discard_id: z.int(),
  source_id: z.string(),
  kind: z.string(),
  sha256: z.string(),
  member: z.string().transform((member) => (member === '' ? null : member)),
  file_name: z.string(),
  line_numbers: z.string().transform((json) => z.array(z.int()).parse(JSON.parse(json))),
  row_count: z.int(),
  why: z.string(),
  discarded_by: z.string(),
  discarded_at: z.string(),
})
/** Quarantined lines of one file that the operator discarded. `member` is the file in an archive; null for other files. */
export type QuarantineDiscard = Readonly<z.output<typeof Row>>

/** The operator's decisions to discard quarantined lines: who, when, why and which lines. They are never deleted. */
export class QuarantineDiscards {
  readonly #db: DatabaseSync
  readonly #now: Clock

  constructor(db: DatabaseSync, now: Clock) {
    this.#db = db
    this.#now = now
  }

  all(): QuarantineDiscard[] {
    return readRows(this.#db, Row, 'select * from quarantine_discards order by discard_id')
  }

  record(discards: readonly Omit<QuarantineDiscard, 'discard_id' | 'row_count' | 'discarded_at'>[]): void {
    const discarded_at = this.#now().toISOString()
    inTransaction(this.#db, () => {
      for (const { line_numbers: lines, member, ...discard } of discards) {
        insertRow(this.#db, 'quarantine_discards', {
          ...discard,
          member: member ?? '',
          line_numbers: JSON.stringify(lines),
          row_count: lines.length,
          discarded_at,
        })
      }
    })
  }
}
