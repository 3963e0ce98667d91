import { Dice } from './dice.ts'

/** What a record of a world may say; what it leaves out is blank. Texts are upper case, dates as `writtenDate` writes them. */
export const WORLD_COLUMNS = [
  'first_name',
  'middle_name',
  'last_name',
  'suffix',
  'birth_date',
  'gender',
  'house_number',
  'street_name',
  'unit_number',
  'city',
  'state',
  'zip',
  'phone',
  'email',
  'employer',
  'occupation',
  'country',
  'national_id',
] as const
export type WorldColumn = (typeof WORLD_COLUMNS)[number]

/** One record of a world: the number of its true person, the source that lists it, and what it says. */
export interface WorldRecord extends Partial<Readonly<Record<WorldColumn, string>>> {
  readonly truth: number
  /** Named only where a world has several sources. */
  readonly source?: string
}

/** An invented population with the truth of who is who. */
export interface World {
  readonly name: string
  /** What is special about it, in one sentence. */
  readonly setting: string
  readonly records: number
  /** The share of records that repeat a person who has another record already. */
  readonly repeats: number
  /** Its informative columns, in groups that are left out together. */
  readonly columns: readonly (readonly WorldColumn[])[]
  /** Sources that list nobody twice. */
  readonly duplicateFree?: readonly string[]
  /** People without end, each with all of its records. */
  readonly people: (dice: Dice) => Generator<readonly WorldRecord[]>
}

/** So many records of a world, the first ones of its people. The world's name is the seed. */
export function* recordsOf(world: World, records = world.records): Generator<WorldRecord> {
  let written = 0
  for (const person of world.people(new Dice(world.name))) {
    for (const record of person) {
      if (written++ === records) return
      yield record
    }
  }
}

/** How many records a person has, so that `repeats` of all records are repeats: one and a geometric number more. */
export function recordCount(dice: Dice, repeats: number): number {
  let count = 1
  while (count < 12 && dice.chance(repeats)) count++
  return count
}
