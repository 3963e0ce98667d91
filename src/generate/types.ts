import type { Table } from './columns.ts'
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

/** Who owns: the kind of owner above 2^24, the person, business or government below. */
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

/** Everything of a world. A parcel's `owner` is day 1's; `laterDeed` is the deed of day 2, `sharedDeed` one over several parcels that starts at another. Rows are numbers into tables; -1 is none; days are those of `calendar.ts`. */
export interface World {
  readonly seed: number
  readonly counties: readonly County[]
  readonly places: readonly Place[]
  readonly names: NameLists
  readonly streets: Table<'place' | 'name' | 'suffix' | 'direction' | 'next'>
  readonly addresses: Table<'street' | 'number' | 'fraction' | 'unit' | 'parcel'>
  readonly parcels: Table<
    | 'county'
    | 'kind'
    | 'address'
    | 'serial'
    | 'block'
    | 'lot'
    | 'units'
    | 'yearBuilt'
    | 'living'
    | 'land'
    | 'value'
    | 'household'
    | 'firstDeed'
    | 'deedCount'
    | 'sharedDeed'
    | 'owner'
    | 'laterDeed'
  >
  /** `newHome` is where they live on day 2, when they moved. */
  readonly households: Table<
    'county' | 'head' | 'size' | 'couple' | 'home' | 'movedIn' | 'landline' | 'owned' | 'newHome'
  >
  /** A household's people follow one another: the head, the spouse of a couple, the others. `middle` is twice the name, plus one for a bare initial. */
  readonly people: Table<
    | 'sex'
    | 'first'
    | 'middle'
    | 'last'
    | 'secondLast'
    | 'maiden'
    | 'marriedOn'
    | 'suffix'
    | 'bornOn'
    | 'diedOn'
    | 'household'
    | 'employer'
    | 'job'
    | 'mobile'
    | 'secondMobile'
    | 'oldMobile'
    | 'oldMobileUntil'
    | 'newMobile'
    | 'home1'
    | 'home1Until'
    | 'home2'
    | 'home2Until'
  >
  readonly businesses: Table<'county' | 'kind' | 'address' | 'phone' | 'tollFree' | 'person'>
  readonly deeds: Table<
    | 'parcel'
    | 'parcels'
    | 'recordedOn'
    | 'signedOn'
    | 'price'
    | 'kind'
    | 'grantor'
    | 'grantee'
    | 'mortgage'
    | 'lender'
    | 'satisfiedOn'
    | 'corrects'
    | 'rank'
  >
  /** Deeds of each county, by number of the county, in the order of their recording. */
  deedsInOrder: Int32Array[]
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
