import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
import { QuarantineDiscards } from './quarantine-discards.ts'
import { SourceDecisions } from './source-decisions.ts'
import { SuppressionStore } from './suppressions.ts'
import { UsageReport } from './usage-report.ts'
import { MonthlyUsage } from './usage.ts'

/** The state file and its parts: the data that must not be lost. */
export interface State {
  /** The connection, for folders that own tables of this file (src/webhooks, src/enrich, src/notify, src/events). */
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
  readonly quarantineDiscards: QuarantineDiscards
  /** Writes the waiting access events, then closes the file. A second call waits for the first. */
  close(): Promise<void>
}

export interface StateOptions {
  readonly now?: Clock
  readonly log?: Log
  /** The folder of snapshots. When it has snapshots and the state file is missing, the file was lost: `openState` throws. */
  readonly snapshots?: string
  /** Number of processes of the service that share the file; 1 by default. */
  readonly processCount?: number
}

/**
 * Opens the state file. Creates and migrates it as needed.
 * @throws `state_missing` when the file was lost, `state_damaged` when it is damaged, `bad_config` when it cannot be opened.
 */
export function openState(
  path: string,
  { now = systemClock, log = silentLog, snapshots, processCount = 1 }: StateOptions = {},
): State {
  const missing = snapshots === undefined ? null : missingState(path, snapshots)
  if (missing !== null) throw new AppError('state_missing', missing)
  const db = openMigrated(path, now)
  const usage = new MonthlyUsage(db)
  const accounts = new AccountStore(db, now)
  const events = new EventLog(path, log)
  const allowances = new Allowances(path, usage, processCount)
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
    quarantineDiscards: new QuarantineDiscards(db, now),
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
    const isDamaged = /malformed|not a database|disk image/i.test(messageOf(cause))
    throw new AppError(
      isDamaged ? 'state_damaged' : 'bad_config',
      `the state file ${path} cannot be opened: ${messageOf(cause)}${isDamaged ? '; restore a backup with `platbook restore --from DIR|s3://BUCKET/PREFIX --force`' : ''}`,
      { cause },
    )
  }
}

/** Returns a message when the state file is missing although snapshots or person ids exist; otherwise null. */
export function missingState(path: string, snapshots: string): string | null {
  if (existsSync(path)) return null
  const beside = [snapshots, join(dirname(path), 'identities')].find((folder) => hasEntries(folder))
  if (beside === undefined) return null
  return (
    `the state file ${path} is missing although ${beside} is not empty: keys, usage, webhooks and opt-outs were in it. ` +
    'Restore it with `platbook restore --from DIR|s3://BUCKET/PREFIX`, or start with an empty one by `platbook restore --empty`'
  )
}

function hasEntries(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => /^\d{8}/.test(name))
}
