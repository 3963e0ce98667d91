import type { Labelled } from './labelled.ts'
import { squeeze } from './labelled-addresses.ts'

export interface ScoredPerson {
  first: string
  middle: string
  last: string
  suffix: string
}

const PARTS: Record<string, keyof ScoredPerson> = {
  GivenName: 'first',
  FirstInitial: 'first',
  MiddleName: 'middle',
  MiddleInitial: 'middle',
  Surname: 'last',
  LastInitial: 'last',
  SuffixGenerational: 'suffix',
}

/**
 * The people that the labels name. Somebody joined to the next without a surname has the next one's; a bare title
 * ('Mr. and …') is nobody.
 */
export function expectedPeople(labelled: Labelled): ScoredPerson[] {
  const people: ScoredPerson[] = []
  let words: Labelled['words'] = []
  const close = (): void => {
    const person = personOf(words)
    if (person.first !== '' || person.last !== '') people.push(person)
    words = []
  }
  for (const word of labelled.words) {
    if (word.label === 'And') close()
    else words.push(word)
  }
  close()
  for (let i = people.length - 2; i >= 0; i--)
    if (people[i]!.last === '') people[i]!.last = people[i + 1]!.last
  for (let i = 1; i < people.length; i++) if (people[i]!.last === '') people[i]!.last = people[i - 1]!.last
  return people
}

function personOf(words: Labelled['words']): ScoredPerson {
  const parts: Record<keyof ScoredPerson, string[]> = { first: [], middle: [], last: [], suffix: [] }
  for (const { label, word } of words) {
    const part = PARTS[label]
    if (part !== undefined) parts[part].push(word)
  }
  return {
    first: squeeze(parts.first),
    middle: squeeze(parts.middle),
    last: squeeze(parts.last),
    suffix: suffixOf(squeeze(parts.suffix.slice(0, 1))),
  }
}

export function suffixOf(text: string): string {
  const same: Record<string, string> = { JUNIOR: 'JR', SENIOR: 'SR', '2ND': 'II', '3RD': 'III', '4TH': 'IV' }
  return same[text] ?? text
}

/** One person with given name and surname, as a county writes it: 'SMITH JOHN A JR'; null for couples and fragments. */
export function countyOrder(labelled: Labelled): string | null {
  const { words } = labelled
  if (words.some(({ label }) => label === 'And')) return null
  const pick = (...labels: string[]): string[] =>
    words.filter(({ label }) => labels.includes(label)).map(({ word }) => word)
  const last = pick('Surname')
  const first = pick('GivenName', 'FirstInitial')
  if (last.length === 0 || first.length === 0) return null
  const parts = [
    ...last,
    ...first,
    ...pick('MiddleName', 'MiddleInitial'),
    ...pick('SuffixGenerational').slice(0, 1),
  ]
  return parts
    .join(' ')
    .toUpperCase()
    .replace(/[.,"()]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Equal parts, compared without spaces and punctuation. */
export function samePeople(expected: ScoredPerson[], found: ScoredPerson[]): boolean {
  return (
    expected.length === found.length &&
    expected.every((person, i) => {
      const other = found[i]!
      return (
        person.first === other.first &&
        person.middle === other.middle &&
        person.last === other.last &&
        person.suffix === other.suffix
      )
    })
  )
}
