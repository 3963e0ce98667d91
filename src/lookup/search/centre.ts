import type { Position } from './distance.ts'
import { forAddressesOnStreet, addressFits, type AskedLocation, placeRanges } from './locations.ts'
import type { Index } from '../snapshot/snapshot-index.ts'

/**
 * Returns the mean position of the requested street (if it is in one city only), else of the ZIP, else of the
 * city. Returns null when no address there has a known position.
 */
export function centreOf(index: Index, asked: AskedLocation): Position | null {
  if (asked.street !== null) {
    const centre = centreOfStreet(index, asked)
    if (centre !== null) return centre
  }
  const anywhere: AskedLocation = { state: asked.state, city: null, zip: null, street: null }
  if (asked.zip !== null) {
    const centre = centreOfPlaces(index, { ...anywhere, zip: asked.zip })
    if (centre !== null) return centre
  }
  return asked.city === null ? null : centreOfPlaces(index, { ...anywhere, city: asked.city })
}

// Many cities have a 'Main St'. A street name that occurs in several cities has no centre.
function centreOfStreet(index: Index, asked: AskedLocation): Position | null {
  const { columns } = index
  const mean = new Mean()
  const cities = new Set<number>()
  forAddressesOnStreet(index, asked, asked.street!, (address) => {
    if (!addressFits(index, asked, address)) return true
    const place = columns.address_place[address]!
    cities.add(columns.place_state[place]! * 2 ** 32 + columns.place_city[place]!)
    mean.add(columns.address_latitude[address]!, columns.address_longitude[address]!)
    return cities.size === 1
  })
  return cities.size > 1 ? null : mean.position()
}

function centreOfPlaces(index: Index, asked: AskedLocation): Position | null {
  const { columns } = index
  const mean = new Mean()
  const states = new Set<number>()
  for (const [low, high] of placeRanges(index, asked)) {
    states.add(columns.place_state[columns.address_place[low]!]!)
    if (states.size > 1) return null
    for (let address = low; address < high; address++) {
      mean.add(columns.address_latitude[address]!, columns.address_longitude[address]!)
    }
  }
  return mean.position()
}

class Mean {
  #latitude = 0
  #longitude = 0
  #count = 0

  add(latitude: number, longitude: number): void {
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
