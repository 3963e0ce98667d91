import { chmod, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { State } from '../state/open.ts'
import { openWarehouse } from '../warehouse/open.ts'
import { query, quotedLiteral } from '../warehouse/query.ts'

const KEY_FILE = 'demo-key.txt'

export { SAMPLE_FOLDER } from '../ingest/late.ts'

/**
 * Returns the demo key of a data folder. The first call creates the key and writes it to a file beside the state file, with mode 600.
 * All other keys are stored as hashes only; the demo key is readable because it serves for trying Platbook on invented people.
 */
export async function demoKey(state: State, statePath: string): Promise<string> {
  const path = join(dirname(statePath), KEY_FILE)
  const kept = await readFile(path, 'utf8').catch(() => null)
  if (kept !== null && (await state.keys.find(kept.trim())) !== null) return kept.trim()
  const { secret } = await state.keys.create({
    name: 'demo',
    plan: 'demo',
    rate_per_second: 1000,
    burst: 2000,
    kind: 'demo',
    invitations: ['webhooks', 'events'],
  })
  await writeFile(path, `${secret}\n`, { mode: 0o600 })
  await chmod(path, 0o600)
  return secret
}

const Example = z.object({
  first_name: z.string(),
  last_name: z.string(),
  state: z.string(),
  phone: z.string(),
})
const Address = z.object({ line1: z.string(), city: z.string(), state: z.string() })

/** Returns `curl` commands for a person, a phone and a property whose answers have many fields in this snapshot. */
export async function demoRequests(snapshotFolder: string, address: string, key: string): Promise<string[]> {
  const warehouse = await openWarehouse(':memory:', { memoryLimit: '512MB', threads: 1 })
  const table = (name: string) =>
    `read_parquet(${quotedLiteral(join(snapshotFolder, 'tables', `${name}.parquet`))})`
  try {
    const [person] = await query(
      warehouse.db,
      `select people.first_name, people.last_name, any_value(addresses.state) as state, max(phones.phone) as phone
       from ${table('people')} as people
       join ${table('person_addresses')} as homes on homes.person_id = people.person_id and homes.is_current
       join ${table('addresses')} as addresses using (address_id)
       join ${table('person_phones')} as phones on phones.person_id = people.person_id
       left join ${table('person_emails')} as emails on emails.person_id = people.person_id
       left join ${table('property_owners')} as owned on owned.person_id = people.person_id
       where not people.is_dead and people.first_name is not null and people.last_name is not null
         and addresses.state is not null
       group by people.person_id, people.first_name, people.last_name, people.completeness
       order by count(distinct owned.property_id) > 0 desc, count(distinct emails.email) > 0 desc,
         people.completeness desc, people.person_id
       limit 1`,
      Example,
    )
    const [property] = await query(
      warehouse.db,
      `select addresses.line1, addresses.city, addresses.state
       from ${table('properties')} as properties
       join ${table('addresses')} as addresses using (address_id)
       join ${table('residents')} as residents using (property_id)
       where addresses.line1 is not null and addresses.city is not null and addresses.state is not null
       group by properties.property_id, addresses.line1, addresses.city, addresses.state, properties.bedrooms,
         properties.living_sqft
       order by properties.bedrooms is not null desc, properties.living_sqft is not null desc, count(*) desc,
         properties.property_id
       limit 1`,
      Address,
    )
    const paths = [
      ...(person === undefined
        ? []
        : [
            `/v2/person/?${new URLSearchParams({ name: `${person.first_name} ${person.last_name}`, state_code: person.state }).toString()}`,
            `/v2/phone/${person.phone}`,
          ]),
      ...(property === undefined
        ? []
        : [
            `/v2/property/?${new URLSearchParams({ street: property.line1, city: property.city, state_code: property.state }).toString()}`,
          ]),
    ]
    return paths.map((path) => `curl -H 'X-Api-Key: ${key}' '${address}${path}'`)
  } finally {
    await warehouse.close()
  }
}
