import { AppError } from '../errors.ts'
import { parseBirthDate } from '../normalize/birth-date.ts'
import { normalizeEmail } from '../normalize/email.ts'
import { parsePhone } from '../normalize/phone.ts'
import { nameFrequency } from '../normalize/name-frequencies.ts'
import { stateCode, zipPlace } from '../normalize/places.ts'

/** What a column of a list can hold that a row is searched by. */
export const CLUE_FIELDS = [
  'person_id', 'name', 'first_name', 'middle_name', 'last_name', 'address', 'address_2', 'city', 'state', 'zip', 'phone', 'email',
  'birth_date', 'age', 'property_id', 'apn', 'county', 'key',
] as const // prettier-ignore
export type ClueField = (typeof CLUE_FIELDS)[number]

/** Several columns may hold these. */
const REPEATABLE: ReadonlySet<ClueField> = new Set(['phone', 'email'])
const MOST_REPEATED = 4
export const MOST_COLUMNS = 1_000

export interface MappedColumn {
  readonly column: number
  readonly field: ClueField
  /** Who said so: the column's name, what it holds, or `--map`. */
  readonly by: 'name' | 'content' | 'map'
}

export interface Mapping {
  readonly columns: readonly MappedColumn[]
  /** What may be wrong with it, in sentences: somebody should look before thousands of rows are searched by it. */
  readonly doubts: readonly string[]
  /** Columns that are not used though they hold what looks like something to search by. */
  readonly hints: ReadonlyMap<number, ClueField>
}

const NAMES: Readonly<Record<ClueField, readonly string[]>> = {
  person_id: ['personid', 'pbpersonid', 'platbookid', 'platbookpersonid'],
  name: ['name', 'fullname', 'personname', 'contactname', 'customername', 'clientname', 'leadname', 'ownername', 'owner', 'contact', 'nombre'],
  first_name: ['firstname', 'fname', 'first', 'givenname', 'forename', 'namefirst', 'ownerfirstname', 'contactfirstname'],
  middle_name: ['middlename', 'mname', 'middle', 'middleinitial', 'mi', 'namemiddle'],
  last_name: ['lastname', 'lname', 'last', 'surname', 'familyname', 'namelast', 'ownerlastname', 'contactlastname'],
  address: ['address', 'address1', 'addr', 'addr1', 'addressline1', 'line1', 'street', 'street1', 'streetaddress', 'fulladdress', 'homeaddress', 'mailingaddress', 'propertyaddress', 'siteaddress', 'situsaddress', 'residence'],
  address_2: ['address2', 'addr2', 'addressline2', 'line2', 'street2', 'unit', 'apt', 'apartment', 'suite', 'unitnumber'],
  city: ['city', 'town', 'locality', 'municipality', 'mailingcity', 'homecity', 'propertycity'],
  state: ['state', 'statecode', 'st', 'province', 'region', 'stateabbr', 'mailingstate', 'homestate', 'propertystate'],
  zip: ['zip', 'zipcode', 'zip5', 'postalcode', 'postcode', 'postal', 'mailingzip', 'homezip', 'propertyzip'],
  phone: ['phone', 'phonenumber', 'phoneno', 'telephone', 'tel', 'mobile', 'mobilephone', 'cell', 'cellphone', 'homephone', 'workphone', 'landline', 'primaryphone', 'contactphone', 'dayphone', 'eveningphone'],
  email: ['email', 'emailaddress', 'mail', 'e-mail', 'primaryemail', 'personalemail', 'workemail', 'contactemail'],
  birth_date: ['birthdate', 'dob', 'dateofbirth', 'birthday', 'bdate', 'birth', 'birthyear', 'yearofbirth', 'yob'],
  age: ['age'],
  property_id: ['propertyid', 'pbpropertyid', 'addressid', 'platbookpropertyid'],
  apn: ['apn', 'parcel', 'parcelnumber', 'parcelid', 'parcelno', 'assessorparcelnumber', 'folio', 'pin', 'bbl'],
  county: ['county', 'countyname', 'fips', 'countyfips', 'fipscode'],
  key: ['key'],
} // prettier-ignore
const BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([field, names]) => names.map((name) => [name, field as ClueField])),
)

/** What a value of a field looks like. Fields that anything can stand in have no test. */
const LOOKS: Partial<Record<ClueField, (text: string, today: string) => boolean>> = {
  person_id: (text) => /^P[0-9A-Za-z]{10}$/.test(text),
  property_id: (text) => /^[RA][0-9A-Za-z]{10}$/.test(text),
  email: (text) => normalizeEmail(text) !== null,
  phone: (text) => parsePhone(text) !== null,
  zip: (text) => /^\d{3,5}(?:-?\d{4})?$/.test(text),
  state: (text) => stateCode(text.toUpperCase().replaceAll('.', '')) !== null,
  birth_date: (text, today) => parseBirthDate(text, today) !== null,
  age: (text) => /^\d{1,3}(?:\.0+)?$/.test(text),
  name: (text) => /\p{L}/u.test(text) && !text.includes('@'),
  first_name: (text) => /\p{L}/u.test(text) && !text.includes('@'),
  last_name: (text) => /\p{L}/u.test(text) && !text.includes('@'),
  city: (text) => /\p{L}/u.test(text) && !/\d{4}/.test(text),
  address: (text) => /\p{L}/u.test(text),
}
/** So telling that a column is recognised by what it holds, whatever its name. */
const TELLING = ['person_id', 'property_id', 'email', 'phone'] as const

