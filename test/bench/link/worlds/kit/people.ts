import { adultBirth, type CalendarDate, dateBetween } from './dates.ts'
import type { Dice } from './dice.ts'
import type { Language, Sex } from './languages.ts'
import { type Address, anyAddress } from './places.ts'

export interface Person {
  readonly number: number
  readonly sex: Sex
  readonly first: string
  readonly middle: string
  readonly last: string
  readonly birth: CalendarDate
  readonly home: Address
  /** Digits. */
  readonly mobile: string
}

interface Household {
  readonly home: Address
  readonly landline: string
  readonly members: readonly Person[]
}

/** Numbers people from 1 on. */
export class Census {
  #people = 0

  /** A person; what is given is taken, the rest is drawn. */
  person(dice: Dice, language: Language, given: Partial<Omit<Person, 'number'>> = {}): Person {
    const sex = given.sex ?? (dice.chance(0.5) ? 'F' : 'M')
    const names = sex === 'F' ? language.women : language.men
    const drawn = {
      sex,
      first: names.draw(dice),
      middle: names.draw(dice),
      last: language.surnames.draw(dice),
      birth: adultBirth(dice),
      home: anyAddress(dice),
      mobile: phoneNumber(dice),
    }
    return { ...drawn, ...given, number: ++this.#people }
  }

  /** Two parents (or one) and up to four children of one surname and home. One son in 25 has his father's first name. */
  household(dice: Dice, language: Language): Household {
    const home = anyAddress(dice)
    const last = language.surnames.draw(dice)
    const year = dice.between(1940, 1985)
    const shared = { home, last }
    const members: Person[] = []
    const father = this.person(dice, language, {
      ...shared,
      sex: 'M',
      birth: dateBetween(dice, year, year + 6),
    })
    const hasFather = dice.chance(0.85)
    if (hasFather) members.push(father)
    if (!hasFather || dice.chance(0.85)) {
      members.push(
        this.person(dice, language, { ...shared, sex: 'F', birth: dateBetween(dice, year, year + 8) }),
      )
    }
    const children = dice.below(5)
    for (let child = 0; child < children; child++) {
      const birth = dateBetween(dice, year + 22, year + 38)
      const sex = dice.chance(0.5) ? 'F' : 'M'
      const named = sex === 'M' && hasFather && dice.chance(0.04) ? { first: father.first } : {}
      members.push(this.person(dice, language, { ...shared, ...named, sex, birth }))
    }
    return { home, landline: phoneNumber(dice), members }
  }
}

export function phoneNumber(dice: Dice): string {
  return `${dice.between(2, 9)}${dice.digits(2)}555${dice.digits(4)}`
}
