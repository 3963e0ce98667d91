import type { Database } from './database.ts'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { insertRow, readRows } from './rows.ts'

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
  readonly #db: Database
  readonly #now: Clock

  constructor(db: Database, now: Clock) {
    this.#db = db
    this.#now = now
  }

  async all(): Promise<QuarantineDiscard[]> {
    return readRows(this.#db, Row, 'select * from quarantine_discards order by discard_id')
  }

  async record(
    discards: readonly Omit<QuarantineDiscard, 'discard_id' | 'row_count' | 'discarded_at'>[],
  ): Promise<void> {
    const discarded_at = this.#now().toISOString()
    await this.#db.transaction(async () => {
      for (const { line_numbers: lines, member, ...discard } of discards) {
        await insertRow(this.#db, 'quarantine_discards', {
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
