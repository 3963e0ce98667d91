import { placeOf, unitText } from '../addresses.ts'
import { DAY_2 } from '../calendar.ts'
import { ownerOn } from '../changes.ts'
import { rowOf } from '../columns.ts'
import type { Delivery } from '../output.ts'
import { type Mailing, mailingOf } from '../owners.ts'
import { parcelNumber } from '../parcel-numbers.ts'
import { OWNER, ownerKind, PARCEL, type World } from '../types.ts'

/** A parcel as assessors see it on the day of a delivery: its facts, owner and address. */
export type Lot = ReturnType<typeof lotOf>

export function lotOf(world: World, delivery: Delivery, parcel: number) {
  const row = rowOf(world.parcels, parcel)
  const place = placeOf(world, row.address)
  return {
    ...row,
    world,
    delivery,
    parcel,
    day: delivery.day,
    county: world.counties[row.county]!,
    /** The number that the assessor gives the parcel. */
    number: parcelNumber(world, parcel),
    owner: ownerOn(world, parcel, delivery.day),
    city: place.city.toUpperCase(),
    zip: place.zip,
    /** The unit of a condominium, else empty. */
    unit: row.kind === PARCEL.condo ? unitText(world, row.address) : '',
  }
}

/** Returns the owner's mailing address on the day of the delivery. */
export function mailOf({ world, owner, day }: Lot): Mailing {
  return mailingOf(world, owner, day)
}

/** Returns whether the owner lives on the parcel. */
export function isHomestead({ world, household, owner, parcel }: Lot): boolean {
  return (
    household >= 0 && ownerKind(owner) < OWNER.business && world.households.owned.get(household) === parcel
  )
}

/**
 * Adds to the truth that a record of a roll names people. A roll of day 2 adds only parcels that were sold since day 1.
 * `changes`: the record of a sold parcel has the same id on both days.
 */
export function nameOwners(lot: Lot, record: string, people: readonly number[], changes = true): void {
  const isSold = lot.laterDeed >= 0
  if (lot.day !== DAY_2 || isSold) lot.delivery.namesAll(record, people, changes && isSold)
}
