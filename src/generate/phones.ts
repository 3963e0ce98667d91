import { AREA_CODES, type LineType } from './area-codes.ts'
import type { County } from './counties.ts'

/** An area code has the numbers 555-0000 to 555-9999. 555-1212 is directory assistance everywhere. */
const LINES = 10_000
const DIRECTORY_ASSISTANCE = 1212

/**
 * Hands out unused numbers in 555 exchanges: of the county's area codes first, then of the state's, then of any other
 * state (people keep their numbers when they move). When none is left, it starts again with the first number.
 */
export class PhoneBook {
  private readonly used = new Int32Array(AREA_CODES.length)
  private readonly pools = new Map<string, number[]>()

  next(county: County, line: LineType): number {
    const pool = this.poolOf(county, line)
    let code = pool.find((candidate) => this.used[candidate]! < LINES)
    if (code === undefined) {
      for (const candidate of pool) this.used[candidate] = 0
      code = pool[0]!
    }
    const used = this.used[code]!
    this.used[code] = used + 1
    // 7,919 and 10,000 have no common factor, so each number comes once, and two people in a row get distant numbers.
    const digits = (used * 7919 + code * 137) % LINES
    return digits === DIRECTORY_ASSISTANCE ? this.next(county, line) : code * LINES + digits
  }

  private poolOf(county: County, line: LineType): number[] {
    const key = `${county.fips} ${line}`
    let pool = this.pools.get(key)
    if (pool === undefined) {
      const nearness = (row: number): number => {
        const { code, state } = AREA_CODES[row]!
        if (county.areaCodes.includes(code)) return 0
        return state === county.state ? 1 : 2
      }
      pool = AREA_CODES.map((_, row) => row)
        .filter((row) => AREA_CODES[row]!.line === line)
        .sort((left, right) => nearness(left) - nearness(right) || left - right)
      this.pools.set(key, pool)
    }
    return pool
  }
}

/** Returns the ten digits of a number. */
export function phoneDigits(phone: number): string {
  return `${AREA_CODES[Math.floor(phone / LINES)]!.code}555${String(phone % LINES).padStart(4, '0')}`
}

const FORMATS: readonly ((digits: string) => string)[] = [
  (digits) => digits,
  (digits) => `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`,
  (digits) => `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`,
  (digits) => `${digits.slice(0, 3)}.${digits.slice(3, 6)}.${digits.slice(6)}`,
  (digits) => `+1 ${digits.slice(0, 3)} ${digits.slice(3, 6)} ${digits.slice(6)}`,
  (digits) => `1${digits}`,
]

/** Returns a number in one of six notations that people use. */
export function writtenPhone(phone: number, way: number): string {
  return FORMATS[way % FORMATS.length]!(phoneDigits(phone))
}
