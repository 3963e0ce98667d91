import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { randomText } from './random-text.ts'
import { inTransaction } from './transaction.ts'

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
/** Somebody who must not come out of any answer. What `value` holds says src/lookup/suppress/suppressed.ts. */
export type StoredSuppression = Readonly<z.output<typeof Row>>
export type NewSuppression = Pick<StoredSuppression, 'kind' | 'value'> &
  Partial<Pick<StoredSuppression, 'marks' | 'work_item_id'>>

// About ten milliseconds of reading.
const PAGE = 2_000
const COLUMNS = Object.keys(Row.shape).join(', ')

/** The list of who is suppressed. Every call reads the file: another process's change is seen at once. */
export class SuppressionStore {
  readonly #db: DatabaseSync
  readonly #now: Clock
  readonly #changes: StatementSync

  constructor(db: DatabaseSync, now: Clock) {
    this.#db = db
    this.#now = now
    this.#changes = db.prepare('select count from suppression_changes')
  }

  /** Another number once anything was added or removed. */
  changeCount(): number {
    return Number(this.#changes.get()?.['count'])
  }

  /** Everybody, by id; lists have hundreds of thousands, which are read some at a time beside other work. */
  async list(): Promise<StoredSuppression[]> {
    const page = this.#db.prepare(
      `select ${COLUMNS} from suppressions where suppression_id > ? order by suppression_id limit ${PAGE}`,
    )
    const all: StoredSuppression[] = []
    for (;;) {
      const rows = page.all(all.at(-1)?.suppression_id ?? '').map((row) => Row.parse(row))
      all.push(...rows)
      if (rows.length < PAGE) return all
      await setImmediate()
    }
  }

  /** Adds all or none of them; who is there already stays as they are. Gives them as they stand, in the order given. */
  add(wanted: readonly NewSuppression[]): StoredSuppression[] {
    const at = this.#now().toISOString()
    const insert = this.#db.prepare(
      `insert into suppressions (suppression_id, kind, value, marks, work_item_id, created_at)
       values (?, ?, ?, ?, ?, ?) on conflict do nothing`,
    )
    const find = this.#db.prepare(
      `select ${COLUMNS} from suppressions where kind = ? and value = ? and coalesce(work_item_id, '') = ?`,
    )
    return inTransaction(this.#db, () =>
      wanted.map(({ kind, value, marks = [], work_item_id = null }) => {
        insert.run(`sup_${randomText(22)}`, kind, value, JSON.stringify(marks), work_item_id, at)
        return Row.parse(find.get(kind, value, work_item_id ?? ''))
      }),
    )
  }

  /** @throws `unknown_id` when there is none of this id. */
  remove(suppression_id: string): void {
    const { changes } = this.#db
      .prepare('delete from suppressions where suppression_id = ?')
      .run(suppression_id)
    if (changes === 0)
      throw new AppError(
        'unknown_id',
        `there is no suppression ${suppression_id}: \`platbook suppress list\` shows them`,
      )
  }

  /** Removes what came with these lines of opt-out lists; gives how many there were. */
  removeWorkItems(work_item_ids: readonly string[]): number {
    const remove = this.#db.prepare('delete from suppressions where work_item_id = ?')
    return inTransaction(this.#db, () =>
      work_item_ids.reduce((sum, id) => sum + Number(remove.run(id).changes), 0),
    )
  }
}
