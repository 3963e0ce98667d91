import { execFile, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { Client } from 'pg'
import type { Lookup } from '../../../src/lookup/open.ts'
import { quotedLiteral } from '../../../src/warehouse/query.ts'

const run = promisify(execFile)

export interface Postgres {
  /** Where its socket is. */
  readonly folder: string
  readonly version: string
  readonly stop: () => Promise<void>
}

/** A PostgreSQL of the bench's own in a temporary folder, filled and analysed; null where none is installed. */
export async function startPostgres(
  db: DuckDBConnection,
  tables: string,
  lookup: Lookup,
): Promise<Postgres | null> {
  const binaries = await findBinaries()
  if (binaries === null) return null
  const folder = await mkdtemp(join(tmpdir(), 'platbook-postgres-'))
  const user = await postgresUser()
  if (user !== null) await chown(folder, user.uid, user.gid)
  await chmod(folder, 0o755)
  const as = user ?? {}
  const data = join(folder, 'data')
  await run(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C'],
    as,
  )
  // Durability costs it nothing here, and memory is what an expert would give it on this machine.
  const settings = { listen_addresses: '', unix_socket_directories: folder, fsync: 'off', shared_buffers: '2GB', effective_cache_size: '6GB', maintenance_work_mem: '512MB', work_mem: '64MB', random_page_cost: '1.1', jit: 'off', autovacuum: 'off', max_wal_size: '8GB' } // prettier-ignore
  const argv = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(join(binaries, 'postgres'), ['-D', data, ...argv], { ...as, stdio: 'ignore' })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const stop = async (): Promise<void> => {
    server.kill('SIGINT')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const client = await connect(folder)
    try {
      await fill(client, db, tables, folder, lookup)
      const { rows } = await client.query<{ server_version: string }>('show server_version')
      return { folder, version: rows[0]?.server_version ?? '', stop }
    } finally {
      await client.end()
    }
  } catch (cause) {
    await stop()
    throw cause
  }
}

async function findBinaries(): Promise<string | null> {
  const root = '/usr/lib/postgresql'
  const versions = await readdir(root).catch(() => [])
  const newest = versions.sort((left, right) => Number(right) - Number(left))[0]
  return newest === undefined ? null : join(root, newest, 'bin')
}

const idOfPostgres = async (option: string): Promise<number> =>
  Number((await run('id', [option, 'postgres'])).stdout)

// It refuses to run as root.
async function postgresUser(): Promise<{ uid: number; gid: number } | null> {
  if (userInfo().uid !== 0) return null
  return { uid: await idOfPostgres('-u'), gid: await idOfPostgres('-g') }
}

async function connect(host: string): Promise<Client> {
  for (let attempt = 1; ; attempt += 1) {
    const client = new Client({ host, user: 'postgres', database: 'postgres' })
    try {
      await client.connect()
      return client
    } catch (cause) {
      if (attempt === 100) throw cause
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

const SCHEMA = `
create extension pg_trgm;
create unlogged table people (person_id text, completeness int, states text[], document text);
create unlogged table names (person_id text, first_name text, last_name text, full_name text);
create unlogged table person_phones (phone text, person_id text, score int);
create unlogged table properties (property_id text, line1 text, zip text, document text);
create unlogged table documents (id text, document text);`

const INDEXES = [
  'create unique index on people (person_id) ',
  'create index on names (last_name, first_name) include (person_id)',
  'create index on names using gin (full_name gin_trgm_ops)',
  'create index on names (person_id)',
  'create index on people using gin (states)',
  'create index on person_phones (phone) include (person_id, score)',
  'create index on properties (line1, zip)',
  'analyze',
]

async function fill(
  client: Client,
  db: DuckDBConnection,
  tables: string,
  folder: string,
  lookup: Lookup,
): Promise<void> {
  await client.query(SCHEMA)
  const files = join(folder, 'files')
  await mkdir(files)
  const table = (name: string): string => `read_parquet(${quotedLiteral(join(tables, `${name}.parquet`))})`
  const load = async (target: string, select: string): Promise<void> => {
    const file = join(files, `${target}.csv`)
    await db.run(`copy (${select}) to ${quotedLiteral(file)} (header false, delimiter ',')`)
    await chmod(file, 0o644)
    await client.query(`copy ${target} from ${quotedLiteral(file)} (format csv)`)
    await rm(file)
  }
  const ids = (
    await db.runAndReadAll(
      `select person_id from ${table('people')} union all select property_id from ${table('properties')}`,
    )
  ).getColumnsJson()[0] as string[]
  const documents = join(files, 'documents.csv')
  await pipeline(documentLines(ids, lookup), createWriteStream(documents))
  await client.query(`copy documents from ${quotedLiteral(documents)} (format csv)`)
  await client.query('create unique index on documents (id)')
  await client.query('analyze documents')
  await load(
    'people',
    `select person_id, completeness, '{' || coalesce(string_agg(distinct addresses.state, ',') filter (is_current), '') || '}', '' from ${table('people')} as people left join ${table('person_addresses')} as lives using (person_id) left join ${table('addresses')} as addresses using (address_id) group by all`,
  )
  await client.query(
    'create unlogged table filled as select person_id, completeness, states, documents.document from people join documents on id = person_id',
  )
  await client.query('drop table people; alter table filled rename to people')
  await load(
    'names',
    `select person_id, upper(first_name), upper(last_name), upper(first_name || ' ' || last_name) from ${table('person_names')}`,
  )
  await load('person_phones', `select phone, person_id, score from ${table('person_phones')}`)
  await load(
    'properties',
    `select property_id, upper(line1), zip, '' from ${table('properties')} as properties join ${table('addresses')} as addresses using (address_id)`,
  )
  await client.query(
    'create unlogged table filled as select property_id, line1, zip, documents.document from properties join documents on id = property_id',
  )
  await client.query('drop table properties; alter table filled rename to properties; drop table documents')
  for (const statement of INDEXES) await client.query(statement)
}

// The very bytes that Platbook sends, so that neither has less to do.
function* documentLines(ids: readonly string[], lookup: Lookup): Generator<string> {
  let lines = ''
  for (const id of ids) {
    const document = id.startsWith('P') ? lookup.person(id, '2026-06-01') : lookup.property(id, '2026-06-01')
    lines += `${id},"${String(document).replaceAll('"', '""')}"\n`
    if (lines.length < 1_000_000) continue
    yield lines
    lines = ''
  }
  yield lines
}
