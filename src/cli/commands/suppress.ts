import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { dayOf } from '../../clock.ts'
import { AppError, messageOf } from '../../errors.ts'
import {
  currentSnapshot,
  loadLookup,
  type Lookup,
  type PersonMark,
  suppressedIn,
} from '../../lookup/index.ts'
import { normalizeAddress } from '../../normalize/address.ts'
import { parseBirthDate } from '../../normalize/birth-date.ts'
import { normalizeEmail } from '../../normalize/email.ts'
import { fold } from '../../normalize/fold.ts'
import { parsePhone } from '../../normalize/phone.ts'
import { openLog } from '../../log.ts'
import { type Purged, purgeSnapshots } from '../../publish/purge.ts'
import { requireNotFetched } from '../../replicate/status.ts'
import { uploadCurrent } from '../../replicate/upload.ts'
import { openStore } from '../../store/open.ts'
import type { State } from '../../state/open.ts'
import type { NewSuppression, StoredSuppression } from '../../state/suppressions.ts'
import { openWarehouse } from '../../warehouse/open.ts'
import { DELETION_LISTS, type DeletionKind, readDeletionList } from '../deletion-list.ts'
import { runStateAct, type StateActs, usageErrors } from '../acts.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { tableLines } from '../table.ts'

export const summary = 'removes people from every answer permanently'
export const usage = `platbook suppress add --person ID | --phone NUMBER | --email ADDRESS | --address 'STREET, CITY, ST ZIP'
                      | --first-name TEXT --last-name TEXT --born YYYY-MM-DD --zip ZIP
       platbook suppress import LIST.csv [--list email|phone|ndz] [--reply REPLY.csv] [--found-status 2|3|4]
       platbook suppress list
       platbook suppress remove SUPPRESSION_ID
       platbook suppress purge
       each with [--data DIR] [--json]

purge rewrites the existing snapshots without the suppressed people, and those of SNAPSHOT_STORE; each new snapshot is published without them anyway.
LIST.csv is a deletion list of California's DROP (ID,Hash), or a list of withdrawn work items (ID,Hash,ListType).`

const OPTIONS = {
  json: { type: 'boolean', default: false },
  person: { type: 'string' },
  phone: { type: 'string' },
  email: { type: 'string' },
  address: { type: 'string' },
  'first-name': { type: 'string' },
  'last-name': { type: 'string' },
  born: { type: 'string' },
  zip: { type: 'string' },
  list: { type: 'string' },
  reply: { type: 'string' },
  'found-status': { type: 'string', default: '4' },
} as const

const badUsage = usageErrors(usage)
const parsed = (argv: string[]) => parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
type Values = ReturnType<typeof parsed>['values']

const ACTS: StateActs<Values> = {
  add: { run: add },
  import: { run: importList, argument: 'the file of a deletion list' },
  list: { run: list },
  remove: { run: remove, argument: 'a suppression: `platbook suppress list` shows the ids' },
  purge: { run: purge },
}

export async function run(argv: string[], io: CommandIo): Promise<number> {
  return runStateAct('suppress', ACTS, parsed(argv), badUsage, io)
}

async function add(state: State, values: Values, io: CommandIo): Promise<void> {
  await withLookup(io, async (lookup) => {
    const wanted = wantedOf(values, lookup, dayOf(io.now()))
    const [added] = await state.suppressions.add([wanted])
    const [people] = await countsOf(lookup, [added!])
    const line = `${added!.suppression_id} ${saying(people ?? null)}`
    print(io, values.json, { ...shownOf(added!), people }, [line])
  })
}

function saying(people: number | null): string {
  if (people === null) return 'is recorded and applies from the first snapshot on'
  const whom = people === 0 ? 'matches nobody in the current snapshot' : `matches ${people} ${people === 1 ? 'person' : 'people'} in the current snapshot` // prettier-ignore
  return `${whom}; running servers apply it within 2 seconds`
}

async function list(state: State, { json }: Values, io: CommandIo): Promise<void> {
  const stored = await state.suppressions.list()
  const all = stored.map(shownOf).sort((left, right) => (left.created_at < right.created_at ? -1 : 1))
  const rows = all.map(({ suppression_id, kind, value, work_item_id, created_at }) => [suppression_id, kind, value, work_item_id ?? '-', created_at.slice(0, 10)]) // prettier-ignore
  print(io, json, all, tableLines(['id', 'by', 'value', 'work item', 'since'], rows))
}

