import { execFile, spawn } from 'node:child_process'
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { Client } from 'pg'
import { quotedLiteral } from '../../../src/warehouse/query.ts'

const run = promisify(execFile)

export interface Postgres {
  /** Where its socket is. */
  readonly folder: string
  readonly version: string
  readonly stop: () => Promise<void>
}

/** A PostgreSQL of the bench's own in a temporary folder, filled and analysed; null where none is installed. */
export async function startPostgres(db: DuckDBConnection, tables: string): Promise<Postgres | null> {
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
      await fill(client, db, tables, folder)
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

// The published tables as they are, with what an expert would add: a birth date as a date, the states of current addresses,
// the pairs of words of every name. Loaded in the order of the keys by which they are read, so that lists lie together.
const TABLES: Record<string, { columns: string; select: (table: (name: string) => string) => string }> = {
  people: {
    columns:
      'person_id text, name text, aliases json, is_dead boolean, birth_on date, date_of_birth text, linkedin_url text, company_name text, job_title text, completeness integer, states text[]',
    select: (table) => `
      select person_id, name, to_json(coalesce(aliases, [])), coalesce(is_dead, false), try_cast(date_of_birth as date), date_of_birth,
        linkedin_url, company_name, job_title, coalesce(completeness, 0), coalesce(states, '{}')
      from ${table('people')} left join (
        select person_id, '{' || string_agg(distinct state, ',') || '}' as states
        from ${table('person_addresses')} join ${table('addresses')} using (address_id) where is_current group by person_id
      ) using (person_id) order by person_id`,
  },
  person_names: {
    columns: 'person_id text, full_name text',
    select: (table) => `select person_id, ${FULL_NAME} from ${table('person_names')} order by person_id`,
  },
  name_pairs: {
    columns: 'one text, other text, person_id text, is_primary boolean',
    select: (table) => `
      with words as (select person_id, is_primary, string_split_regex(${FULL_NAME}, '[^\\pL0-9]+') as words from ${table('person_names')}),
      ones as (select person_id, is_primary, words, unnest(words) as one, generate_subscripts(words, 1) as place from words),
      pairs as (select person_id, is_primary, one, unnest(words[place + 1:]) as other from ones)
      select least(one, other) as first_word, greatest(one, other) as second_word, person_id, bool_or(is_primary)
      from pairs group by all order by first_word, second_word, person_id`,
  },
  addresses: {
    columns:
      'address_id text, full_address text, line1 text, city text, state text, zip text, house_number text, house integer, street_name text, street_suffix text, unit_number text, latitude double precision, longitude double precision',
    select: (table) => `
      select address_id, full_address, line1, city, state, zip, house_number, try_cast(house_number as integer), street_name, street_suffix,
        unit_number, latitude, longitude from ${table('addresses')} order by zip, street_name, house_number`,
  },
  person_addresses: {
    columns: 'person_id text, address_id text, is_current boolean, score integer, last_seen_on date',
    select: (table) =>
      `select person_id, address_id, is_current, coalesce(score, 0), last_seen_on from ${table('person_addresses')} order by person_id`,
  },
  phones: {
    columns: 'phone text, national_format text, line_type text, carrier text',
    select: (table) =>
      `select phone, national_format, line_type, carrier from ${table('phones')} order by phone`,
  },
  person_phones: {
    columns:
      'person_id text, phone text, national_format text, line_type text, score integer, last_seen_on date',
    select: (table) => `
      select person_id, links.phone, national_format, links.line_type, coalesce(score, 0), last_seen_on
      from ${table('person_phones')} as links join ${table('phones')} using (phone) order by person_id`,
  },
  person_emails: {
    columns: 'person_id text, email text, score integer',
    select: (table) =>
      `select person_id, email, coalesce(score, 0) from ${table('person_emails')} order by person_id`,
  },
  properties: {
    columns:
      'property_id text, address_id text, mailing_address_id text, apn text, county_name text, state text, property_purpose text, owner_occupied text, is_vacant boolean, latitude double precision, longitude double precision, owner_type text, sale_date date',
    select: (table) => `
      select property_id, address_id, mailing_address_id, apn, county_name, state, property_purpose, owner_occupied, is_vacant, latitude,
        longitude, owner_type, sale_date from ${table('properties')} order by property_id`,
  },
  property_owners: {
    columns: 'property_id text, owner_sequence integer, person_id text',
    select: (table) =>
      `select property_id, owner_sequence, person_id from ${table('property_owners')} where person_id is not null order by property_id`,
  },
  residents: {
    columns: 'property_id text, person_id text, score integer',
    select: (table) =>
      `select property_id, person_id, coalesce(score, 0) from ${table('residents')} order by property_id`,
  },
  relatives: {
    columns: 'person_id text, relative_id text, score integer',
    select: (table) =>
      `select person_id, relative_id, coalesce(score, 0) from ${table('relatives')} order by person_id`,
  },
}

const FULL_NAME = "upper(concat_ws(' ', first_name, middle_name, last_name))"

const INDEXES = [
  'create unique index on people (person_id)',
  'create index on person_names using gin (full_name gin_trgm_ops)',
  'create index on name_pairs (one, other) include (person_id, is_primary)',
  'create unique index on addresses (address_id)',
  'create index on addresses (zip, street_name)',
  'create index on person_addresses (person_id)',
  'create unique index on phones (phone)',
  'create index on person_phones (person_id)',
  'create index on person_phones (phone) include (person_id, score)',
  'create index on person_emails (person_id)',
  'create unique index on properties (property_id)',
  'create index on properties (address_id)',
  'create index on property_owners (property_id)',
  'create index on property_owners (person_id)',
  'create index on residents (property_id)',
  'create index on relatives (person_id)',
  'vacuum analyze',
  // Two letters that change places in a name of ten leave 0.45; at the default of 0.3 it would go through several times as many.
  "alter database postgres set pg_trgm.similarity_threshold = '0.4'",
]

async function fill(client: Client, db: DuckDBConnection, tables: string, folder: string): Promise<void> {
  await client.query('create extension pg_trgm')
  const table = (name: string): string => `read_parquet(${quotedLiteral(join(tables, `${name}.parquet`))})`
  for (const [name, { columns, select }] of Object.entries(TABLES)) {
    const file = join(folder, `${name}.csv`)
    await client.query(`create unlogged table ${name} (${columns})`)
    await db.run(`copy (${select(table)}) to ${quotedLiteral(file)} (header false, delimiter ',')`)
    await chmod(file, 0o644)
    await client.query(`copy ${name} from ${quotedLiteral(file)} (format csv)`)
    await rm(file)
  }
  for (const statement of INDEXES) await client.query(statement)
}
