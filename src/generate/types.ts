import { type Table, table } from './columns.ts'
import type { County } from './counties.ts'
import type { NameLists } from './names.ts'

/** A ZIP code of a county of the world. */
export interface Place {
  readonly county: number
  readonly zip: string
  readonly city: string
  readonly latitude: number
  readonly longitude: number
}

export const PARCEL = {
  singleFamily: 0,
  condo: 1,
  twoFamily: 2,
  apartments: 3,
  townhouse: 4,
  mobileHome: 5,
  vacant: 6,
  commercial: 7,
  government: 8,
} as const

export const BUSINESS = {
  llc: 0,
  inc: 1,
  corporation: 2,
  partnership: 3,
  bank: 4,
  homeowners: 5,
  condoAssociation: 6,
  church: 7,
  medical: 8,
  hospital: 9,
  addressLlc: 10,
  familyLlc: 11,
  builder: 12,
} as const

/** Kinds of owners. An owner's code is the kind times 2^24 plus the row of the person, business or public body. */
export const OWNER = {
  person: 1,
  couple: 2,
  trustee: 3,
  familyTrust: 4,
  namedTrust: 5,
  estate: 6,
  lifeEstate: 7,
  parentAndChild: 8,
  business: 9,
  government: 10,
} as const

export const DEED = {
  sale: 0,
  quitclaim: 1,
  correction: 2,
  foreclosure: 3,
  estate: 4,
  lifeEstate: 5,
  trust: 6,
} as const

/** The columns of each table of a world. */
// prettier-ignore
export const COLUMNS = {
  streets: ['place', 'name', 'suffix', 'direction', 'next'],
  addresses: ['street', 'number', 'fraction', 'unit', 'parcel'],
  /** `owner` is the owner of day 1, `laterDeed` the deed of day 2. `sharedDeed` is a deed over several parcels that starts at another one. */
  parcels: ['county', 'kind', 'address', 'serial', 'block', 'lot', 'units', 'yearBuilt', 'living', 'land', 'value', 'household', 'firstDeed', 'deedCount', 'sharedDeed', 'owner', 'laterDeed'],
  /** `newHome` is the home of day 2 of a household that moves. */
  households: ['county', 'head', 'size', 'couple', 'home', 'movedIn', 'landline', 'owned', 'newHome'],
  /** The people of a household follow one another: the head, the spouse of a couple, the others. `middle` is twice the row of the name, plus one for an initial. */
  people: ['sex', 'first', 'middle', 'last', 'secondLast', 'maiden', 'marriedOn', 'suffix', 'bornOn', 'diedOn', 'household', 'employer', 'job', 'mobile', 'secondMobile', 'oldMobile', 'oldMobileUntil', 'newMobile', 'home1', 'home1Until', 'home2', 'home2Until'],
  businesses: ['county', 'kind', 'address', 'phone', 'tollFree', 'person'],
  deeds: ['parcel', 'parcels', 'recordedOn', 'signedOn', 'price', 'kind', 'grantor', 'grantee', 'mortgage', 'lender', 'satisfiedOn', 'corrects', 'rank'],
} as const

type Tables = { readonly [Name in keyof typeof COLUMNS]: Table<(typeof COLUMNS)[Name][number]> }

/** The invented people, parcels and deeds. A column that names a row of a table has its number, -1 for none. Days: `calendar.ts`. */
export interface World extends Tables {
  readonly seed: number
  readonly counties: readonly County[]
  readonly places: readonly Place[]
  readonly names: NameLists
  /** Deeds of each county, by number of the county, in the order of their recording. */
  deedsInOrder: Int32Array[]
}

/** Returns the tables of a world, without rows. */
export function emptyTables(): Tables {
  const tables = Object.entries(COLUMNS).map(([name, columns]) => [name, table(...columns)])
  return Object.fromEntries(tables) as Tables
}

const OWNER_SHIFT = 16_777_216

export function owner(kind: number, row: number): number {
  return kind * OWNER_SHIFT + row
}

export function ownerKind(code: number): number {
  return Math.floor(code / OWNER_SHIFT)
}

export function ownerRow(code: number): number {
  return code % OWNER_SHIFT
}
