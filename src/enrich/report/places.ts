import zipcodes from 'zipcodes'
import { referenceRows } from '../../normalize/reference.ts'
import { atlasShapes, ShapeFinder } from './atlas.ts'

/** Matched people of a state. */
export interface StateCount {
  readonly state: string
  readonly rows: number
}

/** Matched people of a county. */
export interface CountyCount {
  readonly fips: string
  readonly name: string
  readonly state: string
  readonly rows: number
}

/** Counts matched people by state, from counts by ZIP code. */
export function ratesByState(zips: Readonly<Record<string, number>>): StateCount[] {
  const counts = new Map<string, number>()
  for (const [zip, rows] of Object.entries(zips)) {
    const state = zipcodes.codes[zip]?.state ?? 'not known'
    counts.set(state, (counts.get(state) ?? 0) + rows)
  }
  return [...counts]
    .map(([state, rows]) => ({ state, rows }))
    .sort((a, b) => b.rows - a.rows || (a.state < b.state ? -1 : 1))
}

/**
 * Counts matched people by county. A ZIP code counts for the county that contains its centre. That is precise enough
 * to shade a map; exact counts need the addresses of the output.
 */
export function ratesByCounty(zips: Readonly<Record<string, number>>): CountyCount[] {
  if (Object.keys(zips).length === 0) return []
  const finder = new ShapeFinder(atlasShapes('counties', 'geographic'))
  const counts = new Map<string, number>()
  for (const [zip, rows] of Object.entries(zips)) {
    const place = zipcodes.codes[zip]
    const fips = place === undefined ? null : finder.find(place.longitude, place.latitude)
    if (fips !== null) counts.set(fips, (counts.get(fips) ?? 0) + rows)
  }
  const names = new Map(
    referenceRows('counties.csv').map(([fips, name, state]) => [fips!, { name: name!, state: state! }]),
  )
  return [...counts]
    .map(([fips, rows]) => ({
      fips,
      name: names.get(fips)?.name ?? fips,
      state: names.get(fips)?.state ?? '',
      rows,
    }))
    .sort((a, b) => b.rows - a.rows || (a.fips < b.fips ? -1 : 1))
}
