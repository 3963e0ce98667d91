import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { COMMON_TRADES, RARE_TITLES } from './kit/jobs.ts'
import type { Language } from './kit/languages.ts'
import { Census } from './kit/people.ts'
import { SPANISH } from './kit/spanish-names.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { VIETNAMESE } from './kit/vietnamese-names.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

const REPEATS = 0.4

// A person keeps a rare job title: whoever shares it is mostly the same person.
function* titled(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const { number, first, last, birth, home } = census.person(dice, ENGLISH)
    const title = dice.chance(0.5) ? dice.pick(RARE_TITLES) : dice.pick(COMMON_TRADES)
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => ({
      truth: number,
      first_name: called(dice, ENGLISH, first, { nicknames: 0.08, typos: 0.03 }),
      last_name: spelled(dice, last, 0.03),
      birth_date: known(dice, writtenDate(dice.chance(0.03) ? mistypedDate(dice, birth) : birth), 0.3),
      city: home.city,
      occupation: known(dice, title, 0.8),
    }))
  }
}

// Rare countries have names of their own: two people of one name have one country as a matter of course.
const COUNTRIES: readonly {
  readonly country: string
  readonly share: number
  readonly language: Language
}[] = [
  { country: 'UNITED STATES', share: 0.94, language: ENGLISH },
  { country: 'VIETNAM', share: 0.02, language: VIETNAMESE },
  { country: 'LAOS', share: 0.005, language: VIETNAMESE },
  { country: 'MEXICO', share: 0.02, language: SPANISH },
  { country: 'PARAGUAY', share: 0.005, language: SPANISH },
  { country: 'HONDURAS', share: 0.005, language: SPANISH },
  { country: 'SPAIN', share: 0.005, language: SPANISH },
]

function* abroad(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const draw = dice.next()
    let upTo = 0
    const { country, language } = COUNTRIES.find(({ share }) => draw < (upTo += share)) ?? COUNTRIES[0]!
    const { number, first, last, birth, home } = census.person(dice, language)
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => ({
      truth: number,
      first_name: called(dice, language, first, { nicknames: 0.08, typos: 0.03 }),
      last_name: spelled(dice, last, 0.03),
      birth_date: known(dice, writtenDate(dice.chance(0.03) ? mistypedDate(dice, birth) : birth), 0.6),
      city: known(dice, home.city, 0.6),
      country: known(dice, country, 0.9),
    }))
  }
}

export const RARE_TITLE: World = {
  name: 'rare-title',
  setting: 'half of all people have a rare job title of their own; few birth dates',
  records: 20_000,
  repeats: REPEATS,
  columns: [['first_name'], ['last_name'], ['birth_date'], ['city'], ['occupation']],
  people: titled,
}

export const RARE_COUNTRY: World = {
  name: 'rare-country',
  setting: 'six people in a hundred come from rare countries, each with names of its own',
  records: 20_000,
  repeats: REPEATS,
  columns: [['first_name'], ['last_name'], ['birth_date'], ['city'], ['country']],
  people: abroad,
}
