import type { DuckDBConnection } from '@duckdb/node-api'
import { nicknameClass, nicknamesOf } from '../../../src/normalize/nicknames.ts'
import { referenceRows } from '../../../src/normalize/reference.ts'
import { createRecordTables } from '../../support/linkage.ts'

/** Numbers from a seed (mulberry32): the same in every run. */
class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let value = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }
}

/** Draws names as frequent as the Census has them. */
class NameUrn {
  readonly #names: string[] = []
  readonly #sums: number[] = []
  readonly #dice: Dice

  constructor(dice: Dice, column: 1 | 2 | 3) {
    this.#dice = dice
    let sum = 0
    for (const row of referenceRows('names.csv')) {
      if (row[column] === '') continue
      sum += Number(row[column]) || 0.2
      this.#names.push(row[0]!)
      this.#sums.push(sum)
    }
  }

  draw(): string {
    const at = this.#dice.next() * this.#sums.at(-1)!
    let low = 0
    let high = this.#sums.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#sums[middle]! < at) low = middle + 1
      else high = middle
    }
    return this.#names[low]!
  }
}

interface Home {
  house: string
  street: string
  unit: string
  zip: string
  city: string
  phone: string
}

interface Person {
  id: number
  first: string
  middle: string
  last: string
  maiden: string
  suffix: string
  year: number
  month: number
  day: number
  gender: string
  home: Home
  formerHome: Home | undefined
  mobile: string
  email: string
}

const SOURCES = ['voters', 'owners', 'contacts', 'donors', 'deeds'] as const
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const STREET_KINDS = ['ST', 'AVE', 'RD', 'DR', 'LN', 'CT', 'BLVD', 'WAY']

/**
 * Fills `link.records` with about `mentions` mentions of invented people in households, with hard noise (typos, nicknames, initials, moves,
 * marriages, fathers and sons of one name, dates swapped, mistyped, cut to January 1 or absent, shared landlines, apartment
 * towers), and `truth(record_id, cluster)`. Returns how many.
 */
export async function fillWorld(db: DuckDBConnection, mentions: number, seed = 7): Promise<number> {
  await createRecordTables(db)
  await db.run(`create or replace temp table world (record_id varchar, truth integer, source_id varchar, first varchar, middle varchar,
    last varchar, suffix varchar, other_last varchar, y integer, m integer, d integer, gender varchar, house varchar, street varchar,
    unit varchar, city varchar, zip varchar, phone varchar, email varchar)`)
  const world = new World(seed, mentions)
  const appender = await db.createAppender('world')
  let written = 0
  while (written < mentions) {
    for (const row of world.household()) {
      for (let c = 0; c < row.length; c++) {
        const value = row[c]!
        if (typeof value === 'number') appender.appendInteger(value)
        else if (value === '') appender.appendNull()
        else appender.appendVarchar(value)
      }
      appender.endRow()
      written++
    }
  }
  appender.closeSync()
  await db.run(`insert into link.records by name select record_id, source_id, first as first_name, middle as middle_name, last as last_name,
    suffix as name_suffix, [other_last] as other_last_names, y as birth_year, m as birth_month, d as birth_day, gender,
    [{address_key: null::varchar, building_key: null::varchar, house_number: house, street_name: street, unit_number: unit, city: city, state: 'FL', zip: zip}] as addresses,
    [phone] as phones, [email] as emails from world`)
  await db.run('create or replace table truth as select record_id, truth::varchar as cluster from world')
  await db.run('drop table world')
  return written
}

type Cell = string | number

class World {
  readonly #dice: Dice
  readonly #surnames: NameUrn
  readonly #women: NameUrn
  readonly #men: NameUrn
  readonly #zips: number
  readonly #cities: string[]
  #people = 0
  #records = 0
  #tower: Home | undefined
  #towerHomes = 0

  constructor(seed: number, mentions: number) {
    this.#dice = new Dice(seed)
    this.#surnames = new NameUrn(this.#dice, 1)
    this.#women = new NameUrn(this.#dice, 2)
    this.#men = new NameUrn(this.#dice, 3)
    this.#zips = Math.max(5, Math.round(mentions / 4000))
    this.#cities = Array.from({ length: Math.ceil(this.#zips / 3) }, () => `${this.#surnames.draw()}VILLE`)
  }