async function remove(state: State, { json }: Values, io: CommandIo, id: string): Promise<void> {
  await state.suppressions.remove(id)
  print(io, json, { removed: 1 }, [`${id} is removed; running servers apply it within 2 seconds`])
}

/** Rewrites all snapshots without the suppressed people. Returns exit code 1 when the current snapshot could not be rewritten. */
async function purge(state: State, { json }: Values, io: CommandIo): Promise<number> {
  const { config, signal } = io
  await requireNotFetched(config.paths.snapshots)
  // Opening the warehouse for writing prevents a nightly run from publishing at the same time.
  const warehouse = await openWarehouse(
    existsSync(config.paths.warehouse) ? config.paths.warehouse : ':memory:',
    {
      memoryLimit: config.DUCKDB_MEMORY_LIMIT,
      threads: config.DUCKDB_THREADS,
    },
  )
  try {
    const suppressions = await state.suppressions.list()
    const purged = await purgeSnapshots({
      db: warehouse.db,
      snapshots: config.paths.snapshots,
      suppression: { find: (folder) => suppressedIn(folder, suppressions), names: config.SUPPRESSED_NAMES },
      log: openLog(config),
      signal,
    })
    const lines = purged.length === 0 ? ['there are no snapshots'] : purged.map(purgeLine)
    if (config.SNAPSHOT_STORE !== undefined) lines.push(await purgeStore(config.SNAPSHOT_STORE, io))
    print(io, json, purged, lines)
    return purged.some(({ outcome }) => outcome === 'failed') ? 1 : 0
  } finally {
    await warehouse.close()
  }
}

/** Uploads the current snapshot and removes all others from the store. Services that fetch from it remove theirs. */
async function purgeStore(place: string, { config, signal }: CommandIo): Promise<string> {
  const store = await openStore(place, { settings: config, signal })
  try {
    const { snapshots } = config.paths
    const uploaded = await uploadCurrent({ store, snapshots, keep: 1, log: openLog(config), signal })
    return uploaded === null
      ? `${store.url} is unchanged`
      : `${store.url} has ${uploaded.version} and no older snapshot`
  } finally {
    store.close()
  }
}

function purgeLine({ version, outcome, people, replaced_by, reason }: Purged): string {
  switch (outcome) {
    case 'clean':
      return `${version}  contains no suppressed person`
    case 'rewritten':
      return `${version}  rewritten as ${replaced_by ?? ''} without ${people} ${people === 1 ? 'person' : 'people'}`
    case 'removed':
      return `${version}  removed, because it cannot be rewritten: ${reason ?? ''}`
    default:
      return `${version}  is the current snapshot and cannot be rewritten: ${reason ?? ''}; run \`platbook publish --full\`, then \`platbook suppress purge\` again`
  }
}

async function importList(state: State, values: Values, io: CommandIo, path: string): Promise<void> {
  const foundStatus = values['found-status']
  if (!/^[234]$/.test(foundStatus)) throw badUsage(`--found-status takes 2, 3 or 4, not '${foundStatus}'`)
  const read = await readDeletionList(path, kindOf(values.list))
  if ('removed' in read) {
    const removed = await state.suppressions.removeWorkItems(read.removed)
    print(io, values.json, { removed }, [
      `${removed} of ${read.removed.length} withdrawn work items were on the list`,
    ])
    return
  }
  await withLookup(io, async (lookup) => {
    if (values.reply !== undefined && lookup === null)
      throw new AppError(
        'no_snapshot',
        '--reply needs a snapshot to search for the people: run `platbook nightly` first',
      )
    const added = await state.suppressions.add(read.added)
    const counts = await countsOf(lookup, added)
    const found = counts.filter((people) => people !== null && people > 0).length
    if (values.reply !== undefined) {
      const lines = added.map(({ work_item_id }, at) => `${work_item_id},${counts[at]! > 0 ? foundStatus : NOT_FOUND}`) // prettier-ignore
      await writeReply(values.reply, `Id,Status\n${lines.join('\n')}${lines.length > 0 ? '\n' : ''}`)
    }
    print(io, values.json, { listed: added.length, found }, [
      `${added.length} listed, ${found} of them found; running servers apply it within 2 seconds`,
    ])
  })
}

const NOT_FOUND = '5'

async function writeReply(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx' }).catch((cause: unknown) => {
    throw new AppError('output_unwritable', `cannot write the reply ${path}: ${messageOf(cause)}; the suppressions are recorded`, { cause }) // prettier-ignore
  })
}

