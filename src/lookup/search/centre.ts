import type { Position } from './distance.ts'
import { forAddressesOnStreet, addressFits, type AskedLocation, placeRanges } from './locations.ts'
import type { Shard } from '../snapshot/snapshot.ts'
import type { Index } from '../snapshot/snapshot-index.ts'

/**
 * Returns the mean position of the requested street (if it is in one city only), else of the ZIP, else of the
 * city. Returns null when no address there has a known position. `asked` has the location for each shard.
 */
export function centreOf(shards: readonly Shard[], asked: readonly AskedLocation[]): Position | null {
  const [{ state, city, zip, street }] = asked as [AskedLocation]
  if (street !== null) {
    const centre = centreOfStreet(shards, asked)
    if (centre !== null) return centre
  }
  const anywhere: AskedLocation = { state, city: null, cityKey: null, zip: null, street: null }
  if (zip !== null) {
    const centre = centreOfPlaces(shards, () => ({ ...anywhere, zip }))
    if (centre !== null) return centre
  }
  return city === null ? null : centreOfPlaces(shards, (at) => ({ ...anywhere, city: asked[at]!.city }))
}

// Many cities have a 'Main St'. A street name that occurs in several cities has no centre.
function centreOfStreet(shards: readonly Shard[], asked: readonly AskedLocation[]): Position | null {
  const mean = new Mean()
  let city: string | null = null
  for (const [at, { index }] of shards.entries()) {
    const { columns } = index
    const location = asked[at]!
    const cities = new Set<number>()
    forAddressesOnStreet(index, location, location.street!, (address) => {
      if (!addressFits(index, location, address)) return true
      const place = columns.address_place[address]!
      cities.add(columns.place_state[place]! * 2 ** 32 + columns.place_city[place]!)
      mean.add(index, address)
      return cities.size === 1
    })
    if (cities.size > 1) return null
    for (const one of cities) {
      const text = `${Math.floor(one / 2 ** 32)} ${index.cities.text(one % 2 ** 32)}`
      if (city !== null && city !== text) return null
      city = text
    }
  }
  return mean.position()
}

function centreOfPlaces(
  shards: readonly Shard[],
  askedIn: (shard: number) => AskedLocation,
): Position | null {
  const mean = new Mean()
  const states = new Set<number>()
  for (const [at, { index }] of shards.entries()) {
    const { columns } = index
    for (const [low, high] of placeRanges(index, askedIn(at))) {
      states.add(columns.place_state[columns.address_place[low]!]!)
      if (states.size > 1) return null
      for (let address = low; address < high; address++) mean.add(index, address)
    }
  }
  return mean.position()
}

/**
 * The mean position of addresses. Positions have 24 significant bits, so their sum in 53 bits is exact, and
 * the same in any order of shards.
 */
class Mean {
  #latitude = 0
  #longitude = 0
  #count = 0

  /** Adds the position of an address. An address of several shards counts in its home only. */
  add({ columns }: Index, address: number): void {
    const { address_at_home } = columns
    if (address_at_home.length > 0 && address_at_home[address] === 0) return
    const latitude = columns.address_latitude[address]!
    const longitude = columns.address_longitude[address]!
    if (Number.isNaN(latitude) || Number.isNaN(longitude)) return
    this.#latitude += latitude
    this.#longitude += longitude
    this.#count++
  }

  position(): Position | null {
    if (this.#count === 0) return null
    return { latitude: this.#latitude / this.#count, longitude: this.#longitude / this.#count }
  }
}
