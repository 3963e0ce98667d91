import { createRequire } from 'node:module'
import { AppError } from '../errors.ts'
import { FLORIDA } from './florida.ts'

/** How streets are named and parcels numbered. */
export type Style = 'manhattan' | 'outer_borough' | 'queens' | 'south_florida' | 'florida' | 'texas'

export interface CountyPlan {
  readonly fips: string
  readonly name: string
  readonly state: 'NY' | 'FL' | 'TX'
  readonly style: Style
  /** How many of the people live here, against the other counties of a world. */
  readonly weight: number
  readonly areaCodes: readonly string[]
  /** ZIP codes, or ranges of them (`10001-10014`). */
  readonly zips?: string
  /** Or cities, whose ZIP codes are looked up. */
  readonly cities?: readonly string[]
  /** ACRIS and PLUTO. */
  readonly borough?: { readonly number: number; readonly letters: string }
  /** Florida's Department of Revenue and Division of Elections. */
  readonly florida?: { readonly number: number; readonly voters: string }
  readonly pacs?: 'travis' | 'bexar' | 'williamson'
}

export interface Zip {
  readonly zip: string
  readonly city: string
  readonly latitude: number
  readonly longitude: number
}

export interface County extends CountyPlan {
  readonly places: readonly Zip[]
}

/** Counties that a world has when none are named; the sample has five of them. */
export const DEFAULT_COUNTIES = ['36061', '36081', '12011', '12086', '48201', '48453'] as const

const NAMED: readonly CountyPlan[] = [
  {
    fips: '36061',
    name: 'New York',
    state: 'NY',
    style: 'manhattan',
    weight: 13,
    areaCodes: ['212', '646', '917', '332'],
    zips: '10001-10014 10016-10040 10044 10065 10069 10075 10128 10280 10282',
    borough: { number: 1, letters: 'MN' },
  },
  {
    fips: '36005',
    name: 'Bronx',
    state: 'NY',
    style: 'outer_borough',
    weight: 12,
    areaCodes: ['718', '347', '929'],
    zips: '10451-10475',
    borough: { number: 2, letters: 'BX' },
  },
  {
    fips: '36047',
    name: 'Kings',
    state: 'NY',
    style: 'outer_borough',
    weight: 16,
    areaCodes: ['718', '347', '929'],
    zips: '11201 11203-11226 11228-11239 11249',
    borough: { number: 3, letters: 'BK' },
  },
  {
    fips: '36081',
    name: 'Queens',
    state: 'NY',
    style: 'queens',
    weight: 15,
    areaCodes: ['718', '347', '929', '917'],
    zips: '11004 11101-11106 11354-11358 11360-11370 11372-11375 11377-11379 11385 11411-11423 11426-11429 11432-11436 11691-11694',
    borough: { number: 4, letters: 'QN' },
  },
  {
    fips: '12011',
    name: 'Broward',
    state: 'FL',
    style: 'south_florida',
    weight: 14,
    areaCodes: ['954', '754'],
    zips: '33004 33009 33019-33021 33023-33029 33060 33062-33069 33071 33073 33076 33301 33304-33306 33308 33309 33311-33317 33319 33321-33328 33330-33332 33334 33351 33441 33442',
    florida: { number: 16, voters: 'BRO' },
  },
  {
    fips: '12086',
    name: 'Miami-Dade',
    state: 'FL',
    style: 'south_florida',
    weight: 17,
    areaCodes: ['305', '786'],
    zips: '33010 33012-33016 33018 33030-33035 33054-33056 33109 33122 33125-33147 33149 33150 33154-33158 33160-33162 33165-33170 33172-33190 33193 33194 33196',
    florida: { number: 23, voters: 'DAD' },
  },
  {
    fips: '48201',
    name: 'Harris',
    state: 'TX',
    style: 'texas',
    weight: 21,
    areaCodes: ['713', '281', '832', '346'],
    zips: '77002-77014 77016-77051 77053-77099 77336 77338 77339 77345 77346 77373 77375 77377 77379 77388 77389 77396 77401 77429 77433 77447 77449 77450 77493 77502-77506 77520 77521 77530 77532 77536 77547 77571 77586 77587 77598',
  },
  {
    fips: '48453',
    name: 'Travis',
    state: 'TX',
    style: 'texas',
    weight: 11,
    areaCodes: ['512', '737'],
    zips: '78617 78653 78660 78701-78705 78721-78739 78741 78742 78744-78754 78756-78759',
    pacs: 'travis',
  },
  {
    fips: '48029',
    name: 'Bexar',
    state: 'TX',
    style: 'texas',
    weight: 14,
    areaCodes: ['210', '726'],
    zips: '78109 78112 78148 78201-78205 78207-78233 78235 78237-78240 78242-78245 78247-78261 78264',
    pacs: 'bexar',
  },
  {
    fips: '48491',
    name: 'Williamson',
    state: 'TX',
    style: 'texas',
    weight: 8,
    areaCodes: ['512', '737'],
    zips: '76527 76530 76537 76574 78613 78626 78628 78633 78634 78641 78642 78664 78665 78681',
    pacs: 'williamson',
  },
]

const PLANS: ReadonlyMap<string, CountyPlan> = new Map(
  [...NAMED, ...FLORIDA].map((plan) => [plan.fips, plan]),
)

/**
 * The counties of a world with their real ZIP codes and cities, in the order of their FIPS codes.
 * @throws `bad_usage` that names the first unknown county.
 */
export function countiesOf(fips: readonly string[]): County[] {
  // `zipcodes` is a CommonJS package without types: {zip: {city, state, latitude, longitude}}.
  const zipcodes = createRequire(import.meta.url)('zipcodes') as ZipPackage
  const chosen = [...new Set(fips)].sort()
  return chosen.map((code) => {
    const plan = PLANS.get(code)
    if (plan === undefined) {
      const known = [...PLANS.keys()].sort().join(', ')
      throw new AppError('bad_usage', `no world can be made for county ${code}; it can for ${known}`)
    }
    const entries = plan.zips
      ? expanded(plan.zips).map((zip) => zipcodes.codes[zip])
      : (plan.cities ?? []).flatMap((city) => zipcodes.lookupByName(city, plan.state))
    const places = entries
      .filter((entry) => entry !== undefined)
      .map(({ zip, city, latitude, longitude }) => ({ zip, city, latitude, longitude }))
      .sort((left, right) => (left.zip < right.zip ? -1 : 1))
    return { ...plan, places }
  })
}

interface ZipPackage {
  readonly codes: Readonly<Record<string, Zip>>
  lookupByName(city: string, state: string): Zip[]
}

function expanded(ranges: string): string[] {
  return ranges.split(' ').flatMap((range) => {
    const [from = '', to = from] = range.split('-')
    const zips: string[] = []
    for (let zip = Number(from); zip <= Number(to); zip += 1) zips.push(String(zip).padStart(5, '0'))
    return zips
  })
}
