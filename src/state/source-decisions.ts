import type { Database } from './database.ts'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { insertRows, readRows } from './rows.ts'

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
  readonly #db: Database
  readonly #now: Clock

  constructor(db: Database, now: Clock) {
    this.#db = db
    this.#now = now
  }

  async all(): Promise<SourceDecision[]> {
    const order = 'decided_at, source_id, sha256, member'
    return readRows(this.#db, Row, `select * from source_decisions order by ${order}`)
  }

  async record(decisions: readonly Omit<SourceDecision, 'decided_at'>[]): Promise<void> {
    const at = this.#now().toISOString()
    const rows = decisions.map(({ source_id, sha256, member, file_name, decision }) => [
      source_id,
      sha256,
      member ?? '',
      file_name,
      decision,
      at,
    ])
    await this.#db.transaction(() =>
      insertRows(
        this.#db,
        'source_decisions',
        ['source_id', 'sha256', 'member', 'file_name', 'decision', 'decided_at'],
        rows,
        `on conflict (source_id, sha256, member) do update
         set file_name = excluded.file_name, decision = excluded.decision, decided_at = excluded.decided_at`,
      ),
    )
  }
}
