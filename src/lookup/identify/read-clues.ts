import { parseBirthDate } from '../../normalize/birth-date.ts'
import { normalizeEmail } from '../../normalize/email.ts'
import { parseName } from '../../normalize/name.ts'
import { parsePhone } from '../../normalize/phone.ts'
import { packDate } from '../format/birth.ts'
import type { PhonePerson } from '../format/phone-document.ts'
import { wordsOf } from '../format/words.ts'
import { contactQuality } from '../person/match-score.ts'
import { peopleOfEmail, peopleOfPhone } from '../phone/people-of-contact.ts'
import { askedLocations } from '../search/locations.ts'
import { peopleIn, type Snapshot } from '../snapshot/snapshot.ts'
import type { Clues, ContactClue, NameClue, ReadClues } from './clues.ts'
import { withEmailNames } from './email-names.ts'
import type { NameWord, NameWords } from './name-words.ts'

const one = (text: string | undefined): string[] => (text === undefined ? [] : [text])

/**
 * Parses rows. Parses one kind of clue for all rows before the next kind, because the data of each kind then
 * stays in the processor's cache.
 */
export function readClues(
  snapshot: Snapshot,
  words: NameWords,
  rows: readonly Clues[],
  today: string,
  weighsSuppressed: boolean,
): ReadClues[] {
  const hidden = weighsSuppressed ? null : (snapshot.suppressed?.people ?? null)
  const faults = rows.map((): string[] => [])
  const read = <T>(
    textsOf: (clues: Clues) => readonly string[],
    fault: string,
    parse: (text: string) => T | null,
  ): T[][] =>
    rows.map((clues, row) => {
      const found: T[] = []
      for (const text of textsOf(clues)) {
        const value = parse(text)
        if (value !== null) found.push(value)
        else if (!faults[row]!.includes(fault)) faults[row]!.push(fault)
      }
      return found
    })
  const phones = read((clues) => clues.phones ?? [], 'the phone is no North American number', (text) => phoneClue(snapshot, text, hidden)) // prettier-ignore
  const emails = read((clues) => clues.emails ?? [], 'the e-mail is no address', (text) => emailClue(snapshot, text, hidden)) // prettier-ignore
  const births = read((clues) => one(clues.birth_date), 'the birth date is no date', (text) => parseBirthDate(text, today)) // prettier-ignore
  const ages = read((clues) => one(clues.age), 'the age is no number of years', readAge)
  const names = rows.map((clues, row) => nameClue(words, clues, faults[row]!))
  const places = rows.map((clues) => askedLocations(snapshot.shards, clues))
  // These holders are most of the people who will be compared.
  const holders = [...phones, ...emails].flatMap((contacts) => contacts.flatMap(({ qualities }) => [...qualities.keys()])) // prettier-ignore
  for (const shard of snapshot.shards) shard.workspace.ahead.people(peopleIn(shard, holders))
  return rows.map((clues, row) => {
    const name = names[row]!
    return {
      weighsSuppressed,
      name: name === null || clues.emails === undefined ? name : withEmailNames(words, name, clues.emails),
      phones: phones[row]!,
      emails: emails[row]!,
      places: places[row]!,
      birth: packDate(births[row]![0] ?? null),
      age: ages[row]![0] ?? null,
      faults: faults[row]!,
    }
  })
}

function readAge(text: string): number | null {
  const age = Number(text)
  return /^\d{1,3}(\.0+)?$/.test(text.trim()) && age <= 122 ? age : null
}

/** By person number: 1 for people who must not be found. Null when everyone may be found. */
type Hidden = Uint8Array | null

function clueOf(people: readonly PhonePerson[], hidden: Hidden): ContactClue {
  const qualities = new Map<number, number>()
  let total = 0
  for (const { person, score } of people) {
    if (hidden?.[person] === 1) continue
    qualities.set(person, contactQuality(score))
    total += contactQuality(score)
  }
  return { qualities, total }
}

function phoneClue(snapshot: Snapshot, text: string, hidden: Hidden): ContactClue | null {
  const parsed = parsePhone(text)
  return parsed === null ? null : clueOf(peopleOfPhone(snapshot, parsed.phone), hidden)
}

function emailClue(snapshot: Snapshot, text: string, hidden: Hidden): ContactClue | null {
  const email = normalizeEmail(text)
  return email === null ? null : clueOf(peopleOfEmail(snapshot, email), hidden)
}

// Returns the name of the first person in the row. A text that names only an organisation has none.
function nameClue(nameWords: NameWords, clues: Clues, faults: string[]): NameClue | null {
  const { name, first_name, middle_name, last_name } = clues
  const isParts = first_name !== undefined || last_name !== undefined
  if (!isParts && name === undefined) return null
  const parsed = isParts
    ? parseName(
        `${last_name ?? ''}\t${first_name ?? ''}\t${middle_name ?? ''}\t`.replace(/[\r\n]/g, ' '),
        'parts',
      )
    : parseName(name!, 'given_first')
  const [person] = parsed.people
  if (person === undefined) {
    faults.push(parsed.organisation === null ? 'the name has no words' : 'the name is of an organisation')
    return null
  }
  const words = (text: string | null): NameWord[] =>
    text === null ? [] : wordsOf(text).map((word) => nameWords.word(word))
  const isTurned = person.last?.length === 1 && (person.first?.length ?? 0) > 1
  return {
    first: words(isTurned ? person.last : person.first),
    middle: words(person.middle),
    // A single letter is no surname: then the row has written the surname first and the initial last.
    last: words(isTurned ? person.first : person.last),
    generation: person.suffix,
    isFirstCorrected: false,
    isLastCorrected: false,
    otherLast: null,
    isLastInEmail: false,
  }
}
