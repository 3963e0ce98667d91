import { readFileSync } from 'node:fs'
import { houseNumber, unitText } from '../addresses.ts'
import { compactDate, DAY_1, DAY_2, dayNumber, NEVER, usDate, yearOf } from '../calendar.ts'
import { rowOf } from '../columns.ts'
import type { Delivery } from '../output.ts'
import { mailingOf, ownerTexts } from '../owners.ts'
import { parcelsOf } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { streetName } from '../streets.ts'
import { DEED, OWNER, owner, ownerKind, PARCEL, type World } from '../types.ts'
import { parcelCode } from './parcel-codes.ts'
import { CSV, RecordFormat, type Table, type Values } from './record-format.ts'

const SOURCE = 'us/ny/nyc.acris'

/** The city's list of document types, as published. */
const DOCUMENT_CODES = new URL('../../../data/reference/acris-document-control-codes.csv', import.meta.url)

const KINDS = ['master', 'legals', 'parties', 'references'] as const
type Files = Readonly<Record<(typeof KINDS)[number], Table>>

const FAULTS = stream('acris')
/** Older documents are on film: their ids have letters, reel and page replace the file number (CRFN), and parties have no address. */
const CRFN_SINCE = dayNumber(2003, 1, 1)

/** A document in ACRIS: a deed, its mortgage, or the satisfaction of the mortgage. */
interface Document {
  readonly deed: number
  /** 0: the deed, 1: its mortgage, 2: the satisfaction of the mortgage. */
  readonly part: 0 | 1 | 2
  readonly recordedOn: number
}

/** Writes the documents of the boroughs: on day 1 all that are recorded, on day 2 the new ones and some old ones again. */
export function writeAcris(world: World, delivery: Delivery): void {
  const boroughs = [...world.counties.keys()].filter(
    (county) => world.counties[county]!.borough !== undefined,
  )
  if (boroughs.length === 0) return
  const date = compactDate(delivery.day)
  if (delivery.day === DAY_1) {
    const codes = delivery.file(SOURCE, `acris_document_control_codes_${date}.csv`, 'utf8')
    codes.write(readFileSync(DOCUMENT_CODES, 'utf8'))
  }
  const opened = KINDS.map((kind) => {
    const format = new RecordFormat('acris', kind, CSV)
    return [kind, delivery.table(SOURCE, `acris_real_property_${kind}_${date}.csv`, 'utf8', format)]
  })
  const files = Object.fromEntries(opened) as Files
  for (const county of boroughs)
    for (const deed of world.deedsInOrder[county]!) writeDocuments(world, delivery, files, deed)
}

/** Writes the documents of a deed that are sent on the day of the delivery. */
function writeDocuments(world: World, delivery: Delivery, files: Files, deed: number): void {
  const { recordedOn, mortgage, satisfiedOn } = rowOf(world.deeds, deed)
  const isFirstDay = delivery.day === DAY_1
  const isNew = recordedOn === DAY_2
  const isResent = !isFirstDay && !isNew && recordedOn > DAY_1 - 120 && mix(FAULTS, deed, 1) % 12 === 0
  const hasMortgage = mortgage > 0 && recordedOn >= CRFN_SINCE
  const write = (part: 0 | 1 | 2, recorded: number): void =>
    writeDocument(world, delivery, files, { deed, part, recordedOn: recorded }, isResent)
  if (isResent || isNew !== isFirstDay) write(0, recordedOn)
  if (hasMortgage && (isResent || isNew !== isFirstDay)) write(1, recordedOn)
  if (hasMortgage && isFirstDay && satisfiedOn !== NEVER) write(2, satisfiedOn)
}

function documentId(world: World, { deed, part, recordedOn }: Document): string {
  const rank = world.deeds.rank.get(deed)
  const borough = boroughOf(world, deed)
  if (recordedOn >= CRFN_SINCE) {
    // Deeds of a day have consecutive ranks, so four digits suffice. Satisfactions of a day have any rank and need all digits.
    const suffix = part < 2 ? `00${part + 1}` : String(100 + Math.floor(rank / 10_000))
    return `${compactDate(recordedOn)}${borough}${String(rank % 10_000).padStart(4, '0')}${suffix}`
  }
  const film = recordedOn < dayNumber(1982, 1, 1) ? 'BK_' : 'FT_'
  return `${film}${borough}${String(680_000_000_000 + rank * 10).padStart(12, '0')}`
}

function boroughOf(world: World, deed: number): number {
  return world.counties[world.parcels.county.get(world.deeds.parcel.get(deed))]!.borough!.number
}

function crfn(world: World, { deed, part, recordedOn }: Document): string {
  if (recordedOn < CRFN_SINCE) return ''
  return `${yearOf(recordedOn)}${boroughOf(world, deed) * 100_000_000 + world.deeds.rank.get(deed) * 3 + part}`
}

/** Returns the columns that name a document on film. A later document has zeros. */
function reel(world: World, { deed, recordedOn }: Document): { year: number; number: number; page: number } {
  if (recordedOn >= CRFN_SINCE) return { year: 0, number: 0, page: 0 }
  const rank = world.deeds.rank.get(deed)
  return { year: yearOf(recordedOn), number: 100 + (rank % 3000), page: 1 + (mix(FAULTS, deed, 2) % 2400) }
}

