/** The parts of a street line in their order. */
export const STREET_PARTS = ['house_number', 'street_direction', 'street_name', 'street_type', 'street_post_direction'] as const // prettier-ignore
export type StreetPart = (typeof STREET_PARTS)[number]

/** The fields that a column can hold. */
export const CLUE_FIELDS = [
  'person_id', 'name', 'first_name', 'middle_name', 'last_name', 'address', ...STREET_PARTS, 'address_2', 'city', 'state', 'zip', 'phone', 'email',
  'birth_date', 'age', 'property_id', 'apn', 'county', 'key', 'city_state_zip',
] as const // prettier-ignore
export type ClueField = (typeof CLUE_FIELDS)[number]

/** Whose address a column belongs to. An input may have several addresses; rows are searched by one. */
export type Place = 'plain' | 'home' | 'mailing' | 'property' | 'other'

/** The meaning of a column's name. */
export interface ColumnName {
  readonly field: ClueField
  readonly place: Place
  /** 2 for `Owner 2 Last Name`; 1 for names without a number. */
  readonly ordinal: number
}

const NAMES: Readonly<Record<ClueField, readonly string[]>> = {
  person_id: ['personid', 'pbpersonid', 'platbookid', 'platbookpersonid'],
  name: ['name', 'fullname', 'personname', 'contactname', 'customername', 'clientname', 'leadname', 'ownername', 'ownersname', 'owner', 'owners', 'contact', 'namefull', 'firstandlastname', 'firstlastname', 'nombre', 'nombrecompleto'],
  first_name: ['firstname', 'fname', 'first', 'givenname', 'forename', 'namefirst', 'primernombre'],
  middle_name: ['middlename', 'mname', 'middle', 'middleinitial', 'mi', 'namemiddle'],
  last_name: ['lastname', 'lname', 'last', 'surname', 'familyname', 'namelast', 'apellido', 'apellidos', 'primerapellido'],
  address: ['address', 'address1', 'addr', 'addr1', 'addressline1', 'addressline', 'addrline1', 'line1', 'street', 'street1', 'streetaddress', 'streetaddress1', 'streetline1', 'fulladdress', 'formattedaddress', 'wholeaddress', 'residence', 'direccion', 'calle', 'domicilio'],
  house_number: ['housenumber', 'housenum', 'houseno', 'house', 'streetnumber', 'streetnum', 'streetno', 'stnumber', 'stno', 'addressnumber', 'addressnum'],
  street_direction: ['streetdirection', 'streetdir', 'predirection', 'predirectional', 'predir', 'streetpredirection', 'streetpredir', 'streetprefix', 'direction', 'dir'],
  street_name: ['streetname', 'stname', 'roadname'],
  street_type: ['streettype', 'streetsuffix', 'streetmode', 'sttype', 'stsuffix', 'roadtype'],
  street_post_direction: ['postdirection', 'postdirectional', 'postdir', 'suffixdirection', 'streetpostdirection', 'streetpostdir'],
  address_2: ['address2', 'addr2', 'addressline2', 'addrline2', 'line2', 'street2', 'streetaddress2', 'streetline2', 'unit', 'apt', 'apartment', 'suite', 'unitnumber', 'unitno', 'aptnumber', 'aptno'],
  city: ['city', 'town', 'locality', 'municipality', 'cityname', 'ciudad'],
  state: ['state', 'statecode', 'st', 'province', 'region', 'stateabbr', 'stateprovince', 'stateregion', 'provincecode', 'estado'],
  zip: ['zip', 'zipcode', 'zip5', 'postalcode', 'postcode', 'postal', 'zippostalcode', 'zippostal', 'ziporpostalcode', 'codigopostal'],
  phone: ['phone', 'phonenumber', 'phoneno', 'telephone', 'telephonenumber', 'tel', 'mobile', 'mobilephone', 'mobilenumber', 'cell', 'cellphone', 'cellnumber', 'landline', 'contactnumber', 'telefono', 'celular', 'movil'],
  email: ['email', 'emailaddress', 'mail', 'correo', 'correoelectronico'],
  birth_date: ['birthdate', 'dob', 'dateofbirth', 'birthday', 'bdate', 'birth', 'birthyear', 'yearofbirth', 'yob', 'fechadenacimiento'],
  age: ['age', 'edad'],
  property_id: ['propertyid', 'pbpropertyid', 'addressid', 'platbookpropertyid'],
  apn: ['apn', 'parcel', 'parcelnumber', 'parcelid', 'parcelno', 'assessorparcelnumber', 'folio', 'pin', 'bbl'],
  county: ['county', 'countyname', 'fips', 'countyfips', 'fipscode', 'condado'],
  city_state_zip: ['citystatezip', 'citystzip', 'citystate', 'citystatezipcode', 'cityandstate', 'csz'],
  key: ['key'],
} // prettier-ignore
const BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([field, names]) => names.map((name) => [name, field as ClueField])),
)

