import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { AppError } from '../../errors.ts'
import { copyTables } from '../../state/copy-state.ts'
import type { Database } from '../../state/database.ts'
import { migrate } from '../../state/migrate.ts'
import { isPostgresUrl, openPostgres, placeName } from '../../state/postgres.ts'
import { openSqlite } from '../../state/sqlite.ts'
import { type Acts, chosenAct, usageErrors } from '../acts.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { count } from '../progress.ts'

export const summary = 'copies the state from SQLite to PostgreSQL, or back'
export const usage = `platbook state copy [--from PLACE] [--to PLACE] [--data DIR] [--json]
       PLACE is sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE. Without --from, the file in the data folder is copied. Without --to,
       it is copied to the place in the variable PLATBOOK_STATE, so that no password is on the command line.
       Stop all other processes of Platbook first.`

const OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

const badUsage = usageErrors(usage)
const parsed = (argv: string[]) => parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
type Values = ReturnType<typeof parsed>['values']

const ACTS: Acts<(values: Values, io: CommandIo) => Promise<void>> = { copy: { run: copy } }

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const given = parsed(argv)
  const { act } = chosenAct('state', ACTS, given, badUsage)
  await act.run(given.values, io)
  return 0
}

async function copy(values: Values, io: CommandIo): Promise<void> {
  const from = values.from === undefined ? io.config.paths.state : placeOf('from', values.from)
  const target = values.to ?? io.config.PLATBOOK_STATE
  if (target === undefined) throw badUsage('copy needs --to PLACE or PLATBOOK_STATE')
  const to = placeOf('to', target)
  if (!isPostgresUrl(from) && !existsSync(from))
    throw new AppError('state_missing', `there is no state file ${from} to copy`)
  const rows = await withPlace(from, io, (source) => withPlace(to, io, (empty) => copyTables(source, empty)))
  const total = Object.values(rows).reduce((sum, copied) => sum + copied, 0)
  print(io, values.json, { from: placeName(from), to: placeName(to), rows }, [
    ...Object.entries(rows).map(([table, copied]) => `  ${table}: ${count(copied)}`),
    `  ${count(total)} rows copied from ${placeName(from)} to ${placeName(to)}`,
  ])
}

function placeOf(option: string, text: string): string {
  if (isPostgresUrl(text)) return text
  const path = /^sqlite:(.+)$/.exec(text)?.[1]
  if (path === undefined) throw badUsage(`--${option} takes sqlite:PATH or a postgres:// URL`)
  return path
}

async function withPlace<T>(
  place: string,
  { now }: CommandIo,
  body: (db: Database) => Promise<T>,
): Promise<T> {
  const db = isPostgresUrl(place) ? await openPostgres(place) : await openSqlite(place)
  try {
    await migrate(db, now)
    return await body(db)
  } finally {
    await db.close()
  }
}