/** Less telling: for columns whose name says nothing, where no other column holds it; of ten values or more. */
const LIKE: readonly (readonly [ClueField, (text: string) => boolean])[] = [
  ['state', (text) => /^[A-Za-z]{2}$/.test(text) && stateCode(text.toUpperCase()) !== null],
  ['zip', (text) => /^\d{5}(?:-\d{4})?$/.test(text) && zipPlace(text.slice(0, 5)) !== undefined],
  ['address', (text) => /^\d+\S* .+[ ,][A-Za-z]{2}[ ,]+\d{5}(?:-\d{4})?$/.test(text)],
  ['name', isNameOfPerson],
]
const ENOUGH = 10

function isNameOfPerson(text: string): boolean {
  const words = text.toUpperCase().split(/[ ,]+/)
  if (words.length < 2 || words.length > 4 || !/^[\p{L}' ,.-]+$/u.test(text)) return false
  return words.filter((word) => nameFrequency(word) !== undefined).length >= 2
}

const MOSTLY = 0.9
const HARDLY = 0.3

/** Recognises columns by name, then by what they hold; `said` (from `--map`) overrides: null is a column not to use. */
export function recogniseColumns(
  header: readonly string[],
  sample: readonly (readonly string[])[],
  said: ReadonlyMap<number, ClueField | null>,
  today: string,
): Mapping {
  const columns: MappedColumn[] = []
  const doubts: string[] = []
  const shares = header.map((_, column) => valuesOf(sample, column))
  for (const [column, name] of header.entries()) {
    const told = said.get(column)
    if (told !== undefined) {
      if (told !== null) columns.push({ column, field: told, by: 'map' })
      continue
    }
    const named = BY_NAME.get(plainName(name))
    const values = shares[column]!
    const looks = named === undefined ? undefined : LOOKS[named]
    const found = TELLING.find((field) => field !== named && values.length > 2 && share(values, LOOKS[field]!, today) >= MOSTLY) // prettier-ignore
    const fits = looks === undefined || values.length === 0 ? 1 : share(values, looks, today)
    if (named !== undefined && fits >= HARDLY) columns.push({ column, field: named, by: 'name' })
    else if (found !== undefined) columns.push({ column, field: found, by: 'content' })
    if (named !== undefined && fits < HARDLY) {
      const holds = found === undefined ? `hardly ever holds one (${Math.round(fits * 100)} % of ${values.length} values)` : `holds what looks like ${found}` // prettier-ignore
      doubts.push(`column '${name}' is called like ${named} but ${holds}`)
    }
  }
  const hints = recogniseByContent(header, shares, said, columns, doubts)
  return { columns: settled(header, columns, doubts), doubts, hints }
}

/** Adds what is safe to use. Names and addresses may be anybody's: they are used where there is nothing else, which is a doubt. */
function recogniseByContent(
  header: readonly string[],
  values: readonly (readonly string[])[],
  said: ReadonlyMap<number, ClueField | null>,
  columns: MappedColumn[],
  doubts: string[],
): Map<number, ClueField> {
  const hints = new Map<number, ClueField>()
  const isSearchable = columns.some(({ field }) => SEARCHABLE.includes(field))
  for (const [field, looks] of LIKE) {
    const parts: readonly ClueField[] = field === 'name' ? ['name', 'first_name', 'last_name'] : [field]
    if (columns.some((one) => parts.includes(one.field))) continue
    for (const column of header.keys()) {
      const isFree = !said.has(column) && !columns.some((one) => one.column === column)
      const held = values[column]!
      if (!isFree || BY_NAME.has(plainName(header[column]!)) || held.length < ENOUGH) continue
      if (held.filter(looks).length < held.length * MOSTLY) continue
      const isUsed = field === 'state' || field === 'zip' || !isSearchable
      if (isUsed) columns.push({ column, field, by: 'content' })
      else hints.set(column, field)
      if (isUsed && !isSearchable && SEARCHABLE.includes(field))
        doubts.push(`column '${header[column]}' is taken for ${field} by what it holds`)
      break
    }
  }
  return hints
}

/** One column for each field; of several the one that was told, else the first, which is a doubt. */
function settled(
  header: readonly string[],
  columns: readonly MappedColumn[],
  doubts: string[],
): MappedColumn[] {
  const kept: MappedColumn[] = []
  for (const field of CLUE_FIELDS) {
    const all = columns.filter((one) => one.field === field)
    const told = all.filter((one) => one.by === 'map')
    const most = REPEATABLE.has(field) ? MOST_REPEATED : 1
    kept.push(...(told.length > 0 && most === 1 ? told : all).slice(0, most))
    if (most === 1 && told.length !== 1 && all.length > 1) {
      doubts.push(`${all.map(({ column }) => `'${header[column]}'`).join(' and ')} both look like ${field}`)
    }
  }
  const has = (field: ClueField): boolean => kept.some((one) => one.field === field)
  const isDivided = has('first_name') && has('last_name')
  const used = kept.filter((one) => !(isDivided && one.field === 'name' && one.by !== 'map'))
  if (!SEARCHABLE.some(has))
    doubts.push('no column was recognised that a person or a property could be found by')
  if (has('apn') && !has('county'))
    doubts.push('a parcel number means nothing without its county: no column holds one')
  return used.sort((a, b) => a.column - b.column)
}

const SEARCHABLE: readonly ClueField[] = ['person_id', 'name', 'first_name', 'last_name', 'address', 'phone', 'email', 'property_id', 'apn'] // prettier-ignore

function plainName(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  // phone_1, Phone 2, email3; but address1 and zip5 are names of their own.
  return BY_NAME.has(plain) ? plain : plain.replace(/\d$/, '')
}

const MOST_LOOKED_AT = 300

function valuesOf(sample: readonly (readonly string[])[], column: number): string[] {
  const values: string[] = []
  for (const row of sample) {
    const value = (row[column] ?? '').trim()
    if (value !== '' && values.push(value) === MOST_LOOKED_AT) break
  }
  return values
}

function share(
  values: readonly string[],
  looks: (text: string, today: string) => boolean,
  today: string,
): number {
  return values.filter((value) => looks(value, today)).length / Math.max(1, values.length)
}

/** `--map Column=field`, `Column=-` for a column not to use. @throws `bad_usage` naming what there is. */
export function parseMap(texts: readonly string[], header: readonly string[]): Map<number, ClueField | null> {
  const said = new Map<number, ClueField | null>()
  for (const text of texts) {
    const at = text.lastIndexOf('=')
    const [name, field] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
    const column = header.indexOf(name)
    if (at < 1 || column < 0) {
      throw new AppError(
        'bad_usage',
        `--map ${text}: there is no column '${name}'; the columns are ${header.slice(0, 40).join(', ')}`,
      )
    }
    if (field !== '-' && !CLUE_FIELDS.includes(field as ClueField)) {
      throw new AppError(
        'bad_usage',
        `--map ${text}: there is no field '${field}'; the fields are ${CLUE_FIELDS.join(', ')}, or - for none`,
      )
    }
    said.set(column, field === '-' ? null : (field as ClueField))
  }
  return said
}

/** @throws `bad_input` when columns can't be told apart, are too many, or the first row is no header. */
export function checkHeader(header: readonly string[], file: string, prefix: string): void {
  if (header.length > MOST_COLUMNS) {
    throw new AppError(
      'bad_input',
      `${file} has ${header.length} columns; a list has at most ${MOST_COLUMNS}: leave out those that needn't come back`,
    )
  }
  const seen = new Map<string, number>()
  for (const [column, name] of header.entries()) {
    const before = seen.get(name)
    if (name !== '' && before !== undefined) {
      throw new AppError(
        'bad_input',
        `${file}: the column '${name}' stands twice in the header (columns ${before + 1} and ${column + 1}): rename one of them`,
      )
    }
    seen.set(name, column)
    if (name.startsWith(prefix)) {
      throw new AppError(
        'bad_input',
        `${file} already has a column '${name}': choose another --prefix than ${prefix}`,
      )
    }
  }
  const data = header.find(
    (name) =>
      normalizeEmail(name) !== null ||
      /^\d{5,}$/.test(name) ||
      (parsePhone(name) !== null && /\d{3}/.test(name)),
  )
  if (data !== undefined) {
    throw new AppError(
      'bad_input',
      `${file} begins with a row of data and no header: its first line must name the columns`,
    )
  }
}

/** The mapping as it is shown: `Email → email (by content)`. */
export function mappingLines(header: readonly string[], mapping: Mapping): string[] {
  const width = Math.max(4, ...mapping.columns.map(({ column }) => header[column]!.length))
  const lines = mapping.columns.map(
    ({ column, field, by }) =>
      `  ${header[column]!.padEnd(width)}  → ${field}${by === 'name' ? '' : by === 'map' ? '  (--map)' : '  (by what it holds)'}`,
  )
  const used = new Set(mapping.columns.map(({ column }) => column))
  const rest = header.flatMap((name, column) => {
    const hint = mapping.hints.get(column)
    if (used.has(column)) return []
    return hint === undefined ? name : `${name} (${hint}? then --map '${name}=${hint}')`
  })
  if (rest.length > 0)
    lines.push(`  not used: ${rest.slice(0, 20).join(', ')}${rest.length > 20 ? ', …' : ''}`)
  return lines
}
