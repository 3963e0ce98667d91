import type { Database } from './database.ts'

export const SERVERS_SCHEMA =
  'create table if not exists live_servers (server_id text primary key, seen_at timestamptz not null)'

const BEAT_EVERY_MS = 2_000

/** Counts the servers that share a state in PostgreSQL. Each renews its row every two seconds, by the clock of PostgreSQL. */
export class LiveServers {
  readonly #db: Database
  readonly #id: string
  #timer: NodeJS.Timeout | null = null
  #beating: Promise<void> = Promise.resolve()

  /** `id`: the name of this server, which its worker processes have in common. */
  constructor(db: Database, id: string) {
    this.#db = db
    this.#id = id
  }

  /** Renews the row of this server and returns the number of servers that did so within six seconds. */
  async beat(): Promise<number> {
    await this.#db.run(
      'insert into live_servers values (?, now()) on conflict (server_id) do update set seen_at = now()',
      this.#id,
    )
    await this.#db.run("delete from live_servers where seen_at < now() - interval '1 day'")
    const row = await this.#db.get(
      "select count(*) as count from live_servers where seen_at > now() - interval '6 seconds'",
    )
    return Math.max(1, Number(row?.['count']))
  }

  /** Reports the number of servers now and every two seconds, until `close`. A failed heartbeat keeps the last number. */
  follow(onCount: (servers: number) => void): void {
    const beat = (): void => {
      this.#beating = this.beat().then(onCount, () => undefined)
    }
    beat()
    this.#timer = setInterval(beat, BEAT_EVERY_MS).unref()
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.#beating
  }
}
