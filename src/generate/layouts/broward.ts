import { unitText } from '../addresses.ts'
import { businessName } from '../businesses.ts'
import { compactDate, DAY_1, DAY_2, dayNumber, usDate } from '../calendar.ts'
import { rowOf } from '../columns.ts'
import type { Delivery } from '../output.ts'
import { ownerTexts } from '../owners.ts'
import { browardInstrument, parcelNumber, parcelsOf } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { DEED, PARCEL, type World } from '../types.ts'
import { consideration, stampCents } from './florida-sales.ts'
import { RecordFormat, type Table, type Values } from './record-format.ts'

const SOURCE = 'us/fl/broward.official-records'
const FIPS = '12011'
const FAULTS = stream('broward')
const FIRST_YEAR = 2022
const KINDS = ['doc', 'nme', 'lgl', 'lnk'] as const
type Kind = (typeof KINDS)[number]
/** The open files of a delivery, by kind. Some deliveries lack some kinds. */
type Files = { readonly [K in Kind]?: Table }

// The delimiter ends every line too.
const formatOf = (kind: Kind) => new RecordFormat('broward', kind, { separator: '|', end: '|\n' })
const FORMATS = { doc: formatOf('doc'), nme: formatOf('nme'), lgl: formatOf('lgl'), lnk: formatOf('lnk') }

/**
 * Writes the clerk's index. Day 1 has a delivery for each year until 2025 and one for the first days of 2026. Day 2 has
 * the new day, in which an old deed becomes void; the first days again, with one corrected price; and the names of 2025
 * again, with the same bytes.
 */
export function writeBroward(world: World, delivery: Delivery): void {
  const county = world.counties.findIndex(({ fips }) => fips === FIPS)
  if (county < 0) return
  const clerk = new Clerk(world, delivery, world.deedsInOrder[county]!)
  const newYear = dayNumber(2026, 1, 1)
  if (delivery.day === DAY_1) {
    for (let year = FIRST_YEAR; year < 2026; year += 1)
      clerk.deliver(dayNumber(year, 1, 1), dayNumber(year, 12, 31), KINDS)
    clerk.deliver(newYear, DAY_1, KINDS, true)
  } else {
    clerk.deliver(dayNumber(2025, 1, 1), dayNumber(2025, 12, 31), ['nme'])
    clerk.deliver(newYear, DAY_1, ['doc'])
    clerk.deliver(DAY_2, DAY_2, KINDS)
  }
}

class Clerk {
  readonly #world: World
  readonly #delivery: Delivery
  readonly #order: Int32Array
  #files: Files = {}
  /** False for a delivery that repeats records, whose people the truth has already. */
  #isNew = true

  constructor(world: World, delivery: Delivery, order: Int32Array) {
    this.#world = world
    this.#delivery = delivery
    this.#order = order
  }

