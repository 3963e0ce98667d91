import type { DatabaseSync } from 'node:sqlite'
import { type Clock, systemClock } from '../clock.ts'
import { AppError, messageOf } from '../errors.ts'
import { type Log, silentLog } from '../log.ts'
import { AccountStore } from './accounts.ts'
import { AccessEvents } from './access-events.ts'
import { Allowances } from './allowances.ts'
import { openDatabase } from './database.ts'
import { EventLog } from './event-log.ts'
import { KeyStore } from './keys.ts'
import { migrate } from './migrate.ts'
import { SourceDecisions } from './source-decisions.ts'
import { SuppressionStore } from './suppressions.ts'
import { UsageReport } from './usage-report.ts'
import { MonthlyUsage } from './usage.ts'

/** What must not be lost: accounts, keys, usage, access events, suppressions. */
export interface State {
  /** The connection itself, for the tables that another folder looks after (src/webhooks). */
  readonly db: DatabaseSync
  readonly accounts: AccountStore
  readonly keys: KeyStore
  readonly usage: MonthlyUsage
  readonly allowances: Allowances
  readonly report: UsageReport
  readonly events: EventLog
  readonly accessEvents: AccessEvents
  readonly suppressions: SuppressionStore
  readonly sourceDecisions: SourceDecisions
  /** Writes what is still under way, then closes the file; a second call waits for the first. */
  close(): Promise<void>
}

/** Opens the state file, making or migrating it as needed. */
export function openState(
  path: string,
  { now = systemClock, log = silentLog }: { now?: Clock; log?: Log } = {},
): State {
  const db = openMigrated(path, now)
  const usage = new MonthlyUsage(db)
  const accounts = new AccountStore(db, now)
  const events = new EventLog(path, log)
  const allowances = new Allowances(path, usage)
  let closed: Promise<void> | null = null
  return {
    db,
    accounts,
    keys: new KeyStore(db, accounts, now),
    usage,
    allowances,
    report: new UsageReport(db),
    events,
    accessEvents: new AccessEvents(db),
    suppressions: new SuppressionStore(db, now),
    sourceDecisions: new SourceDecisions(db, now),
    close() {
      allowances.close()
      closed ??= events.close().finally(() => db.close())
      return closed
    },
  }
}

function openMigrated(path: string, now: Clock): DatabaseSync {
  let db: DatabaseSync | null = null
  try {
    db = openDatabase(path)
    migrate(db, now)
    return db
  } catch (cause) {
    db?.close()
    if (cause instanceof AppError) throw cause
    throw new AppError('bad_config', `the state file ${path} cannot be opened: ${messageOf(cause)}`, {
      cause,
    })
  }
}
