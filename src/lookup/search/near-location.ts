import { circleAround, milesBetween, type Position } from './distance.ts'
import {
  addPeopleOf,
  addressRanges,
  type AskedLocation,
  bestAddress,
  linkCount,
  type LocationMatcher,
} from './locations.ts'
import type { Index } from '../snapshot/snapshot-index.ts'

/** How much the quality falls from the centre of a radius to its edge. */
const RIM_LOSS = 0.3

/**
 * Matches addresses within `miles` of the location's centre (centre.ts), in the requested state.
 */
export function nearLocation(
  index: Index,
  asked: AskedLocation,
  centre: Position,
  miles: number,
  historic: boolean,
): LocationMatcher {
  const { columns } = index
  const circle = circleAround(centre, miles)
  const isAskedState = (place: number): boolean =>
    asked.state === 0 || columns.place_state[place] === asked.state
  const ranges = addressRanges(
    index,
    (place) => isAskedState(place) && circle.meets(columns.place_box, place),
  )
  return {
    size: linkCount(index, ranges),
    addCandidates: (people) => addPeopleOf(index, ranges, historic, people),
    quality: (person) =>
      bestAddress(index, person, historic, (address) => {
        if (!isAskedState(columns.address_place[address]!)) return 0
        const distance = milesBetween(
          centre,
          columns.address_latitude[address]!,
          columns.address_longitude[address]!,
        )
        // An unknown position gives NaN, and the comparison is false.
        return distance <= miles ? 1 - (RIM_LOSS * distance) / miles : 0
      }),
  }
}