  /** Writes the files of the documents recorded between two days. `isWrong`: the first price is 1,000 dollars too high. */
  deliver(from: number, to: number, kinds: readonly Kind[], isWrong = false): void {
    const name = usDate(to, '-')
    const opened = kinds.map((kind) => {
      return [kind, this.#delivery.table(SOURCE, `${name}${kind}-ver.txt`, 'latin1', FORMATS[kind])]
    })
    this.#files = Object.fromEntries(opened) as Files
    this.#isNew = this.#delivery.day === DAY_1 || from === DAY_2
    let tooHigh = isWrong ? 1000 : 0
    if (from === DAY_2) this.#voidRecentDeed()
    for (const deed of this.#order) {
      const { recordedOn, mortgage, satisfiedOn } = rowOf(this.#world.deeds, deed)
      if (recordedOn >= from && recordedOn <= to) {
        this.#deed(deed, recordedOn, tooHigh)
        tooHigh = 0
        if (mortgage > 0) this.#mortgage(deed, recordedOn, mortgage)
        if (mix(FAULTS, deed, 1) % 12 === 0) this.#other(deed, recordedOn)
      }
      if (satisfiedOn >= from && satisfiedOn <= to) this.#satisfaction(deed, satisfiedOn)
    }
  }

  #deed(deed: number, day: number, tooHigh: number): void {
    const world = this.#world
    const { kind, grantor, grantee, corrects } = rowOf(world.deeds, deed)
    const instrument = this.#instrument(deed, 0)
    const [first, ...others] = parcelsOf(world, deed)
    const amount = consideration(world, deed) + tooHigh
    const isUnknown = mix(FAULTS, deed, 2) % 60 === 0
    this.#parties(deed, instrument, grantor, 'D')
    this.#parties(deed, instrument, grantee, 'R')
    this.#document(instrument, day, kind === DEED.foreclosure ? 'CET' : 'D', amount, {
      legal_description: this.#legal(first!),
      parcel_id: isUnknown ? '000000000000' : parcelNumber(world, first!),
      documentary_tax: amount > 0 ? dollars(stampCents(amount)) : '',
      rerecord_flag: kind === DEED.correction ? 'C' : '',
    })
    for (const parcel of others) {
      this.#files.lgl?.row({
        instrument_number: instrument,
        legal_description: this.#legal(parcel),
        parcel_id: parcelNumber(world, parcel),
      })
    }
    if (corrects >= 0) this.#link(instrument, this.#instrument(corrects, 0))
  }

  #mortgage(deed: number, day: number, amount: number): void {
    const { grantee, lender } = rowOf(this.#world.deeds, deed)
    const instrument = this.#instrument(deed, 1)
    this.#parties(deed, instrument, grantee, 'D')
    this.#business(instrument, lender, 'R')
    // Stamps are 35 cents for every 100 dollars, the intangible tax is 2 per mille.
    this.#document(instrument, day, 'M', amount, {
      documentary_tax: dollars(stampCents(amount) / 2),
      intangible_tax: dollars(Math.round(amount / 5)),
    })
  }

  #satisfaction(deed: number, day: number): void {
    const { grantee, lender } = rowOf(this.#world.deeds, deed)
    const instrument = this.#instrument(deed, 2)
    this.#business(instrument, lender, 'D')
    this.#parties(deed, instrument, grantee, 'R')
    this.#document(instrument, day, 'RST', 0)
    // One link in fifteen has a typo, so the clerk did not find the prior document.
    const isLost = mix(FAULTS, deed, 3) % 15 === 0
    this.#link(instrument, isLost ? '' : this.#instrument(deed, 1))
  }

  /** Writes another kind of document: a notice of commencement, a lien, a sealed adoption, a void. */
  #other(deed: number, day: number): void {
    const instrument = this.#instrument(deed, 3)
    const bits = mix(FAULTS, deed, 4) % 20
    if (bits === 0) this.#document(instrument, day, 'ADP', 0, { confidential: 2 })
    else if (bits === 1) this.#void(instrument, day)
    else {
      this.#business(instrument, mix(FAULTS, deed, 5) % this.#world.businesses.kind.length, 'D')
      this.#document(instrument, day, bits < 12 ? 'NOC' : bits < 16 ? 'LP' : 'LIE', 0)
    }
  }

  /** Writes a void for a recent deed: readers must drop the deed that the index had. */
  #voidRecentDeed(): void {
    const { recordedOn, kind } = this.#world.deeds
    const deed = this.#order.findLast((row) => recordedOn.get(row) < DAY_1 && kind.get(row) === DEED.sale)
    if (deed !== undefined) this.#void(this.#instrument(deed, 0), recordedOn.get(deed))
  }

  #void(instrument: string, day: number): void {
    this.#document(instrument, day, 'VOID', 0, { legal_description: 'VOID', parcel_id: 'VOID', confidential: 4 }) // prettier-ignore
  }

  #document(instrument: string, day: number, code: string, amount: number, rest: Values = {}): void {
    this.#files.doc?.row({
      instrument_number: instrument,
      record_date: compactDate(day),
      record_date_us: usDate(day),
      document_type_code: code,
      consideration_amount: amount.toFixed(2),
      ...rest,
    })
  }

  #business(instrument: string, business: number, type: 'D' | 'R'): void {
    this.#party(instrument, businessName(this.#world, business), type, 1)
  }

  #party(instrument: string, name: string, type: 'D' | 'R', sequence: number): void {
    this.#files.nme?.row({
      instrument_number: instrument,
      party_name: name,
      party_type: type,
      name_sequence: sequence,
    })
  }

  /** Writes the prior document of a correction or of a release of a mortgage. */
  #link(instrument: string, prior: string): void {
    const found = { prior_instrument_number: prior, prior_book_number: 0, prior_page_number: 0 }
    this.#files.lnk?.row({ instrument_number: instrument, ...(prior === '' ? {} : found) })
  }

  #parties(deed: number, instrument: string, owner: number, type: 'D' | 'R'): void {
    const recordedOn = this.#world.deeds.recordedOn.get(deed)
    const texts = ownerTexts(this.#world, owner, recordedOn, 'clerk', deed * 2 + (type === 'D' ? 0 : 1), 150)
    texts.forEach(({ text, people }, at) => {
      this.#party(instrument, text, type, at + 1)
      if (this.#isNew) this.#delivery.namesAll(`${SOURCE}/nme/${instrument}|${type}|${at + 1}`, people)
    })
  }

  #legal(parcel: number): string {
    const { serial, kind, address } = rowOf(this.#world.parcels, parcel)
    const name = ['LAKE', 'PALM', 'SUNRISE', 'CORAL', 'CYPRESS', 'HARBOR'][serial % 6]!
    return kind === PARCEL.condo
      ? `${name} GARDENS SECTION ${1 + (serial % 3)} CONDO UNIT ${unitText(this.#world, address)} BLDG ${'ABCD'[serial % 4]!}`
      : `${name} ESTATES ${1 + (serial % 180)}-${1 + (serial % 48)} B LOT ${1 + (serial % 60)} BLK ${1 + (serial % 22)}`
  }

  #instrument(deed: number, document: number): string {
    return browardInstrument(this.#world.deeds.rank.get(deed), document)
  }
}

function dollars(cents: number): string {
  return (Math.round(cents) / 100).toFixed(2)
}
