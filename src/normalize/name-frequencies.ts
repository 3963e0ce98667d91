import { referenceRows } from './reference.ts'

/** People per 100,000; 0.2 where the Census lists a name without a frequency, 0 where it doesn't list it. */
export interface NameFrequency {
  surname: number
  female: number
  male: number
}

const FREQUENCIES = new Map<string, NameFrequency>()
for (const [name, surname, female, male] of referenceRows('names.csv')) {
  FREQUENCIES.set(name!, { surname: frequency(surname!), female: frequency(female!), male: frequency(male!) })
}

/** How frequent an upper-case word (letters only) is as a surname and as a first name; undefined when it is neither. */
export function nameFrequency(word: string): NameFrequency | undefined {
  return FREQUENCIES.get(word)
}

function frequency(text: string): number {
  return text === '' ? 0 : text === '0' ? 0.2 : Number(text)
}

/** Every name of the Census. */
export function censusNames(): Iterable<string> {
  return FREQUENCIES.keys()
}