function documentType(world: World, { deed, part }: Document): string {
  if (part > 0) return part === 1 ? 'MTGE' : 'SAT'
  const toGovernment = ownerKind(world.deeds.grantee.get(deed)) === OWNER.government
  switch (world.deeds.kind.get(deed)) {
    case DEED.correction:
      return mix(FAULTS, deed, 3) % 4 === 0 ? 'DEED COR' : 'CORRD'
    case DEED.lifeEstate:
      return 'DEED, LE'
    case DEED.foreclosure:
      return 'DEEDO'
    default:
      return toGovernment ? 'IDED' : 'DEED'
  }
}

function writeDocument(
  world: World,
  delivery: Delivery,
  files: Files,
  document: Document,
  isResent: boolean,
): void {
  const { deed, part, recordedOn } = document
  const { mortgage, price, signedOn } = rowOf(world.deeds, deed)
  const id = documentId(world, document)
  const isFilm = recordedOn < CRFN_SINCE
  // Films have no date, and neither has one other document in twenty.
  const noDate = isFilm || mix(FAULTS, deed, 4) % 20 === 0
  const { year, number, page } = reel(world, document)
  files.master.row({
    'DOCUMENT ID': id,
    CRFN: crfn(world, document),
    BOROUGH: boroughOf(world, deed),
    'DOC. TYPE': documentType(world, document),
    'DOC. DATE': noDate ? '' : usDate(part === 2 ? recordedOn - 9 : signedOn),
    'DOC. AMOUNT': isFilm || part === 2 ? 0 : part === 1 ? mortgage : price,
    'RECORDED / FILED': usDate(recordedOn),
    'MODIFIED DATE': usDate(isResent ? delivery.day : recordedOn + (mix(FAULTS, deed, 5) % 3)),
    'REEL YEAR': year,
    'REEL NBR': number,
    'REEL PAGE': page,
  })
  for (const parcel of parcelsOf(world, deed))
    files.legals.row({ 'DOCUMENT ID': id, ...legal(world, parcel, mix(FAULTS, deed, 6)) })
  const named = writeParties(world, files.parties, document, id)
  if (!isResent) for (const [record, people] of named) delivery.namesAll(record, people)
  writeReference(world, files.references, document, id)
}

function legal(world: World, parcel: number, way: number): Values {
  const { address, county, kind, block, lot } = rowOf(world.parcels, parcel)
  const street = world.addresses.street.get(address)
  const name = streetName(world, street, { words: 'full', ordinals: way % 3 > 0 })
  return {
    BOROUGH: world.counties[county]!.borough!.number,
    BLOCK: block,
    LOT: lot,
    'PROPERTY TYPE': parcelCode('acris', kind),
    'STREET NUMBER': houseNumber(world, address),
    // Some street names have runs of spaces.
    'STREET NAME': way % 7 === 0 ? name.replace(/ (STREET|AVENUE)$/, '   $1') : name,
    UNIT: kind === PARCEL.condo ? unitText(world, address) : '',
  }
}

/** Writes the parties of a document. Returns the record id of each, with the people whom the record names. */
function writeParties(world: World, file: Table, { deed, part, recordedOn }: Document, id: string) {
  const { grantor, grantee, lender, kind } = rowOf(world.deeds, deed)
  const bank = owner(OWNER.business, lender)
  const sides = [
    [grantor, grantee],
    [grantee, bank],
    // The lender gives a satisfaction to the borrower.
    [bank, grantee],
  ][part]!
  // The third party of a life estate deed is the person who keeps the life estate.
  if (part === 0 && kind === DEED.lifeEstate) sides.push(grantor)
  const named = new Map<string, readonly number[]>()
  sides.forEach((code, side) => {
    const mail = mailingOf(world, code, recordedOn)
    const address: Values = { 'ADDRESS 1': mail.line1, 'ADDRESS 2': mail.line2, COUNTRY: 'US', CITY: mail.city, STATE: mail.state, ZIP: mail.zip } // prettier-ignore
    for (const { text, people } of ownerTexts(world, code, recordedOn, 'index', deed * 4 + part * 2 + side)) {
      const line = { 'DOCUMENT ID': id, 'PARTY TYPE': side + 1, NAME: text }
      file.row(recordedOn < CRFN_SINCE ? line : { ...line, ...address })
      const record = `${SOURCE}/parties/${id}|${side + 1}|${text}`
      // Ingest numbers equal records: the second one ends with `~2`.
      let numbered = record
      for (let times = 2; named.has(numbered); times += 1) numbered = `${record}~${times}`
      named.set(numbered, people)
    }
  })
  return named
}

function writeReference(world: World, file: Table, { deed, part }: Document, id: string): void {
  const corrected = part === 0 ? world.deeds.corrects.get(deed) : -1
  if (corrected < 0 && part !== 2) return
  const of = part === 2 ? deed : corrected
  const earlier: Document = { deed: of, part: part === 2 ? 1 : 0, recordedOn: world.deeds.recordedOn.get(of) }
  const { year, number, page } = reel(world, earlier)
  file.row({
    'DOCUMENT ID': id,
    'REFERENCE BY CRFN ': crfn(world, earlier),
    'REFERENCE BY REEL YEAR': year,
    'REFERENCE BY REEL BOROUGH': earlier.recordedOn < CRFN_SINCE ? boroughOf(world, deed) : 0,
    'REFERENCE BY REEL NBR': number,
    'REFERENCE BY REEL PAGE': page,
  })
}
