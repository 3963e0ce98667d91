import { readFileSync } from 'node:fs'
import { fold } from './fold.ts'

const COUNTIES = new URL('../../data/reference/counties.csv', import.meta.url)

// Names as the Census writes them. The interface also lists TT, the Trust Territory, which ended in 1994 and has no
// region.
const STATE_NAMES = `
AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|AS American Samoa|CA California|CO Colorado|CT Connecticut|DE Delaware|
DC District of Columbia|FL Florida|GA Georgia|GU Guam|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|
KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|
MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|
ND North Dakota|MP Northern Mariana Islands|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|PR Puerto Rico|
RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|
VI U.S. Virgin Islands|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming`

/** All event types, in the order in which regions list them. */
export const EVENT_TYPES = [
  'deed.transfer',
  'deed.quitclaim',
  'deed.foreclosure',
  'deed.correction',
  'deed.other',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export interface RegionState {
  readonly slug: string
  readonly state_code: string
  readonly name: string
}

export interface RegionCounty {
  readonly slug: string
  readonly name: string
  readonly fips_code: string
}

/** A whole state, or one county of it (`fips_code`). */
export interface Region {
  readonly state_code: string
  readonly fips_code: string | null
}

/** `malformed`: the text is not a region. `unknown`: the form is right, but there is no such state or county. */
export type RegionReading =
  | { readonly kind: 'region'; readonly region: Region }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown'; readonly state_code: string | null }

/** The states, territories and counties of the Census, and the texts that name them. */
export class Regions {
  readonly states: readonly RegionState[]
  readonly #counties = new Map<string, RegionCounty[]>()
  readonly #byFips = new Map<string, Region>()
  readonly #bySlug = new Map<string, Region>()

  /** `counties` is the text of data/reference/counties.csv. */
  constructor(counties: string) {
    this.states = STATE_NAMES.split('|').map((line) => {
      const [state_code = '', ...words] = line.trim().split(' ')
      const name = words.join(' ')
      return { slug: slugOf(name), state_code, name }
    })
    for (const { state_code } of this.states) this.#counties.set(state_code, [])
    for (const line of counties.trim().split(/\r?\n/).slice(1)) {
      const [fips_code = '', name = '', state_code = ''] = line.split(',')
      const slug = slugOf(name)
      const region = { state_code, fips_code }
      this.#counties.get(state_code)?.push({ slug, name, fips_code })
      this.#byFips.set(fips_code, region)
      this.#bySlug.set(`${state_code}.${slug}`, region)
    }
  }

  /**
   * Returns the counties of a state in the order of their FIPS codes; null for an unknown state. `state_code`: two
   * letters, upper case.
   */
  counties(state_code: string): readonly RegionCounty[] | null {
    return this.#counties.get(state_code) ?? null
  }

  /** Returns the state of a county; null for an unknown FIPS code. */
  stateOf(fips_code: string): string | null {
    return this.#byFips.get(fips_code)?.state_code ?? null
  }

  /** Reads `state:tx`, `county:tx.travis` or `county:48453`, in any case. */
  read(text: string): RegionReading {
    const [type, value = '', ...more] = text.trim().toLowerCase().split(':')
    if (more.length > 0 || value === '') return { kind: 'malformed' }
    if (type === 'state') return this.#readState(value)
    if (type === 'county') return this.#readCounty(value)
    return { kind: 'malformed' }
  }

  #readState(value: string): RegionReading {
    if (!/^[a-z]{2}$/.test(value)) return { kind: 'malformed' }
    const state_code = value.toUpperCase()
    if (!this.#counties.has(state_code)) return { kind: 'unknown', state_code: null }
    return { kind: 'region', region: { state_code, fips_code: null } }
  }

  #readCounty(value: string): RegionReading {
    if (/^\d{5}$/.test(value)) {
      const region = this.#byFips.get(value)
      return region === undefined ? { kind: 'unknown', state_code: null } : { kind: 'region', region }
    }
    const [, state = '', slug = ''] = /^([a-z]{2})\.(.+)$/.exec(value) ?? []
    if (slug === '') return { kind: 'malformed' }
    const state_code = state.toUpperCase()
    const region = this.#bySlug.get(`${state_code}.${slugOf(slug)}`)
    if (region !== undefined) return { kind: 'region', region }
    return { kind: 'unknown', state_code: this.#counties.has(state_code) ? state_code : null }
  }
}

/** Loads the regions of data/reference/counties.csv. */
export function loadRegions(): Regions {
  return new Regions(readFileSync(COUNTIES, 'utf8'))
}

function slugOf(name: string): string {
  return fold(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
}
