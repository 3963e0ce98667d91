import { compactDate, DAY_1, DAY_2, dayNumber, NEVER, two, usDate } from '../calendar.ts'
import { businessName } from '../businesses.ts'
import type { Delivery, Sink } from '../output.ts'
import { ownerTexts } from '../owners.ts'
import { browardInstrument, parcelNumber, parcelsOf } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { DEED, PARCEL, type World } from '../types.ts'
import { unitText } from '../addresses.ts'
import { Layout } from '../../layouts.ts'
import { consideration, stampCents } from './florida-sales.ts'
import { RecordFormat, type Values } from './record-format.ts'

export const SOURCE = 'us/fl/broward.official-records'

const FIPS = '12011'
const FAULTS = stream('broward')
const FIRST_YEAR = 2022
const KINDS = ['doc', 'nme', 'lgl', 'lnk'] as const
type Kind = (typeof KINDS)[number]
type Files = Record<Kind, Sink>

const LAYOUT = new Layout('broward')
// The delimiter ends every line too.
const PIPES = { separator: '|', end: '|\n' }
const FORMATS = {
  doc: new RecordFormat(LAYOUT, 'doc', PIPES),
  nme: new RecordFormat(LAYOUT, 'nme', PIPES),
  lgl: new RecordFormat(LAYOUT, 'lgl', PIPES),
  lnk: new RecordFormat(LAYOUT, 'lnk', PIPES),
}

/**
 * Writes the clerk's index. Day 1 has a delivery for each year until 2025 and one for the first days of 2026. Day 2 has
 * the new day, in which an old deed becomes void; the first days again, with one corrected price; and the names of 2025
 * again, with the same bytes.
 */
export function writeBroward(world: World, delivery: Delivery): void {
  const county = world.counties.findIndex(({ fips }) => fips === FIPS)
  if (county < 0) return
  const clerk = new Clerk(world, delivery, world.deedsInOrder[county]!)
  if (delivery.day === DAY_1) {
    for (let year = FIRST_YEAR; year < 2026; year += 1) {
      clerk.deliver(dayNumber(year, 12, 31), dayNumber(year, 1, 1), dayNumber(year, 12, 31), KINDS)
    }
    clerk.deliver(DAY_1, dayNumber(2026, 1, 1), DAY_1, KINDS, true)
  } else {
    clerk.deliver(dayNumber(2025, 12, 31), dayNumber(2025, 1, 1), dayNumber(2025, 12, 31), ['nme'])
    clerk.deliver(DAY_1, dayNumber(2026, 1, 1), DAY_1, ['doc'])
    clerk.deliver(DAY_2, DAY_2, DAY_2, KINDS)
  }
}

class Clerk {
  private readonly world: World
  private readonly delivery: Delivery
  private readonly order: Int32Array

  constructor(world: World, delivery: Delivery, order: Int32Array) {
    this.world = world
    this.delivery = delivery
    this.order = order
  }

  /** Writes the files of the documents recorded between two days. `name` is the day in the file names. */
  deliver(name: number, from: number, to: number, kinds: readonly Kind[], hasSlip = false): void {
    const files = {} as Files
    for (const kind of KINDS) {
      files[kind] = kinds.includes(kind)
        ? this.delivery.file(SOURCE, `${usDate(name, '-')}${kind}-ver.txt`, 'latin1')
        : { write() {}, close() {} }
    }
    const isNew = this.delivery.day === DAY_1 || from === DAY_2
    let slips = hasSlip
    if (from === DAY_2) this.voided(files.doc)
    for (const deed of this.order) {
      const { recordedOn, mortgage, satisfiedOn } = this.world.deeds
      const recorded = recordedOn.get(deed)
      if (recorded >= from && recorded <= to) {
        this.deed(files, deed, slips, isNew)
        slips = false
        if (mortgage.get(deed) > 0) this.mortgage(files, deed, isNew)
        if (mix(FAULTS, deed, 1) % 12 === 0) this.other(files, deed, recorded)
      }
      const satisfied = satisfiedOn.get(deed)
      if (satisfied !== NEVER && satisfied >= from && satisfied <= to) this.satisfaction(files, deed, isNew)
    }
    for (const kind of KINDS) files[kind].close()
  }

