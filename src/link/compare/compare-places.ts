import { FieldComparer } from './field-comparer.ts'
import { ADDRESS, AT, PLACE } from './levels.ts'
import { ADDRESS_WIDTH, HOUSEHOLD_LIKE, PART, SLOT } from '../records/records.ts'
import { SIMILARITY } from './text-similarity.ts'

/**
 * Compares addresses and places (ZIP code, city, state) of two records. When records have several addresses, the most similar pair of
 * addresses and the most similar pair of places count.
 */
export class PlaceComparer extends FieldComparer {
  /** Compares two records. `left` and `right` are the starts of their rows in `Records.rows`. */
  compare(left: number, right: number): void {
    this.set(AT.address, 0, 0)
    this.set(AT.place, 0, 0)
    const { rows, lists } = this.records
    const placeA = rows[left + SLOT.addresses]!
    const placeB = rows[right + SLOT.addresses]!
    if (placeA === 0 || placeB === 0) return
    const endA = placeA + lists[placeA]!
    const endB = placeB + lists[placeB]!
    let best = 0
    let agreed = 0
    let place = 0
    let placeText = 0
    for (let x = placeA + 1; x <= endA; x++) {
      const a = lists[x]! * ADDRESS_WIDTH
      for (let y = placeB + 1; y <= endB; y++) {
        const b = lists[y]! * ADDRESS_WIDTH
        this.#place(a, b)
        const nearby = this.levels[AT.place]!
        if (
          nearby !== 0 &&
          (place === 0 ||
            nearby < place ||
            (nearby === place && this.before(this.agreed[AT.place]!, placeText)))
        ) {
          place = nearby
          placeText = this.agreed[AT.place]!
        }
        this.#address(a, b, nearby)
        const level = this.levels[AT.address]!
        if (
          level !== 0 &&
          (best === 0 || level < best || (level === best && this.before(this.agreed[AT.address]!, agreed)))
        ) {
          best = level
          agreed = this.agreed[AT.address]!
        }
      }
    }
    this.set(AT.address, best, agreed)
    // An equal address implies an equal place, and counting both would count one fact twice. So only the address counts.
    // For a household-like source only the place counts, because many records there share an address.
    const shares = best !== 0 && best <= ADDRESS.street
    if (shares && (this.#listsHouseholds(left) || this.#listsHouseholds(right))) this.set(AT.address, 0, 0)
    else if (shares) return this.set(AT.place, 0, 0)
    this.set(AT.place, place, placeText)
  }

  #listsHouseholds(row: number): boolean {
    const { rows, sources } = this.records
    return (sources[rows[row + SLOT.source]!]! & HOUSEHOLD_LIKE) !== 0
  }

  #address(a: number, b: number, place: number): void {
    const { addresses } = this.records
    const streetA = addresses[a + PART.street]!
    const streetB = addresses[b + PART.street]!
    const buildingA = addresses[a + PART.building]!
    const buildingB = addresses[b + PART.building]!
    if (a === b && buildingA !== 0) return this.set(AT.address, ADDRESS.unit, addresses[a + PART.unit_key]!)
    if ((streetA === 0 && buildingA === 0) || (streetB === 0 && buildingB === 0))
      return this.set(AT.address, 0, 0)
    const houseA = addresses[a + PART.house]!
    const houseB = addresses[b + PART.house]!
    const sameStreet = streetA !== 0 && streetA === streetB
    const together = place !== 0 && place <= PLACE.near
    const sameBuilding = buildingA !== 0 && buildingA === buildingB
    if (sameBuilding || (sameStreet && houseA !== 0 && houseA === houseB && together)) {
      const unitA = addresses[a + PART.unit]!
      const unitB = addresses[b + PART.unit]!
      if (unitA === unitB)
        return this.set(
          AT.address,
          ADDRESS.unit,
          this.chosen(addresses[a + PART.unit_key]!, addresses[b + PART.unit_key]!),
        )
      const level = unitA === 0 || unitB === 0 ? ADDRESS.building : ADDRESS.other_unit
      return this.set(AT.address, level, this.chosen(buildingA, buildingB))
    }
    this.set(AT.address, this.#nearAddress(houseA, houseB, streetA, streetB, together, place === 0), 0)
  }

  #nearAddress(
    houseA: number,
    houseB: number,
    streetA: number,
    streetB: number,
    together: boolean,
    unplaced: boolean,
  ): number {
    if (streetA === 0 || streetB === 0) return ADDRESS.different
    const sameHouse = houseA !== 0 && houseA === houseB
    if (streetA === streetB) {
      if (sameHouse) return ADDRESS.near
      if (!together && !unplaced) return ADDRESS.different
      if (houseA === 0 || houseB === 0 || this.similarity.isOneEdit(houseA, houseB)) return ADDRESS.neighbour
      return ADDRESS.street
    }
    if (!together && !sameHouse) return ADDRESS.different
    const alike = this.similarity.texts(streetA, streetB)
    if (alike === SIMILARITY.none) return ADDRESS.different
    if (sameHouse && (together || unplaced || alike === SIMILARITY.near)) return ADDRESS.near
    return together && alike === SIMILARITY.near ? ADDRESS.street : ADDRESS.different
  }

  #place(a: number, b: number): void {
    const { addresses } = this.records
    const zipA = addresses[a + PART.zip]!
    const zipB = addresses[b + PART.zip]!
    const cityA = addresses[a + PART.city]!
    const cityB = addresses[b + PART.city]!
    const stateA = addresses[a + PART.state]!
    const stateB = addresses[b + PART.state]!
    const zips = zipA !== 0 && zipB !== 0
    const cities = cityA !== 0 && cityB !== 0
    const states = stateA !== 0 && stateB !== 0
    if (!zips && !cities && !states) return this.set(AT.place, 0, 0)
    if (zips && zipA === zipB) return this.set(AT.place, PLACE.zip, zipA)
    if (cities && cityA === cityB && (!states || stateA === stateB))
      return this.set(AT.place, PLACE.city, cityA)
    if (cities && this.similarity.texts(cityA, cityB) !== SIMILARITY.none)
      return this.set(AT.place, PLACE.near, 0)
    if (zips && this.similarity.isOneEdit(zipA, zipB)) return this.set(AT.place, PLACE.near, 0)
    // When both records know only the state, an equal state says too little, and the place counts as unknown (level 0).
    if (states && stateA === stateB) return this.set(AT.place, zips || cities ? PLACE.state : 0, 0)
    this.set(AT.place, PLACE.different, 0)
  }
}