function kindOf(name: string | undefined): DeletionKind | null {
  if (name === undefined) return null
  const kind = DELETION_LISTS[name.toLowerCase()]
  if (kind === undefined)
    throw badUsage(`--list takes ${Object.keys(DELETION_LISTS).join(', ')}, not '${name}'`)
  return kind
}

async function withLookup(io: CommandIo, body: (lookup: Lookup | null) => Promise<void>): Promise<void> {
  const current = await currentSnapshot(io.config.paths.snapshots)
  const lookup = current === null ? null : await loadLookup(current.folder)
  try {
    await body(lookup)
  } finally {
    lookup?.close()
  }
}

/** Returns for each suppression how many people of the snapshot it matches; null without a snapshot. */
async function countsOf(
  lookup: Lookup | null,
  suppressions: readonly StoredSuppression[],
): Promise<readonly (number | null)[]> {
  if (lookup === null) return suppressions.map(() => null)
  return (await lookup.suppress(suppressions))?.counts ?? []
}

function shownOf({ suppression_id, kind, value, work_item_id, created_at }: StoredSuppression) {
  return { suppression_id, kind, value, work_item_id, created_at }
}

function wantedOf(values: Values, lookup: Lookup | null, today: string): NewSuppression {
  const { person, phone, email, address, born } = values
  const hasName =
    values['first-name'] !== undefined || values['last-name'] !== undefined || born !== undefined
  const given = [person, phone, email, address, hasName ? 'name' : undefined].filter(
    (one) => one !== undefined,
  )
  if (given.length !== 1)
    throw badUsage(
      'give exactly one of --person, --phone, --email, --address, or a name with --born and --zip',
    )
  if (person !== undefined) return personWanted(person, lookup, today)
  if (phone !== undefined) return { kind: 'phone', value: parsePhone(phone)?.phone ?? refuse('--phone', phone, 'is not a North American phone number') } // prettier-ignore
  if (email !== undefined) return { kind: 'email', value: normalizeEmail(email) ?? refuse('--email', email, 'is not an e-mail address') } // prettier-ignore
  if (address !== undefined) return addressWanted(address)
  return nameWanted(values, today)
}

function personWanted(id: string, lookup: Lookup | null, today: string): NewSuppression {
  if (!/^P[0-9A-Za-z]{10}$/.test(id)) refuse('--person', id, 'is not P followed by 10 letters and digits')
  const document = lookup?.person(id, today) ?? null
  if (document === null) return { kind: 'person', value: id }
  const known = JSON.parse(document.toString()) as Known
  const { name, date_of_birth: birth_date } = known
  const marks: PersonMark[] = [...known.current_addresses, ...known.historic_addresses].map(
    ({ address_id }) => ({ name, address_id, birth_date }),
  )
  return { kind: 'person', value: known.id, marks }
}

interface Known {
  readonly id: string
  readonly name: string
  readonly date_of_birth: string | null
  readonly current_addresses: readonly { readonly address_id: string }[]
  readonly historic_addresses: readonly { readonly address_id: string }[]
}

function addressWanted(text: string): NewSuppression {
  const read = normalizeAddress({ line_1: text, city: null, state: null, zip: null })
  const hasHouse = read.house_number !== null || read.po_box !== null
  if (!hasHouse || (read.city === null && read.zip === null))
    refuse('--address', text, 'needs a house number, a street, and a city or ZIP')
  return { kind: 'address', value: `${oneLine(text)}|||` }
}

function nameWanted(values: Values, today: string): NewSuppression {
  const { 'first-name': first = '', 'last-name': last = '', born = '', zip = '' } = values
  if (first.trim() === '' || last.trim() === '')
    throw badUsage('a name needs --first-name, --last-name, --born and --zip')
  const birth = parseBirthDate(born, today)
  if (birth === null || birth.endsWith('-00')) refuse('--born', born, 'is not a date such as 1970-05-12')
  if (!/^\d{5}$/.test(zip)) refuse('--zip', zip, 'is not 5 digits')
  return { kind: 'name', value: [oneLine(first), oneLine(last), birth, zip].join('|') }
}

// Removes `|`, which separates the parts of a suppression's value.
function oneLine(text: string): string {
  return fold(text).replaceAll(/[\s|]+/g, ' ').trim() // prettier-ignore
}

function refuse(option: string, value: string, reason: string): never {
  throw badUsage(`${option} '${value}' ${reason}`)
}
