import { readFileSync } from 'node:fs'
import { houseNumber, unitText } from '../addresses.ts'
import { compactDate, DAY_1, DAY_2, dayNumber, NEVER, usDate, workingDay, yearOf } from '../calendar.ts'
import type { Delivery, Sink } from '../output.ts'
import { mailingOf, ownerTexts } from '../owners.ts'
import { parcelsOf } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { streetName } from '../streets.ts'
import { DEED, OWNER, owner, ownerKind, PARCEL, type World } from '../types.ts'
import { Layout } from '../../layouts.ts'
import { parcelCode } from './parcel-codes.ts'
import { RecordFormat, type Values } from './record-format.ts'

export const SOURCE = 'us/ny/nyc.acris'

/** The city's list of document types, as published. */
const DOCUMENT_CODES = new URL('../../../data/reference/acris-document-control-codes.csv', import.meta.url)

const LAYOUT = new Layout('acris')
const CSV = { separator: ',', end: '\n', quotes: 'needed' } as const
const FORMATS = {
  master: new RecordFormat(LAYOUT, 'master', CSV),
  legals: new RecordFormat(LAYOUT, 'legals', CSV),
  parties: new RecordFormat(LAYOUT, 'parties', CSV),
  references: new RecordFormat(LAYOUT, 'references', CSV),
}
type Kind = keyof typeof FORMATS
const KINDS = Object.keys(FORMATS) as Kind[]

const FAULTS = stream('acris')
/** Older documents are on film: their ids have letters, reel and page replace the CRFN, and parties have no address. */
const CRFN_SINCE = dayNumber(2003, 1, 1)

/** A document in ACRIS: a deed, its mortgage, or the satisfaction of the mortgage. */
interface Document {
  readonly deed: number
  /** 0: the deed, 1: its mortgage, 2: the satisfaction of the mortgage. */
  readonly part: 0 | 1 | 2
  readonly recordedOn: number
  readonly isResent: boolean
}

type Files = Readonly<Record<Kind, Sink>>

/** Writes the documents of the boroughs. Day 1 has all until then, day 2 the new ones and some that are sent again. */
export function writeAcris(world: World, delivery: Delivery): void {
  const boroughs = world.counties.flatMap((county, row) => (county.borough === undefined ? [] : [row]))
  if (boroughs.length === 0) return
  if (delivery.day === DAY_1) {
    const codes = delivery.file(SOURCE, `acris_document_control_codes_${compactDate(DAY_1)}.csv`, 'utf8')
    codes.write(readFileSync(DOCUMENT_CODES, 'utf8'))
    codes.close()
  }
  const opened = KINDS.map((kind) => {
    const name = `acris_real_property_${kind}_${compactDate(delivery.day)}.csv`
    return [kind, delivery.file(SOURCE, name, 'utf8', FORMATS[kind].header)] as const
  })
  const files = Object.fromEntries(opened) as Files
  for (const county of boroughs) {
    for (const deed of world.deedsInOrder[county]!) {
      for (const document of documentsOf(world, deed, delivery.day))
        writeDocument(world, delivery, files, document)
    }
  }
  for (const kind of KINDS) files[kind].close()
}

function documentsOf(world: World, deed: number, day: number): Document[] {
  const { deeds } = world
  const recordedOn = deeds.recordedOn.get(deed)
  const isNew = recordedOn === DAY_2
  const found: Document[] = []
  const isResent = day === DAY_2 && !isNew && recordedOn > DAY_1 - 120 && mix(FAULTS, deed, 1) % 12 === 0
  if (day === DAY_2 ? isNew || isResent : !isNew) {
    found.push({ deed, part: 0, recordedOn, isResent })
    if (deeds.mortgage.get(deed) > 0 && recordedOn >= CRFN_SINCE)
      found.push({ deed, part: 1, recordedOn, isResent })
  }
  const satisfiedOn = deeds.satisfiedOn.get(deed)
  if (day === DAY_1 && satisfiedOn !== NEVER && recordedOn >= CRFN_SINCE) {
    found.push({ deed, part: 2, recordedOn: satisfiedOn, isResent: false })
  }
  return found
}

