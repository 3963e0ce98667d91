import type { Database } from './database.ts'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { randomText } from './random-text.ts'
import { readRows } from './rows.ts'

const SuppressionKind = z.enum([
  'person',
  'phone',
  'email',
  'address',
  'name',
  'phone_hash',
  'email_hash',
  'name_hash',
])

const Mark = z.object({ name: z.string(), address_id: z.string(), birth_date: z.string().nullable() })

const Row = z.object({
  suppression_id: z.string(),
  kind: SuppressionKind,
  value: z.string(),
  marks: z.string().transform((json) => z.array(Mark).parse(JSON.parse(json))),
  work_item_id: z.string().nullable(),
  created_at: z.string(),
})
/** A person who must not appear in any answer. src/lookup/suppress/suppressed.ts explains the form of `value`. */
export type StoredSuppression = Readonly<z.output<typeof Row>>
export type NewSuppression = Pick<StoredSuppression, 'kind' | 'value'> &
  Partial<Pick<StoredSuppression, 'marks' | 'work_item_id'>>

// Reading one page takes about ten milliseconds, and the event loop waits that long.
const PAGE = 2_000
const COLUMNS = Object.keys(Row.shape).join(', ')

/** The list of suppressed people. Every call reads the file, so changes by other processes are visible at once. */
export class SuppressionStore {
  readonly #db: Database
  readonly #now: Clock

  constructor(db: Database, now: Clock) {
    this.#db = db
    this.#now = now
  }

  /** Returns a number that changes whenever an entry is added or removed. */
  async changeCount(): Promise<number> {
    return Number((await this.#db.get('select count from suppression_changes'))?.['count'])
  }

  /** Returns all entries, by id. Reads page by page, because a list of several hundred thousand would block the event loop. */
  async list(): Promise<StoredSuppression[]> {
    const page = `select ${COLUMNS} from suppressions where suppression_id > ? order by suppression_id limit ${PAGE}`
    const all: StoredSuppression[] = []
    for (;;) {
      const rows = await readRows(this.#db, Row, page, all.at(-1)?.suppression_id ?? '')
      all.push(...rows)
      if (rows.length < PAGE) return all
      await setImmediate()
    }
  }

  /** Adds all entries or none; existing entries stay unchanged. Returns the stored entries in the given order. */
  async add(wanted: readonly NewSuppression[]): Promise<StoredSuppression[]> {
    const at = this.#now().toISOString()
    const insert = `insert into suppressions (suppression_id, kind, value, marks, work_item_id, created_at)
       values (?, ?, ?, ?, ?, ?) on conflict do nothing`
    const find = `select ${COLUMNS} from suppressions where kind = ? and value = ? and coalesce(work_item_id, '') = ?`
    return this.#db.transaction(async () => {
      const stored: StoredSuppression[] = []
      for (const { kind, value, marks = [], work_item_id = null } of wanted) {
        const id = `sup_${randomText(22)}`
        await this.#db.run(insert, id, kind, value, JSON.stringify(marks), work_item_id, at)
        stored.push(Row.parse(await this.#db.get(find, kind, value, work_item_id ?? '')))
      }
      return stored
    })
  }

  /** Removes an entry. @throws `unknown_id` */
  async remove(suppression_id: string): Promise<void> {
    const { changes } = await this.#db.run(
      'delete from suppressions where suppression_id = ?',
      suppression_id,
    )
    if (changes === 0)
      throw new AppError(
        'unknown_id',
        `there is no suppression ${suppression_id}: \`platbook suppress list\` shows them`,
      )
  }

  /** Removes the entries of these work items (lines of opt-out lists). Returns their number. */
  async removeWorkItems(work_item_ids: readonly string[]): Promise<number> {
    return this.#db.transaction(async () => {
      let removed = 0
      for (const id of work_item_ids)
        removed += (await this.#db.run('delete from suppressions where work_item_id = ?', id)).changes
      return removed
    })
  }
}
