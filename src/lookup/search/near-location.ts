import { centreOf } from './centre.ts'
import { circleAround, milesBetween } from './distance.ts'
import {
  addPeopleOf,
  addressRanges,
  type AskedLocation,
  bestAddress,
  linkCount,
  type LocationMatcher,
} from './locations.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'

/** What a match at the rim of a radius loses against one at its centre. */
const RIM_LOSS = 0.3

/** Matches addresses within `miles` of what is asked (its street, else ZIP, else city), in the asked state; null without such a centre. */
export function nearLocation(
  snapshot: Snapshot,
  asked: AskedLocation,
  miles: number,
  historic: boolean,
): LocationMatcher | null {
  const { columns } = snapshot
  const centre = centreOf(snapshot, asked)
  if (centre === null) return null
  const circle = circleAround(centre, miles)
  const isAskedState = (place: number): boolean =>
    asked.state === 0 || columns.place_state[place] === asked.state
  const ranges = addressRanges(
    snapshot,
    (place) => isAskedState(place) && circle.meets(columns.place_box, place),
  )
  return {
    size: linkCount(snapshot, ranges),
    addCandidates: () => addPeopleOf(snapshot, ranges, historic),
    quality: (person) =>
      bestAddress(snapshot, person, historic, (address) => {
        if (!isAskedState(columns.address_place[address]!)) return 0
        const distance = milesBetween(
          centre,
          columns.address_latitude[address]!,
          columns.address_longitude[address]!,
        )
        // Unknown positions give NaN, which is no distance within.
        return distance <= miles ? 1 - (RIM_LOSS * distance) / miles : 0
      }),
  }
}
