/** Somebody invented, and how a file may write them. */
export interface InventedPerson {
  readonly first: string
  readonly middle: string
  readonly last: string
  /** `YYYY-MM-DD` */
  readonly birth: string
  readonly phone: string
  readonly email: string
  readonly house: number
  readonly street: string
  readonly city: string
  readonly zip: string
}

const FIRST = ['Adela', 'Bruno', 'Carmen', 'Dario', 'Elaine', 'Felix', 'Greta', 'Hector', 'Irene', 'Jonas', 'Karin', 'Lionel', 'Mabel', 'Norris', 'Odette', 'Pablo'] // prettier-ignore
const LAST = ['Abernathy', 'Barlow', 'Castaneda', 'Dunleavy', 'Escobedo', 'Fairbanks', 'Gallardo', 'Hathaway', 'Ibarra', 'Jorgensen', 'Kowalski', 'Lindgren', 'Marchetti'] // prettier-ignore
const STREETS = ['Juniper Ln', 'Prairie View Dr', 'Old Mill Rd', 'Sunset Ave', 'Cedar Hollow Ct']

/** Different people: no two have one name, birth date or phone. */
export function inventedPeople(count: number): InventedPerson[] {
  return Array.from({ length: count }, (_, n) => {
    const [first, last] = [FIRST[n % FIRST.length]!, LAST[n % LAST.length]!]
    return {
      first,
      middle: 'ABCDEFGHJKLM'[(n * 5) % 12]!,
      last,
      birth: `${1940 + ((n * 17) % 60)}-${two(1 + ((n * 7) % 12))}-${two(13 + ((n * 11) % 16))}`,
      phone: `512555${String(n).padStart(4, '0')}`,
      email: `${first}.${last}${n}@example.com`.toLowerCase(),
      house: 100 + 7 * n,
      street: STREETS[n % STREETS.length]!,
      city: 'Austin',
      zip: `787${two(1 + (n % 50))}`,
    }
  })
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