function documentId(
  world: World,
  { deed, part, recordedOn }: Pick<Document, 'deed' | 'part' | 'recordedOn'>,
): string {
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

function crfn(world: World, document: Pick<Document, 'deed' | 'part' | 'recordedOn'>): string {
  if (document.recordedOn < CRFN_SINCE) return ''
  const number =
    boroughOf(world, document.deed) * 100_000_000 + world.deeds.rank.get(document.deed) * 3 + document.part
  return `${yearOf(document.recordedOn)}${number}`
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

function writeDocument(world: World, delivery: Delivery, files: Files, document: Document): void {
  const { deed, part, recordedOn, isResent } = document
  const { deeds } = world
  const id = documentId(world, document)
  const good = usDate(workingDay(delivery.day - 1))
  const isFilm = recordedOn < CRFN_SINCE
  const amount = part > 0 ? deeds.mortgage.get(deed) : deeds.price.get(deed)
  // Films have no date, and neither has one other document in twenty.
  const noDate = isFilm || mix(FAULTS, deed, 4) % 20 === 0
  const signedOn = part === 2 ? recordedOn - 9 : deeds.signedOn.get(deed)
  const modifiedOn = isResent ? delivery.day : recordedOn + (mix(FAULTS, deed, 5) % 3)
  const { year, number, page } = reel(world, document)
  files.master.write(
    FORMATS.master.line({
      'DOCUMENT ID': id,
      CRFN: crfn(world, document),
      BOROUGH: boroughOf(world, deed),
      'DOC. TYPE': documentType(world, document),
      'DOC. DATE': noDate ? '' : usDate(signedOn),
      'DOC. AMOUNT': isFilm || part === 2 ? 0 : amount,
      'RECORDED / FILED': usDate(recordedOn),
      'MODIFIED DATE': usDate(modifiedOn),
      'REEL YEAR': year,
      'REEL NBR': number,
      'REEL PAGE': page,
      '% TRANSFERRED': part === 0 && !isFilm ? 100 : 0,
      'GOOD THROUGH DATE': good,
    }),
  )
  for (const parcel of parcelsOf(world, deed))
    files.legals.write(legal(world, id, parcel, good, mix(FAULTS, deed, 6)))
  writeParties(world, delivery, files.parties, document, id, `${good} 12:00:00 AM`)
  writeReference(world, files.references, document, id, `${good} 12:00:00 AM`)
}

function legal(world: World, id: string, parcel: number, good: string, way: number): string {
  const { parcels, addresses } = world
  const address = parcels.address.get(parcel)
  const name = streetName(world, addresses.street.get(address), { words: 'full', ordinals: way % 3 > 0 })
  return FORMATS.legals.line({
    'DOCUMENT ID': id,
    BOROUGH: world.counties[parcels.county.get(parcel)]!.borough!.number,
    BLOCK: parcels.block.get(parcel),
    LOT: parcels.lot.get(parcel),
    'PARTIAL LOT': way % 40 === 0 ? 'P' : 'E',
    'PROPERTY TYPE': parcelCode('acris', parcels.kind.get(parcel)),
    'STREET NUMBER': houseNumber(world, address),
    // Some street names have runs of spaces.
    'STREET NAME': way % 7 === 0 ? name.replace(/ (STREET|AVENUE)$/, '   $1') : name,
    UNIT: parcels.kind.get(parcel) === PARCEL.condo ? unitText(world, address) : '',
    'GOOD THROUGH DATE': good,
  })
}

function writeParties(
  world: World,
  delivery: Delivery,
  sink: Sink,
  document: Document,
  id: string,
  good: string,
): void {
  const { deed, part, recordedOn } = document
  const { deeds } = world
  const lender = part > 0 ? owner(OWNER.business, deeds.lender.get(deed)) : -1
  const sides =
    part === 0 ? [deeds.grantor.get(deed), deeds.grantee.get(deed)] : [deeds.grantee.get(deed), lender]
  // The lender gives a satisfaction to the borrower.
  if (part === 2) sides.reverse()
  // The third party of a life estate deed is the person who keeps the life estate.
  if (part === 0 && deeds.kind.get(deed) === DEED.lifeEstate) sides.push(deeds.grantor.get(deed))
  const seen = new Map<string, number>()
  sides.forEach((code, side) => {
    for (const { text, people } of ownerTexts(world, code, recordedOn, 'index', deed * 4 + part * 2 + side)) {
      const mail = mailingOf(world, code, recordedOn)
      const where: Values =
        recordedOn < CRFN_SINCE
          ? {}
          : {
              'ADDRESS 1': mail.line1,
              'ADDRESS 2': mail.line2,
              COUNTRY: 'US',
              CITY: mail.city,
              STATE: mail.state,
              ZIP: mail.zip,
            }
      const line = { 'DOCUMENT ID': id, 'PARTY TYPE': side + 1, NAME: text, 'GOOD THROUGH DATE': good }
      sink.write(FORMATS.parties.line({ ...line, ...where }))
      const record = `${SOURCE}/parties/${id}|${side + 1}|${text}`
      const times = (seen.get(record) ?? 0) + 1
      seen.set(record, times)
      if (document.isResent) continue
      people.forEach((person, i) =>
        delivery.names(`${record}${times > 1 ? `~${times}` : ''}#${i + 1}`, person),
      )
    }
  })
}

function writeReference(world: World, sink: Sink, document: Document, id: string, good: string): void {
  const { deed, part } = document
  const corrected = part === 0 ? world.deeds.corrects.get(deed) : -1
  if (corrected < 0 && part !== 2) return
  const earlier: Document = {
    deed: part === 2 ? deed : corrected,
    part: part === 2 ? 1 : 0,
    recordedOn: world.deeds.recordedOn.get(part === 2 ? deed : corrected),
    isResent: false,
  }
  const { year, number, page } = reel(world, earlier)
  sink.write(
    FORMATS.references.line({
      'DOCUMENT ID': id,
      'REFERENCE BY CRFN ': crfn(world, earlier),
      'REFERENCE BY REEL YEAR': year,
      'REFERENCE BY REEL BOROUGH': earlier.recordedOn < CRFN_SINCE ? boroughOf(world, deed) : 0,
      'REFERENCE BY REEL NBR': number,
      'REFERENCE BY REEL PAGE': page,
      'GOOD THROUGH DATE': good,
    }),
  )
}
