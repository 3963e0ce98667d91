import { AREA_CODES, type LineType } from './area-codes.ts'
import type { County } from './counties.ts'

/** Numbers of one area code: 555-0000 … 555-9999, of which 555-1212 is directory assistance everywhere. */
const LINES = 10_000
const DIRECTORY_ASSISTANCE = 1212

/**
 * Hands out numbers that nobody has, all in 555 exchanges: the county's area codes first, then the state's, then
 * everybody's (people keep their numbers when they move). When all are gone, it starts again at the first.
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
    // 7,919 is prime to 10,000: every line comes once, and neighbours get numbers far apart.
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

/** The ten digits. */
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

/** As people write it, in one of six ways. */
export function writtenPhone(phone: number, way: number): string {
  return FORMATS[way % FORMATS.length]!(phoneDigits(phone))
}