  *household(): Generator<Cell[]> {
    const dice = this.#dice
    const home = this.#home()
    const former = dice.chance(0.25) ? this.#home() : undefined
    const last = this.#surnames.draw()
    const age = 1935 + dice.below(60)
    const father = this.#person('M', last, age, home, former)
    const people = [father]
    if (dice.chance(0.65)) {
      const wife = this.#person('F', last, age + dice.below(7) - 3, home, former)
      if (dice.chance(0.6)) wife.maiden = this.#surnames.draw()
      people.push(wife)
    }
    const children = dice.chance(0.35) ? 1 + dice.below(2) : 0
    for (let c = 0; c < children; c++) {
      const child = this.#person(
        dice.chance(0.5) ? 'M' : 'F',
        last,
        Math.min(2005, age + 24 + dice.below(10)),
        home,
        undefined,
      )
      if (child.gender === 'M' && dice.chance(0.04)) {
        child.first = father.first
        child.suffix = 'JR'
        father.suffix = 'SR'
      }
      people.push(child)
    }
    for (const person of people) {
      const mentions = 1 + dice.below(6)
      for (let k = 0; k < mentions; k++) yield this.#mention(person)
    }
  }

  #person(gender: 'M' | 'F', last: string, year: number, home: Home, formerHome: Home | undefined): Person {
    const dice = this.#dice
    const urn = gender === 'M' ? this.#men : this.#women
    const first = urn.draw()
    const id = ++this.#people
    const style = dice.below(4)
    const host = dice.of(['example.com', 'example.net', 'example.org'])
    const local =
      style === 0
        ? `${first}.${last}`
        : style === 1
          ? `${first[0]}${last}${year % 100}`
          : `${first}${id % 9973}`
    return {
      id,
      first,
      middle: urn.draw(),
      last,
      maiden: '',
      suffix: '',
      year,
      month: 1 + dice.below(12),
      day: 1 + dice.below(28),
      gender,
      home,
      formerHome,
      mobile: dice.chance(0.8) ? this.#phone() : '',
      email: dice.chance(0.7) ? `${local.toLowerCase()}@${host}` : '',
    }
  }

  #home(): Home {
    const dice = this.#dice
    if (this.#tower !== undefined && dice.chance(0.15)) {
      if (++this.#towerHomes > 120) this.#tower = undefined
      else
        return {
          ...this.#tower,
          unit: String(100 + dice.below(400)),
          phone: dice.chance(0.5) ? this.#phone() : '',
        }
    }
    const zip = dice.below(this.#zips)
    const home = {
      house: String(100 + dice.below(9900)),
      street: `${this.#surnames.draw()} ${dice.of(STREET_KINDS)}`,
      unit: '',
      zip: String(32_000 + zip),
      city: this.#cities[zip % this.#cities.length]!,
      phone: dice.chance(0.6) ? this.#phone() : '',
    }
    if (this.#tower === undefined) {
      this.#tower = home
      this.#towerHomes = 0
    }
    return home
  }

  #phone(): string {
    const dice = this.#dice
    return `1${200 + dice.below(700)}555${String(dice.below(10_000)).padStart(4, '0')}`
  }

  #mention(person: Person): Cell[] {
    const dice = this.#dice
    const source = dice.of(SOURCES)
    const hasDate =
      source === 'voters' ||
      (source === 'contacts' && dice.chance(0.6)) ||
      (source !== 'deeds' && dice.chance(0.35))
    const home = person.formerHome !== undefined && dice.chance(0.2) ? person.formerHome : person.home
    const hasHome = source === 'contacts' ? dice.chance(0.75) : dice.chance(0.97)
    let first = this.#spelled(this.#called(person, source))
    let last = this.#spelled(person.maiden !== '' && dice.chance(0.2) ? person.maiden : person.last)
    if (dice.chance(0.01)) [first, last] = [last, first]
    const middle = dice.chance(0.4) ? '' : dice.chance(0.6) ? person.middle[0]! : this.#spelled(person.middle)
    const [year, month, day] = hasDate ? this.#date(person) : [0, 0, 0]
    const phone =
      source === 'contacts' || dice.chance(0.3) ? (dice.chance(0.4) ? home.phone : person.mobile) : ''
    const email = source === 'contacts' && dice.chance(0.8) ? person.email : ''
    return [
      `${source}/${++this.#records}`,
      person.id,
      source,
      dice.chance(0.003) ? '' : first,
      middle,
      last,
      dice.chance(0.7) ? person.suffix : '',
      person.maiden !== '' && dice.chance(0.3) ? person.maiden : '',
      year,
      month,
      day,
      source === 'voters' ? person.gender : '',
      hasHome ? (dice.chance(0.02) ? this.#digitWrong(home.house) : home.house) : '',
      hasHome ? this.#spelled(home.street, 0.04) : '',
      hasHome && dice.chance(0.85) ? home.unit : '',
      hasHome ? home.city : '',
      hasHome ? (dice.chance(0.02) ? this.#digitWrong(home.zip) : home.zip) : '',
      phone !== '' && dice.chance(0.02) ? this.#digitWrong(phone) : phone,
      email !== '' && dice.chance(0.03) ? email.replace('@', '1@') : email,
    ]
  }

  #called(person: Person, source: string): string {
    const dice = this.#dice
    if (dice.chance(0.012)) return person.first[0]!
    if (dice.chance(0.005)) return person.middle
    if (dice.chance(source === 'contacts' || source === 'donors' ? 0.15 : 0.03)) {
      const others = nicknamesOf(person.first).filter(
        (other) => nicknameClass(other) === nicknameClass(person.first),
      )
      if (others.length > 0) return dice.of(others)
    }
    return person.first
  }

  #spelled(text: string, share = 0.05): string {
    const dice = this.#dice
    if (text.length < 3 || !dice.chance(share)) return text
    const at = 1 + dice.below(text.length - 1)
    const letter = LETTERS[dice.below(26)]!
    switch (dice.below(4)) {
      case 0:
        return text.slice(0, at) + text.slice(at + 1)
      case 1:
        return text.slice(0, at) + letter + text.slice(at)
      case 2:
        return text.slice(0, at) + letter + text.slice(at + 1)
      default:
        return text.slice(0, at - 1) + text[at]! + text[at - 1]! + text.slice(at + 1)
    }
  }

  #digitWrong(text: string): string {
    const at = this.#dice.below(text.length)
    return text.slice(0, at) + String(this.#dice.below(10)) + text.slice(at + 1)
  }

  #date({ year, month, day }: Person): [number, number, number] {
    const dice = this.#dice
    if (dice.chance(0.02)) return [year, 1, 1]
    if (dice.chance(0.01)) return [year, 0, 0]
    if (dice.chance(0.015)) return day <= 12 ? [year, day, month] : [year, month, day]
    if (dice.chance(0.015)) return [year + (dice.chance(0.5) ? 1 : -1), month, day]
    if (dice.chance(0.015)) return [year, month, 1 + ((day + 9) % 28)]
    return [year, month, day]
  }
}
