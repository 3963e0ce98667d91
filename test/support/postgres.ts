import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'

const BINARIES = '/usr/lib/postgresql'

/** Returns why no PostgreSQL server can be started for tests; null when one can. */
export function postgresIsMissing(): string | null {
  if (binaries() === null) return `PostgreSQL is not installed: there is no ${BINARIES}/*/bin/initdb`
  if (process.getuid?.() === 0 && ownerIds() === null)
    return 'PostgreSQL does not run as root, and there is no user postgres to run it as'
  return null
}

export interface PostgresServer {
  /** The folder of the server's socket, for `newSchema`. */
  readonly socket: string
  /** Asks the server to stop and waits for its end. */
  stop(): Promise<void>
}

/** Starts a server in a temporary folder that listens on a socket of that folder only. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-postgres-'))
  const ids = process.getuid?.() === 0 ? ownerIds() : null
  if (ids !== null) chownSync(folder, ids.uid, ids.gid)
  const owner = ids ?? {}
  const data = join(folder, 'data')
  const settings = ['--no-sync', '--auth=trust', '--username=platbook', '--encoding=UTF8', '--locale=C']
  execFileSync(binary('initdb'), ['-D', data, ...settings], { ...owner, stdio: 'pipe' })
  const server = spawn(
    binary('postgres'),
    ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'max_connections=300'],
    { ...owner, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  await ready(server)
  return {
    socket: folder,
    async stop() {
      const exited = once(server, 'exit')
      server.kill('SIGINT')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates an empty schema on the server with this socket and returns its URL. */
export async function newSchema(socket: string): Promise<string> {
  const server = `postgres://platbook:secret@localhost/postgres?host=${encodeURIComponent(socket)}`
  const schema = `state_${randomUUID().replaceAll('-', '')}`
  const client = new Client(server)
  await client.connect()
  await client.query(`create schema ${schema}`)
  await client.end()
  return `${server}&options=${encodeURIComponent(`-c search_path=${schema}`)}`
}

async function ready(server: ChildProcess): Promise<void> {
  const lines: string[] = []
  for await (const line of createInterface({ input: server.stderr! })) {
    lines.push(line)
    if (line.includes('database system is ready to accept connections')) {
      server.stderr!.resume()
      return
    }
  }
  throw new Error(`the PostgreSQL server did not start:\n${lines.join('\n')}`)
}

function binary(name: string): string {
  return join(binaries() ?? '', name)
}

function binaries(): string | null {
  const versions = existsSync(BINARIES) ? readdirSync(BINARIES).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions.map((version) => join(BINARIES, version, 'bin'))
  return found.find((folder) => existsSync(join(folder, 'initdb'))) ?? null
}

function ownerIds(): { uid: number; gid: number } | null {
  try {
    return { uid: idOf('-u'), gid: idOf('-g') }
  } catch {
    return null
  }
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { stdio: 'pipe' }))
}
