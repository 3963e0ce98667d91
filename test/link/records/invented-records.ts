import type { MentionRow } from './random-mentions.ts'

const FIRST = ['ADELA', 'BRUNO', 'CARMEN', 'DARIO', 'ELAINE', 'FELIX', 'GRETA', 'HECTOR', 'IRENE', 'JONAS', 'KARIN', 'LIONEL', 'MABEL', 'NORRIS', 'ODETTE', 'PABLO', 'QUENTIN', 'ROSALIE', 'STELLAN'] // prettier-ignore
const LAST = ['ABERNATHY', 'BARLOW', 'CASTANEDA', 'DUNLEAVY', 'ESCOBEDO', 'FAIRBANKS', 'GALLARDO', 'HATHAWAY', 'IBARRA', 'JORGENSEN', 'KOWALSKI', 'LINDGREN', 'MARCHETTI', 'NAVARRO', 'OKONKWO', 'PRUITT', 'QUINTERO'] // prettier-ignore

/**
 * Two records of each of so many people: `7-1` and `7-2`. Names repeat among them; birth dates, telephones and e-mail addresses do not. The second
 * record has some of them blank or mistyped. `birthOf` gives other birth dates: a column that is none, for instance.
 */
export function inventedRecords(
  people: number,
  birthOf: (person: number, record: number) => { year: number; month: number; day: number } = bornOnce,
): MentionRow[] {
  return Array.from({ length: people }, (_, n) => [record(n, 1), record(n, 2)]).flat()

  function record(n: number, which: number): MentionRow {
    const { year, month, day } = birthOf(n, which)
    const last = LAST[(n * 5) % LAST.length]!
    const isAgain = which === 2
    return {
      record_id: `${n}-${which}`,
      source_id: `list ${which}`,
      first_name: FIRST[(n * 3) % FIRST.length]!,
      last_name: isAgain && n % 12 === 0 ? `${last.slice(0, -1)}X` : last,
      birth_year: year,
      birth_month: isAgain && n % 5 === 0 ? (month % 12) + 1 : month,
      birth_day: day,
      phones: isAgain && n % 3 === 0 ? [] : [`1512${5_550_000 + n}`],
      emails: isAgain && n % 4 === 0 ? [] : [`p${n}q@example.com`],
    }
  }
}

function bornOnce(n: number): { year: number; month: number; day: number } {
  return { year: 1940 + ((n * 7) % 61), month: 1 + ((n * 5) % 12), day: 13 + ((n * 11) % 16) }
}

/** What a column of order dates says of people: another day in each record. */
export function orderedOn(n: number, which: number): { year: number; month: number; day: number } {
  return { year: 1950 + ((n * 13 + which * 31) % 60), month: 1 + ((n * 7 + which * 5) % 12), day: 2 + ((n * 3 + which * 9) % 26) } // prettier-ignore
}