/** Prefixes of address columns. Shops and address books put `address` or `default` in front. */
const PLACES: Readonly<Record<string, Place>> = {
  home: 'home', residence: 'home', residential: 'home', resident: 'home', res: 'home', current: 'home', permanent: 'home', primary: 'home',
  mailing: 'mailing', mail: 'mailing', owner: 'mailing', postal: 'mailing',
  property: 'property', prop: 'property', site: 'property', situs: 'property', physical: 'property', phy: 'property', parcel: 'property', subject: 'property',
  billing: 'other', shipping: 'other', business: 'other', work: 'other', office: 'other', other: 'other', alternate: 'other', secondary: 'other', second: 'other',
  address: 'plain', default: 'plain', contact: 'plain', customer: 'plain', client: 'plain', person: 'plain', voter: 'plain',
} // prettier-ignore
const PERSONS = ['owner', 'contact', 'person', 'customer', 'client', 'lead', 'prospect', 'buyer', 'seller', 'member', 'donor', 'voter', 'patient', 'applicant', 'borrower', 'tenant', 'resident', 'employee', 'student', 'subscriber', 'primary'] // prettier-ignore
const REACHED = [...PERSONS, 'home', 'work', 'business', 'office', 'other', 'main', 'personal', 'mobile', 'cell', 'day', 'daytime', 'evening', 'night', 'alternate', 'secondary', 'default', 'address'] // prettier-ignore
const REACHED_ENDS = ['value', 'number', 'home', 'work', 'business', 'office', 'other', 'mobile', 'cell', 'main', 'primary', 'personal', 'day', 'evening'] // prettier-ignore

const PLACE_FIELDS: readonly ClueField[] = ['address', ...STREET_PARTS, 'address_2', 'city', 'state', 'zip', 'city_state_zip', 'county'] // prettier-ignore
const NAME_FIELDS: readonly ClueField[] = ['name', 'first_name', 'middle_name', 'last_name', 'birth_date']

/** Returns whether a field is part of an address. */
export function isAddressField(field: ClueField): boolean {
  return PLACE_FIELDS.includes(field) && field !== 'county'
}

/** In letters and digits. A longer text is not a column name. */
const LONGEST_NAME = 80

/**
 * Returns the field that a column name means: `Mailing Zip/Postal Code`, `E-mail 1 - Value`, `OWNER_1_LAST_NAME`; null
 * for unknown names.
 */
export function readColumnName(name: string): ColumnName | null {
  const plain = name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
  if (plain.length > LONGEST_NAME) return null
  const exact = BY_NAME.get(plain)
  if (exact !== undefined) return { field: exact, place: 'plain', ordinal: 1 }
  return (
    ofPlace(plain, 'plain', 1) ??
    qualified(plain, 1, PERSONS, [], NAME_FIELDS) ??
    qualified(plain, 1, REACHED, REACHED_ENDS, ['phone', 'email'])
  )
}

/** Reads a prefix of an address and a field: `mailingstateprovince`, `address1street`, `defaultaddresszip`. */
function ofPlace(plain: string, place: Place, ordinal: number): ColumnName | null {
  const known = fieldOf(plain, PLACE_FIELDS)
  if (known !== null) return { ...known, place, ordinal: Math.max(ordinal, known.ordinal) }
  const counted = /^\d/.exec(plain)
  if (counted !== null) return ofPlace(plain.slice(1), place, Number(counted[0]))
  for (const [word, its] of Object.entries(PLACES)) {
    if (!plain.startsWith(word)) continue
    const found = ofPlace(plain.slice(word.length), its === 'plain' ? place : its, ordinal)
    if (found !== null) return found
  }
  return null
}

/**
 * Removes known words from both ends until a field remains: `owner1lastname`, `email1value`. `tried` holds the texts
 * that were tested before.
 */
function qualified(
  plain: string,
  ordinal: number,
  begins: readonly string[],
  ends: readonly string[],
  fields: readonly ClueField[],
  tried = new Set<string>(),
): ColumnName | null {
  if (tried.has(plain)) return null
  tried.add(plain)
  const known = fieldOf(plain, fields)
  if (known !== null) return { ...known, place: 'plain', ordinal: Math.max(ordinal, known.ordinal) }
  const counted = /^\d|\d$/.exec(plain)
  const rest = [
    ...(counted === null ? [] : [counted.index === 0 ? plain.slice(1) : plain.slice(0, -1)]),
    ...begins.filter((word) => plain.startsWith(word)).map((word) => plain.slice(word.length)),
    ...ends.filter((word) => plain.endsWith(word)).map((word) => plain.slice(0, -word.length)),
  ]
  const its = counted === null ? ordinal : Number(counted[0])
  for (const shorter of rest) {
    const found = qualified(shorter, its, begins, ends, fields, tried)
    if (found !== null) return found
  }
  return null
}

// In exports of contacts and leads, `owner` alone is the salesperson.
const ALONE = new Set(['owner', 'owners', 'contact'])

/**
 * Returns the field that a text names. The digit in phone2, email3address and owner2 is a count. address1 and zip5 are
 * names of their own.
 */
function fieldOf(plain: string, fields: readonly ClueField[]): Omit<ColumnName, 'place'> | null {
  const counted = /\d/.exec(plain)
  for (const [text, ordinal] of [
    [plain, 1],
    ...(counted === null ? [] : [[plain.replace(counted[0], ''), Number(counted[0])] as const]),
  ] as const) {
    const field = ALONE.has(plain) ? undefined : BY_NAME.get(text)
    if (field !== undefined && fields.includes(field)) return { field, ordinal }
  }
  return null
}
