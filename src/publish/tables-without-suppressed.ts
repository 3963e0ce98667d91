import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Suppressed } from '../lookup/format/suppressed.ts'
import { mayMeanSuppressed } from '../lookup/format/suppressed-names.ts'
import { execute, query, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import { rowChunks } from './row-batches.ts'
import { PUBLISHED_TABLES, type PublishedName } from './tables.ts'

const CATALOG = 'without_suppressed'
/**
 * The same text as in `src/events/suppressed-parties.ts`, so that an event looks the same in a snapshot that
 * already leaves the person out.
 */
const WITHHELD = 'Name withheld'

export interface WithoutSuppressedOptions {
  /** The connections that read `published.*` inside `body`. The first one creates the views. */
  readonly connections: readonly [DuckDBConnection, ...DuckDBConnection[]]
  /** Returns SQL for the source of a table: `warehouse.published.people`, or a Parquet file. */
  readonly from: (table: PublishedName) => string
  readonly suppressed: Suppressed
  readonly names: Config['SUPPRESSED_NAMES']
  readonly signal: AbortSignal
}

/**
 * Runs `body` while `published.*` means the published tables without suppressed people. Creates views over
 * the tables in a second catalog and makes it the default one. So everything that writes a snapshot reads the
 * views, and the warehouse does not change.
 */
export async function withoutSuppressed<T>(
  options: WithoutSuppressedOptions,
  body: () => Promise<T>,
): Promise<T> {
  const [db] = options.connections
  const home = await currentCatalog(db)
  await execute(db, `attach ':memory:' as ${CATALOG}`)
  try {
    await execute(db, `create schema ${CATALOG}.published`)
    await createHidden(options)
    for (const name of Object.keys(PUBLISHED_TABLES) as PublishedName[]) {
      options.signal.throwIfAborted()
      await execute(
        db,
        `create view ${CATALOG}.published.${quotedIdentifier(name)} as ${selectOf(name, options)}`,
      )
    }
    for (const connection of options.connections) await execute(connection, `use ${CATALOG}`)
    return await body()
  } finally {
    for (const connection of options.connections) await execute(connection, `use ${quotedIdentifier(home)}`)
    await execute(db, `detach ${CATALOG}`)
  }
}

async function currentCatalog(db: DuckDBConnection): Promise<string> {
  const [row] = await query(db, 'select current_database() as name', z.object({ name: z.string() }))
  return row!.name
}

const hidden = (table: string): string => `${CATALOG}.main.hidden_${table}`

/**
 * Creates lists of what the views leave out: people, names that may be theirs, and phones, addresses and
 * businesses that belong to nobody else.
 */
async function createHidden(options: WithoutSuppressedOptions): Promise<void> {
  const { connections, suppressed, from, signal } = options
  const [db] = connections
  await execute(db, `create table ${hidden('people')} (person_id varchar)`)
  await insertRows(
    db,
    hidden('people'),
    Array.from(suppressed.ids, (id) => [id]),
  )
  await execute(db, `create table ${hidden('numbers')} (phone varchar)`)
  await insertRows(
    db,
    hidden('numbers'),
    Array.from(suppressed.phones, (phone) => [phone]),
  )
  await createNames(options)
  signal.throwIfAborted()
  await execute(
    db,
    `create table ${hidden('businesses')} as
     select distinct businesses.business_id from ${from('businesses')} as businesses
     semi join ${hidden('names')} as named on businesses.name = named.name`,
  )
  // A name on the phone of a suppressed person may be that person's.
  await execute(
    db,
    `create table ${hidden('phone_names')} as
     select phone from ${from('person_phones')} semi join ${hidden('people')} using (person_id)
     union select phone from ${hidden('numbers')}`,
  )
  await execute(
    db,
    `create table ${hidden('phones')} as
     select phone from ${hidden('phone_names')}
     except select phone from (select * from ${from('person_phones')} anti join ${hidden('people')} using (person_id))
     except select phone from (select * from ${from('business_phones')} anti join ${hidden('businesses')} using (business_id))`,
  )
  // The mailing address of a property may be the home of a suppressed owner.
  await execute(
    db,
    `create table ${hidden('mailing')} as
     select distinct owners.property_id from ${from('property_owners')} as owners
     left join ${from('properties')} as properties using (property_id)
     where ${isHiddenOwner}`,
  )
  await createParties(options)
  await execute(
    db,
    `create table ${hidden('addresses')} as
     select address_id from (
       select address_id from (
       select address_id from ${from('person_addresses')} semi join ${hidden('people')} using (person_id)
       union select address_id from ${from('business_addresses')} semi join ${hidden('businesses')} using (business_id)
       union select mailing_address_id from ${from('properties')} semi join ${hidden('mailing')} using (property_id)
       ) where address_id is not null
     )
     except select address_id from (select * from ${from('person_addresses')} anti join ${hidden('people')} using (person_id))
     except select address_id from (select * from ${from('business_addresses')} anti join ${hidden('businesses')} using (business_id))
     except select address_id from ${from('properties')}
     except select mailing_address_id from (select * from ${from('properties')} anti join ${hidden('mailing')} using (property_id))
     except select address_id from ${from('deed_events')}`,
  )
}

const isHiddenOwner = `(
  owners.person_id in (select person_id from ${hidden('people')})
  or owners.business_id in (select business_id from ${hidden('businesses')})
  or (owners.person_id is null
    and (owners.owner_name, coalesce(properties.state, '')) in (select (name, state) from ${hidden('names')}))
)`

/** Creates the list of names without a person id that may be a suppressed person's in that state. */
async function createNames({
  connections,
  suppressed,
  from,
  signal,
}: WithoutSuppressedOptions): Promise<void> {
  const [db] = connections
  await execute(db, `create table ${hidden('names')} (name varchar, state varchar)`)
  if (suppressed.names.size === 0) return
  const texts = `
    select distinct name, coalesce(state, '') as state from (
      select party.name as name, state
      from (select state, unnest(parties) as party from ${from('deed_events')})
      where party.person_id is null
      union all
      select owners.owner_name, properties.state
      from ${from('property_owners')} as owners
      left join ${from('properties')} as properties using (property_id)
      where owners.person_id is null
      union all
      select businesses.name, places.state
      from ${from('businesses')} as businesses
      left join (
        select business_id, state from ${from('business_addresses')} join ${from('addresses')} using (address_id)
        union all
        select business_id, state from ${from('property_owners')} join ${from('properties')} using (property_id)
      ) as places using (business_id)
      union all
      select lender_name, state from ${from('mortgages')} left join ${from('properties')} using (property_id)
    )
    where name is not null`
  const found: [name: string, state: string][] = []
  for await (const rows of rowChunks(db, texts, signal)) {
    for (let row = 0; row < rows.count; row++) {
      const [name, state] = [rows.text(0, row) ?? '', rows.text(1, row) ?? '']
      if (mayMeanSuppressed(suppressed.names, name, state === '' ? null : state)) found.push([name, state])
    }
  }
  await insertRows(db, hidden('names'), found)
}

async function insertRows(
  db: DuckDBConnection,
  table: string,
  rows: readonly (readonly string[])[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += SLICE) {
    const values = rows.slice(from, from + SLICE).map((row) => `(${row.map(quotedLiteral).join(', ')})`)
    await execute(db, `insert into ${table} values ${values.join(', ')}`)
  }
}

const SLICE = 1_000

/** The tables without the rows whose `column` is in the list `hidden(list)`. */
const LEAVES_OUT: Readonly<Partial<Record<PublishedName, readonly [list: string, column: string]>>> = {
  people: ['people', 'person_id'],
  person_names: ['people', 'person_id'],
  person_addresses: ['people', 'person_id'],
  person_phones: ['people', 'person_id'],
  person_emails: ['people', 'person_id'],
  residents: ['people', 'person_id'],
  crosswalk: ['people', 'person_id'],
  person_redirects: ['people', 'person_id'],
  relatives: ['people', 'person_id'],
  phones: ['phones', 'phone'],
  phone_names: ['phone_names', 'phone'],
  addresses: ['addresses', 'address_id'],
  businesses: ['businesses', 'business_id'],
  business_addresses: ['businesses', 'business_id'],
  business_phones: ['businesses', 'business_id'],
}

/** Returns SQL for the rows of a table that stay, with the same columns in the same order. */
function selectOf(name: PublishedName, { from }: WithoutSuppressedOptions): string {
  const table = from(name)
  const [list, column] = LEAVES_OUT[name] ?? []
  if (list !== undefined) {
    const rest = `select * from ${table} where ${column} is null or ${column} not in (select ${column} from ${hidden(list)})`
    return name === 'relatives' ? `${rest} and relative_id not in (select person_id from ${hidden('people')})` : rest // prettier-ignore
  }
  switch (name) {
    case 'properties':
      return `select * replace (case when property_id not in (select property_id from ${hidden('mailing')}) then mailing_address_id end as mailing_address_id) from ${table}`
    case 'property_owners':
      return propertyOwners(from)
    case 'mortgages':
      return `
        select loans.* replace (
          case when (lender_name, coalesce(state, '')) not in (select (name, state) from ${hidden('names')}) then lender_name end as lender_name
        )
        from ${table} as loans
        left join (select property_id, state from ${from('properties')}) using (property_id)`
    case 'deed_events':
      return `
        select events.* replace (coalesce(changed.parties, events.parties) as parties)
        from ${table} as events
        left join ${hidden('parties')} as changed using (event_id)`
    default:
      return `select * from ${table}`
  }
}

/** The row of a suppressed owner stays without the name, because the property still has an owner. */
function propertyOwners(from: WithoutSuppressedOptions['from']): string {
  return `
    select
      property_id,
      owner_sequence,
      case when not is_hidden then person_id end as person_id,
      case when not is_hidden then business_id end as business_id,
      case when not is_hidden then owner_name end as owner_name,
      case when is_hidden then 'unknown' else owner_type end as owner_type
    from (
      select owners.*, coalesce(${isHiddenOwner}, false) as is_hidden
      from ${from('property_owners')} as owners
      left join ${from('properties')} as properties using (property_id)
    )`
}

/**
 * Creates the list of events with a suppressed party, each with all its parties in order. Other events have
 * no row.
 */
async function createParties({ connections: [db], from, names }: WithoutSuppressedOptions): Promise<void> {
  const name = names === 'public_record' ? 'party.name' : quotedLiteral(WITHHELD)
  await execute(
    db,
    `create table ${hidden('parties')} as
     with stated as (
       select event_id, coalesce(state, '') as state, unnest(parties) as party, generate_subscripts(parties, 1) as place
       from ${from('deed_events')}
     ),
     marked as (
       select *, coalesce(
         party.person_id in (select person_id from ${hidden('people')})
         or (party.person_id is null and (party.name, state) in (select (name, state) from ${hidden('names')})),
         false
       ) as is_hidden
       from stated
     )
     select event_id, list(
       case when is_hidden
         then {'role': party.role, 'name': ${name}, 'type': party.type, 'person_id': null::varchar, 'full_address': null::varchar}
         else party
       end order by place
     ) as parties
     from marked
     group by event_id
     having bool_or(is_hidden)`,
  )
}