  private deed(files: Files, deed: number, hasSlip: boolean, isNew: boolean): void {
    const { world } = this
    const { deeds } = world
    const instrument = this.instrument(deed, 0)
    const parcels = parcelsOf(world, deed)
    const amount = consideration(world, deed) + (hasSlip ? 1000 : 0)
    const kind = deeds.kind.get(deed)
    const names =
      this.parties(files.nme, deed, instrument, deeds.grantor.get(deed), 'D', isNew) +
      this.parties(files.nme, deed, instrument, deeds.grantee.get(deed), 'R', isNew)
    const isUnknown = mix(FAULTS, deed, 2) % 60 === 0
    this.doc(files.doc, {
      instrument,
      day: deeds.recordedOn.get(deed),
      code: kind === DEED.foreclosure ? 'CET' : 'D',
      amount,
      names,
      rest: {
        legal_description: this.legal(parcels[0]!),
        parcel_id: isUnknown ? '000000000000' : parcelNumber(world, parcels[0]!),
        documentary_tax: amount > 0 ? cents(stampCents(amount)) : '',
        rerecord_flag: kind === DEED.correction ? 'C' : '',
      },
    })
    for (const parcel of parcels.slice(1)) {
      files.lgl.write(
        FORMATS.lgl.line({
          instrument_number: instrument,
          legal_description: this.legal(parcel),
          parcel_id: parcelNumber(world, parcel),
        }),
      )
    }
    const corrected = deeds.corrects.get(deed)
    if (corrected < 0) return
    const prior = this.instrument(corrected, 0)
    this.link(files.lnk, instrument, 'D', prior)
  }

  private mortgage(files: Files, deed: number, isNew: boolean): void {
    const { deeds } = this.world
    const instrument = this.instrument(deed, 1)
    const dollars = deeds.mortgage.get(deed)
    const borrowers = this.parties(files.nme, deed, instrument, deeds.grantee.get(deed), 'D', isNew)
    this.party(files.nme, instrument, businessName(this.world, deeds.lender.get(deed)), 'R')
    this.doc(files.doc, {
      instrument,
      day: deeds.recordedOn.get(deed),
      code: 'M',
      amount: dollars,
      names: borrowers + 1,
      // Stamps are 35 cents for every 100 dollars, the intangible tax is 2 per mille.
      rest: {
        documentary_tax: cents(stampCents(dollars) / 2),
        intangible_tax: cents(Math.round(dollars / 5)),
      },
    })
  }

  private satisfaction(files: Files, deed: number, isNew: boolean): void {
    const { deeds } = this.world
    const instrument = this.instrument(deed, 2)
    this.party(files.nme, instrument, businessName(this.world, deeds.lender.get(deed)), 'D')
    const names = 1 + this.parties(files.nme, deed, instrument, deeds.grantee.get(deed), 'R', isNew)
    this.doc(files.doc, { instrument, day: deeds.satisfiedOn.get(deed), code: 'RST', amount: 0, names })
    const prior = this.instrument(deed, 1)
    // One link in fifteen has a typo, so the clerk did not find the prior document.
    const isLost = mix(FAULTS, deed, 3) % 15 === 0
    this.link(files.lnk, instrument, 'RST', prior, isLost)
  }

  /** Writes another kind of document: a notice of commencement, a lien, a sealed adoption, a void. */
  private other(files: Files, deed: number, day: number): void {
    const instrument = this.instrument(deed, 3)
    const bits = mix(FAULTS, deed, 4) % 20
    if (bits === 0) {
      this.doc(files.doc, {
        instrument,
        day,
        code: 'ADP',
        amount: 0,
        names: 2,
        rest: { confidential: 2, case_number: 'SEALED' },
      })
    } else if (bits === 1) this.void(files.doc, instrument, day)
    else {
      const code = bits < 12 ? 'NOC' : bits < 16 ? 'LP' : 'LIE'
      const business = mix(FAULTS, deed, 5) % this.world.businesses.kind.length
      this.party(files.nme, instrument, businessName(this.world, business), 'D')
      this.doc(files.doc, { instrument, day, code, amount: 0, names: 1 })
    }
  }

