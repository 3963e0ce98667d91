import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { civil, DAY_1, DAY_2, dayNumber, isoDate, NEVER } from '../../src/generate/calendar.ts'
import { homeOn, ownerOn } from '../../src/generate/changes.ts'
import { DEFAULT_COUNTIES } from '../../src/generate/counties.ts'
import { writtenName, trueName } from '../../src/generate/persons.ts'
import { parcelNumber, parcelsOf } from '../../src/generate/parcel-numbers.ts'
import { Random, stream } from '../../src/generate/random.ts'
import { DEED, ownerKind, type World } from '../../src/generate/types.ts'
import { buildWorld } from '../../src/generate/world.ts'

const world = buildWorld({
  people: 4000,
  counties: [...DEFAULT_COUNTIES, '36005', '48491', '12099'],
  seed: 7,
})

describe('a world', () => {
  test('is the same for the same seed, and another for another', () => {
    const again = { people: 900, counties: ['12011', '48201'], seed: 3 }
    const first = digest(buildWorld(again))
    expect(digest(buildWorld(again))).toBe(first)
    expect(digest(buildWorld({ ...again, seed: 4 }))).not.toBe(first)
  })

  test('has exactly the people asked for, in all the counties asked for', () => {
    expect(world.people.sex.length).toBe(4000)
    const counties = new Set(
      range(world.households.head.length).map((row) => world.households.county.get(row)),
    )
    expect(counties.size).toBe(world.counties.length)
  })

  test('gives every household a home of its own on each day', () => {
    for (const day of [DAY_1, DAY_2]) {
      const homes = range(world.households.head.length).map((row) =>
        homeOn(world, world.households.head.get(row), day),
      )
      expect(new Set(homes).size).toBe(homes.length)
      expect(homes).not.toContain(-1)
    }
  })

  test('numbers parcels uniquely in every county', () => {
    const numbers = range(world.parcels.kind.length).map(
      (parcel) => `${world.parcels.county.get(parcel)} ${parcelNumber(world, parcel)}`,
    )
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  test('lets the last deed say who owns a parcel', () => {
    for (let parcel = 0; parcel < world.parcels.kind.length; parcel += 1) {
      const first = world.parcels.firstDeed.get(parcel)
      const count = world.parcels.deedCount.get(parcel)
      if (count > 0) expect(ownerOn(world, parcel, DAY_1)).toBe(world.deeds.grantee.get(first + count - 1))
      const later = world.parcels.laterDeed.get(parcel)
      if (later >= 0) expect(ownerOn(world, parcel, DAY_2)).toBe(world.deeds.grantee.get(later))
      expect(ownerKind(ownerOn(world, parcel, DAY_1))).toBeGreaterThan(0)
    }
  })

  test('has deeds over several parcels, corrections, and sales without a price', () => {
    const deeds = range(world.deeds.parcel.length)
    const several = deeds.filter((deed) => world.deeds.parcels.get(deed) > 1)
    expect(several.length).toBeGreaterThan(5)
    for (const deed of several) expect(parcelsOf(world, deed)).toHaveLength(world.deeds.parcels.get(deed))
    expect(
      deeds.some(
        (deed) => world.deeds.kind.get(deed) === DEED.correction && world.deeds.corrects.get(deed) >= 0,
      ),
    ).toBe(true)
    const sales = deeds.filter((deed) => world.deeds.kind.get(deed) === DEED.sale)
    expect(sales.some((deed) => world.deeds.price.get(deed) <= 100)).toBe(true)
  })

  test('has married women with maiden names, sons with their father’s name, the dead, and numbers that changed hands', () => {
    const people = range(world.people.sex.length)
    expect(people.some((person) => world.people.maiden.get(person) >= 0)).toBe(true)
    expect(people.some((person) => world.people.suffix.get(person) === 1)).toBe(true)
    expect(people.some((person) => world.people.diedOn.get(person) !== NEVER)).toBe(true)
    const former = new Set(
      people.map((person) => world.people.oldMobile.get(person)).filter((phone) => phone >= 0),
    )
    expect(people.some((person) => former.has(world.people.mobile.get(person)))).toBe(true)
  })

  test('calls a woman by her maiden name until her wedding', () => {
    const bride = range(world.people.sex.length).find((person) => world.people.maiden.get(person) >= 0)!
    const wedding = world.people.marriedOn.get(bride)
    expect(trueName(world, bride, wedding - 1).last).not.toBe(trueName(world, bride, wedding).last)
  })

  test('numbers the deeds of a county in the order of their recording', () => {
    for (const order of world.deedsInOrder) {
      const days = [...order].map((deed) => world.deeds.recordedOn.get(deed))
      expect(days).toEqual(days.toSorted((left, right) => left - right))
    }
  })

  test('keeps the names of a record the same whenever it is written', () => {
    const random = new Random(world.seed)
    const written = () =>
      writtenName(world, 11, DAY_1, { casual: true, marks: true }, random.at(stream('test'), 11))
    expect(written()).toEqual(written())
  })
})

test('an unknown county is an error that names it', () => {
  expect(() => buildWorld({ people: 100, counties: ['06037'], seed: 1 })).toThrow(/county 06037/)
})

test('days are counted as the calendar does, leap years too', () => {
  for (const text of ['1899-12-30', '1969-12-31', '1970-01-01', '2000-02-29', '2024-02-29', '2026-01-05']) {
    const day = dayNumber(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8)))
    expect(day).toBe(Date.parse(`${text}T00:00:00Z`) / 86_400_000)
    expect(isoDate(day)).toBe(text)
    expect(civil(day).year).toBe(Number(text.slice(0, 4)))
  }
})

function range(length: number): number[] {
  return Array.from({ length }, (_, row) => row)
}

function digest(of: World): string {
  const hash = createHash('sha256')
  for (const table of [
    of.streets,
    of.addresses,
    of.parcels,
    of.households,
    of.people,
    of.businesses,
    of.deeds,
  ]) {
    for (const column of Object.values(table)) hash.update(column.view())
  }
  return hash.digest('hex')
}
