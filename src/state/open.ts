import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, systemClock } from '../clock.ts'
import { AppError, messageOf } from '../errors.ts'
import { type Log, silentLog } from '../log.ts'
import { ThreadPool } from '../threads.ts'
import { AccountStore } from './accounts.ts'
import { type AccessEvent, AccessEvents } from './access-events.ts'
import { Allowances, LEASES_FILE, LEASES_SCHEMA } from './allowances.ts'
import type { Database } from './database.ts'
import { EventLog, type EventWriter } from './event-log.ts'
import { KeyStore } from './keys.ts'
import { LiveServers, SERVERS_SCHEMA } from './live-servers.ts'
import { migrate } from './migrate.ts'
import { QuarantineDiscards } from './quarantine-discards.ts'
import { isPostgresUrl, openPostgres, placeName } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import { writeEvents } from './write-events.ts'
import { SourceDecisions } from './source-decisions.ts'
import { SuppressionStore } from './suppressions.ts'
import { UsageReport } from './usage-report.ts'
import { MonthlyUsage } from './usage.ts'

/** The state and its parts: the data that must not be lost. */
export interface State {
  /** The database, for folders that own tables of the state (src/webhooks, src/enrich, src/notify, src/events). */
  readonly db: Database
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
  /** The servers that share the state; null for a SQLite file, which one machine uses. */
  readonly servers: LiveServers | null
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
  /** The name of this server, which its worker processes have in common. */
  readonly server?: string
}

/**
 * Opens the state in a SQLite file or, by a `postgres://` URL, in PostgreSQL. Creates and migrates it as needed.
 * @throws `state_missing` when the file was lost, `state_damaged` when it is damaged, `bad_config` when it cannot be opened.
 */
export async function openState(
  place: string,
  {
    now = systemClock,
    log = silentLog,
    snapshots,
    processCount = 1,
    server = randomUUID(),
  }: StateOptions = {},
): Promise<State> {
  const { db, writer, leases } = isPostgresUrl(place)
    ? await openServer(place, now, snapshots)
    : await openFile(place, now, snapshots)
  const usage = new MonthlyUsage(db)
  const accounts = new AccountStore(db, now)
  const events = new EventLog(writer, log)
  const allowances = new Allowances(leases, usage, processCount)
  const servers = db.kind === 'postgres' ? new LiveServers(db, server) : null
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
    servers,
    close() {
      closed ??= (servers?.close() ?? Promise.resolve())
        .finally(() => allowances.close())
        .finally(() => events.close())
        .finally(() => db.close())
      return closed
    },
  }
}

interface Opened {
  readonly db: Database
  readonly writer: EventWriter
  readonly leases: () => Promise<Database>
}

async function openFile(path: string, now: Clock, snapshots: string | undefined): Promise<Opened> {
  const missing = snapshots === undefined ? null : missingState(path, snapshots)
  if (missing !== null) throw new AppError('state_missing', missing)
  const db = await openMigrated(path, now)
  return { db, writer: openEventThread(path), leases: () => openLeases(path) }
}

async function openServer(url: string, now: Clock, snapshots: string | undefined): Promise<Opened> {
  const db = await openPostgres(url)
  try {
    const missing = snapshots === undefined ? null : await missingTables(db, url, snapshots)
    if (missing !== null) throw new AppError('state_missing', missing)
    await migrate(db, now)
    await db.transaction(() => db.exec(`${LEASES_SCHEMA}; ${SERVERS_SCHEMA}`), { isolation: 'exclusive' })
  } catch (cause) {
    await db.close()
    throw cause
  }
  return {
    db,
    writer: { write: (batch) => writeEvents(db, batch), close: async () => {} },
    leases: () => openPostgres(url, { connections: 2 }),
  }
}

// Returns a message when the database has no tables although snapshots exist; otherwise null.
async function missingTables(db: Database, url: string, snapshots: string): Promise<string | null> {
  if (!hasEntries(snapshots)) return null
  const row = await db.get("select to_regclass('migrations') is null as is_empty")
  if (row?.['is_empty'] !== true) return null
  return (
    `the database ${placeName(url)} has no state although ${snapshots} is not empty: keys, usage, webhooks and opt-outs would be missing. ` +
    'Copy them with `platbook state copy --from sqlite:PATH --to URL`, or start with an empty state by `platbook restore --empty`'
  )
}

async function openMigrated(path: string, now: Clock): Promise<Database> {
  let db: Database | null = null
  try {
    db = await openSqlite(path)
    await migrate(db, now)
    return db
  } catch (cause) {
    await db?.close()
    if (cause instanceof AppError) throw cause
    const isDamaged = /malformed|not a database|disk image/i.test(messageOf(cause))
    throw new AppError(
      isDamaged ? 'state_damaged' : 'bad_config',
      `the state file ${path} cannot be opened: ${messageOf(cause)}${isDamaged ? '; restore a backup with `platbook restore --from DIR|s3://BUCKET/PREFIX --force`' : ''}`,
      { cause },
    )
  }
}

/** Starts the thread that writes access events. A commit waits for the disk, and lookups must not wait with it. */
export function openEventThread(path: string): EventWriter {
  const pool = new ThreadPool<readonly AccessEvent[], void>({
    module: new URL('./event-writer.ts', import.meta.url),
    does: 'writes access events',
    size: 1,
    workerData: { path },
  })
  return { write: (batch) => pool.run(batch), close: () => pool.close() }
}

/** Opens the file of leases. It is apart from the state file, whose commits wait for the disk: the request would wait, too. */
export async function openLeases(statePath: string): Promise<Database> {
  const db = await openSqlite(join(dirname(statePath), LEASES_FILE), { isDurable: false })
  try {
    await db.exec(LEASES_SCHEMA)
    return db
  } catch (cause) {
    await db.close()
    throw cause
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
