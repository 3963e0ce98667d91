import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { readRows } from './rows.ts'
import { inTransaction } from './transaction.ts'

const Row = z.object({
  source_id: z.string(),
  sha256: z.string(),
  member: z.string().transform((member) => (member === '' ? null : member)),
  file_name: z.string(),
  decision: z.enum(['accept', 'accept_always', 'reject']),
  decided_at: z.string(),
})
/** A decision about a file that looked suspicious or failed to load. `member` is the file in an archive; null for other files. */
export type SourceDecision = Readonly<z.output<typeof Row>>

/** The operator's decisions about source files. Each file has one decision; a later decision replaces it. */
export class SourceDecisions {
  readonly #db: DatabaseSync
  readonly #now: Clock

  constructor(db: DatabaseSync, now: Clock) {
    this.#db = db
    this.#now = now
  }

  all(): SourceDecision[] {
    const order = 'decided_at, source_id, sha256, member'
    return readRows(this.#db, Row, `select * from source_decisions order by ${order}`)
  }

  record(decisions: readonly Omit<SourceDecision, 'decided_at'>[]): void {
    const at = this.#now().toISOString()
    const insert = this.#db.prepare('insert or replace into source_decisions values (?, ?, ?, ?, ?, ?)')
    inTransaction(this.#db, () => {
      for (const { source_id, sha256, member, file_name, decision } of decisions) {
        insert.run(source_id, sha256, member ?? '', file_name, decision, at)
      }
    })
  }
}