  /** Writes a void for a recent deed: readers must drop the deed that the index had. */
  private voided(doc: Sink): void {
    const { recordedOn, kind } = this.world.deeds
    const deed = this.order.findLast((row) => recordedOn.get(row) < DAY_1 && kind.get(row) === DEED.sale)
    if (deed !== undefined) this.void(doc, this.instrument(deed, 0), recordedOn.get(deed))
  }

  private void(doc: Sink, instrument: string, day: number): void {
    const rest = {
      record_time: '024248',
      book_number: 0,
      page_number: 0,
      legal_description: 'VOID',
      parcel_id: 'VOID',
      confidential: 4,
      case_number: 'VOID',
    }
    this.doc(doc, { instrument, day, code: 'VOID', amount: 0, names: 1, rest })
  }

  private doc(sink: Sink, row: DocRow): void {
    const minute = mix(FAULTS, Number(row.instrument), 6)
    // The time has twelve hours without AM or PM. The office is open from eight to five.
    const time = `${two([8, 9, 10, 11, 12, 1, 2, 3, 4][minute % 9]!)}${two(minute % 60)}${two((minute >>> 8) % 60)}`
    sink.write(
      FORMATS.doc.line({
        instrument_number: row.instrument,
        record_date: compactDate(row.day),
        record_date_us: usDate(row.day),
        record_time: time,
        document_type_code: row.code,
        consideration_amount: row.amount.toFixed(2),
        number_of_names: row.names,
        ...row.rest,
      }),
    )
  }

  private party(sink: Sink, instrument: string, name: string, type: 'D' | 'R', sequence = 1): void {
    sink.write(
      FORMATS.nme.line({
        instrument_number: instrument,
        party_name: name,
        party_type: type,
        name_sequence: sequence,
      }),
    )
  }

  /** A correction (`D`) names the deed it corrects, a release of a mortgage (`RST`) the mortgage. */
  private link(sink: Sink, instrument: string, code: 'D' | 'RST', prior: string, isLost = false): void {
    const found = {
      prior_instrument_number: prior,
      prior_book_number: 0,
      prior_page_number: 0,
      prior_book_type: 'O',
      prior_document_type_code: code === 'D' ? 'D' : 'M',
      keypunch: `O ${prior}`,
    }
    const lost = { keypunch: `-O ${prior.slice(1)}` }
    const rest = isLost ? lost : found
    sink.write(FORMATS.lnk.line({ instrument_number: instrument, document_type_code: code, ...rest }))
  }

  private parties(
    sink: Sink,
    deed: number,
    instrument: string,
    owner: number,
    type: 'D' | 'R',
    isNew: boolean,
  ): number {
    const recordedOn = this.world.deeds.recordedOn.get(deed)
    const texts = ownerTexts(this.world, owner, recordedOn, 'clerk', deed * 2 + (type === 'D' ? 0 : 1), 150)
    texts.forEach(({ text, people }, at) => {
      this.party(sink, instrument, text, type, at + 1)
      if (!isNew) return
      people.forEach((person, i) => {
        this.delivery.names(`${SOURCE}/nme/${instrument}|${type}|${at + 1}#${i + 1}`, person)
      })
    })
    return texts.length
  }

  private legal(parcel: number): string {
    const { parcels } = this.world
    const serial = parcels.serial.get(parcel)
    const name = ['LAKE', 'PALM', 'SUNRISE', 'CORAL', 'CYPRESS', 'HARBOR'][serial % 6]!
    if (parcels.kind.get(parcel) === PARCEL.condo) {
      const unit = unitText(this.world, parcels.address.get(parcel))
      return `${name} GARDENS SECTION ${1 + (serial % 3)} CONDO UNIT ${unit} BLDG ${'ABCD'[serial % 4]!}`
    }
    return `${name} ESTATES ${1 + (serial % 180)}-${1 + (serial % 48)} B LOT ${1 + (serial % 60)} BLK ${1 + (serial % 22)}`
  }

  private instrument(deed: number, document: number): string {
    return browardInstrument(this.world.deeds.rank.get(deed), document)
  }
}

interface DocRow {
  readonly instrument: string
  readonly day: number
  readonly code: string
  readonly amount: number
  readonly names: number
  /** Other columns by name. */
  readonly rest?: Values
}

function cents(amount: number): string {
  return `${Math.floor(amount / 100)}.${two(Math.round(amount % 100))}`
}
