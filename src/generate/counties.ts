import { createRequire } from 'node:module'
import { AppError } from '../errors.ts'
import { dataTable } from '../data-tables.ts'

/** The way in which a county names its streets. */
export type Style = 'manhattan' | 'outer_borough' | 'queens' | 'south_florida' | 'florida' | 'texas'

export interface CountyPlan {
  readonly fips: string
  readonly name: string
  readonly state: 'NY' | 'FL' | 'TX'
  readonly style: Style
  /** The number of invented people here is in proportion to this weight, among the counties that are generated. */
  readonly weight: number
  readonly areaCodes: readonly string[]
  /** ZIP codes and ranges of ZIP codes (`10001-10014`), divided by spaces; empty where `cities` has entries. */
  readonly zips: string
  /** Cities whose ZIP codes the county gets. */
  readonly cities: readonly string[]
  /** The number of a New York borough, and the letters that PLUTO writes. */
  readonly borough?: { readonly number: number; readonly letters: string }
  /** The number at Florida's Department of Revenue and the code at its Division of Elections. */
  readonly florida?: { readonly number: number; readonly voters: string }
  readonly pacs?: string
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

/** The counties of a world when the caller names none. */
export const DEFAULT_COUNTIES = ['36061', '36081', '12011', '12086', '48201', '48453'] as const

const PLANS: ReadonlyMap<string, CountyPlan> = new Map(
  dataTable('worlds/counties.csv').map((row) => [row['fips']!, planOf(row)]),
)

function planOf(row: Record<string, string>): CountyPlan {
  const { fips = '', name = '', area_codes = '', zips = '', cities = '', pacs, voter_code = '' } = row
  const { borough, borough_letters: letters = '', florida } = row
  return {
    fips,
    name,
    state: row['state'] as CountyPlan['state'],
    style: row['style'] as Style,
    weight: Number(row['weight']),
    areaCodes: area_codes.split(' '),
    zips,
    cities: cities === '' ? [] : cities.split(';'),
    ...(borough && { borough: { number: Number(borough), letters } }),
    ...(florida && { florida: { number: Number(florida), voters: voter_code } }),
    ...(pacs && { pacs }),
  }
}

/**
 * Returns counties with their real ZIP codes and cities, in the order of their FIPS codes.
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
      : plan.cities.flatMap((city) => zipcodes.lookupByName(city, plan.state))
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
