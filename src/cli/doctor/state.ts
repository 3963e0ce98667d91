import { existsSync } from 'node:fs'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { messageOf } from '../../errors.ts'
import { openPostgres } from '../../state/postgres.ts'
import { openSqlite } from '../../state/sqlite.ts'
import { integrityFault } from '../../state/back-up.ts'
import { migrate } from '../../state/migrate.ts'
import { missingState } from '../../state/open.ts'
import type { DoctorContext, Finding, StateFile } from './check.ts'

/** Checks that the state file can be read. */
export async function checkState({ state }: DoctorContext): Promise<Finding> {
  const { problem } = state
  return { fields: { state: problem }, lines: [], complaints: problem === null ? [] : [`state: ${problem}`] }
}

/** Opens the state file, migrates it to this version and runs `body`. If it cannot be read, `body` gets the reason. */
export async function withStateFile<T>(
  { paths, PLATBOOK_STATE: url }: Config,
  now: Clock,
  body: (state: StateFile) => Promise<T>,
): Promise<T> {
  if (url !== undefined) return withServer(url, now, body)
  const missing = missingState(paths.state, paths.snapshots)
  if (missing !== null) return body({ db: null, problem: missing })
  if (!existsSync(paths.state)) return body({ db: null, problem: null })
  const opened = await open(paths.state, now)
  try {
    return await body(opened)
  } finally {
    await opened.db?.close()
  }
}

async function withServer<T>(url: string, now: Clock, body: (state: StateFile) => Promise<T>): Promise<T> {
  let db: StateFile['db'] = null
  try {
    db = await openPostgres(url)
    await migrate(db, now)
  } catch (error) {
    await db?.close()
    return body({ db: null, problem: `${messageOf(error)}: check PLATBOOK_STATE and the server` })
  }
  try {
    return await body({ db, problem: null })
  } finally {
    await db.close()
  }
}

async function open(path: string, now: Clock): Promise<StateFile> {
  let db: StateFile['db'] = null
  try {
    db = await openSqlite(path)
    const fault = await integrityFault(db)
    if (fault !== null) {
      await db.close()
      return { db: null, problem: `${path} is damaged (${fault}): ${RESTORE}` }
    }
    await migrate(db, now)
    return { db, problem: null }
  } catch (error) {
    await db?.close()
    return { db: null, problem: `${path} cannot be read (${messageOf(error)}): ${RESTORE}` }
  }
}

const RESTORE = 'restore a backup with `platbook restore --from DIR|s3://BUCKET/PREFIX --force`'
