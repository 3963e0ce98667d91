import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { FrequencyTable } from './kit/frequency-table.ts'
import type { Language } from './kit/languages.ts'
import { Census, type Person } from './kit/people.ts'
import { nextAddress } from './kit/places.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// Contact lists: the address of a namesake differs in its number only. No address is given away twice.
const DOMAINS = [
  'example.com',
  'mail.example.com',
  'example.net',
  'post.example.org',
  'example.org',
  'web.example.net',
]
const REPEATS = 0.4

// A town where few names serve everybody: each of 170 given names and 400 surnames as often as the others of its kind.
const EVEN = { exponent: 0, offset: 0 }
const FEW_NAMES: Language = {
  women: new FrequencyTable(ENGLISH.women.values.slice(0, 85), EVEN),
  men: new FrequencyTable(ENGLISH.men.values.slice(0, 85), EVEN),
  surnames: new FrequencyTable(ENGLISH.surnames.values.slice(0, 400), EVEN),
  nicknames: ENGLISH.nicknames,
}

function peopleOf(language: Language) {
  return (dice: Dice): Generator<readonly WorldRecord[]> => people(dice, language)
}

function* people(dice: Dice, language: Language): Generator<readonly WorldRecord[]> {
  const census = new Census()
  const taken = new Set<string>()
  for (;;) {
    const person = census.person(dice, language)
    const emails = [newEmail(dice, person, taken)]
    if (dice.chance(0.25)) emails.push(newEmail(dice, person, taken))
    const homes = dice.chance(0.2) ? [person.home, nextAddress(dice, person.home)] : [person.home]
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => {
      const { city, zip } = dice.pick(homes)
      const birth = dice.chance(0.03) ? mistypedDate(dice, person.birth) : person.birth
      return {
        truth: person.number,
        first_name: called(dice, language, person.first, { nicknames: 0.1, typos: 0.03 }),
        last_name: spelled(dice, person.last, 0.03),
        birth_date: known(dice, writtenDate(birth), 0.75),
        email: known(dice, dice.pick(emails), 0.8),
        city,
        zip: known(dice, zip, 0.9),
      }
    })
  }
}

function newEmail(dice: Dice, { first, last, birth }: Person, taken: Set<string>): string {
  for (;;) {
    const number = dice.chance(0.3) ? String(birth.year % 100).padStart(2, '0') : String(dice.between(1, 99))
    const name = dice.pick([
      `${first}.${last}${number}`,
      `${first}.${last}${number}`,
      `${first}${last}${number}`,
      `${first[0]}${last}${number}`,
      `${first[0]}${last}`,
      `${first}_${last}`,
      `${last}.${first}${number}`,
      `${first}${dice.digits(3)}`,
    ])
    const email = `${name}@${dice.pick(DOMAINS)}`.toUpperCase()
    if (taken.has(email)) continue
    taken.add(email)
    return email
  }
}

const SETTING =
  'e-mail addresses made of the name and a number; a quarter of the birth dates blank; city and ZIP code'

function world(name: string, records: number, language = ENGLISH, setting = SETTING): World {
  return {
    name,
    setting,
    records,
    repeats: REPEATS,
    columns: [['first_name'], ['last_name'], ['birth_date'], ['email'], ['city'], ['zip']],
    people: peopleOf(language),
  }
}

export const EMAIL_NAMES = [
  world('email-names-100k', 100_000),
  world('email-few-names-100k', 100_000, FEW_NAMES, `${SETTING}; few names serve everybody`),
  world('email-names-300k', 300_000),
  world('email-names-1m', 1_000_000),
]
