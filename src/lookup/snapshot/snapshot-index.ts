import { type Columns, lowerBound } from '../format/columns.ts'
import { Dictionary } from '../format/dictionary.ts'
import { DocumentFile, type DocumentKind } from '../format/document-file.ts'
import { openStore, type Store } from '../format/store.ts'

/** The content of one shard of a snapshot, open for reading. Nothing in it changes, so any number of searches can use it. */
export interface Index {
  readonly store: Store
  /** Answers read documents through documents.ts and read-phone.ts, which leave out suppressed people. */
  readonly files: Readonly<Record<DocumentKind, DocumentFile>>
  readonly columns: Columns
  readonly personCount: number
  readonly addressCount: number
  readonly placeCount: number
  /** The ids of people of other shards, to whom properties of this shard refer. */
  readonly guests: Dictionary
  /** The words of all names. */
  readonly words: Dictionary
  readonly streets: Dictionary
  readonly houses: Dictionary
  readonly units: Dictionary
  readonly wings: Dictionary
  readonly cities: Dictionary
  /** JSON text with the line type, carrier and primary owner of a phone. */
  readonly facts: Dictionary
  /** Place numbers by ZIP, ascending. */
  readonly placesOfZip: ReadonlyMap<number, readonly number[]>
  /** Place numbers by city number, ascending. */
  readonly placesOfCity: ReadonlyMap<number, readonly number[]>
  /** Directionals and suffix by shape number. */
  readonly shapes: readonly Shape[]
}

/** Returns the position of an address among the addresses of all shards. */
export function addressRank({ columns: { address_rank } }: Index, address: number): number {
  return address_rank.length === 0 ? address : address_rank[address]!
}

/** Returns the number of the address at a position among those of all shards; −1 when this shard has none. */
export function addressOfRank({ columns: { address_rank } }: Index, rank: number): number {
  if (address_rank.length === 0) return rank
  const address = lowerBound(address_rank, 0, address_rank.length, rank)
  return address_rank[address] === rank ? address : -1
}

/** The parts of a street beside its name, such as pre N and suffix ST; an empty text where a part is missing. */
export interface Shape {
  readonly pre: string
  readonly suffix: string
  readonly post: string
}

/** Opens the files in a shard's folder. Another thread may have read `columns`. */
export function openIndex(lookupFolder: string, columns: Columns): Index {
  const shapes = new Dictionary(columns.shape_start, columns.shape_text)
  return {
    ...openFiles(lookupFolder, columns),
    columns,
    personCount: columns.person_birth.length,
    addressCount: columns.address_place.length,
    placeCount: columns.place_state.length,
    guests: new Dictionary(columns.guest_start, columns.guest_text),
    words: new Dictionary(columns.word_start, columns.word_text),
    streets: new Dictionary(columns.street_start, columns.street_text),
    houses: new Dictionary(columns.house_start, columns.house_text),
    units: new Dictionary(columns.unit_start, columns.unit_text),
    wings: new Dictionary(columns.wing_start, columns.wing_text),
    cities: new Dictionary(columns.city_start, columns.city_text),
    facts: new Dictionary(columns.fact_start, columns.fact_text),
    placesOfZip: placesBy(columns.place_zip),
    placesOfCity: placesBy(columns.place_city),
    shapes: Array.from({ length: shapes.size }, (_, number) => shapeOf(shapes.text(number))),
  }
}

export function closeIndex({ store, files }: Index): void {
  for (const file of Object.values(files)) file.close()
  void store.root.close()
}

function openFiles(lookupFolder: string, columns: Columns): Pick<Index, 'files' | 'store'> {
  const opened: DocumentFile[] = []
  const openFile = (kind: DocumentKind, start: Uint32Array, turns: Uint32Array): DocumentFile => {
    const file = new DocumentFile(lookupFolder, kind, { start, turns })
    opened.push(file)
    return file
  }
  try {
    const files = {
      people: openFile('people', columns.person_document_start, columns.person_document_turns),
      properties: openFile('properties', columns.property_document_start, columns.property_document_turns),
      phones: openFile('phones', columns.phone_document_start, columns.phone_document_turns),
    }
    return { files, store: openStore(lookupFolder) }
  } catch (error) {
    // A service opens a broken snapshot again and again: without this, each attempt would leave files open.
    for (const file of opened) file.close()
    throw error
  }
}

/** Returns the numbers of the places with each value, ascending. */
function placesBy(values: Uint32Array): Map<number, number[]> {
  return Map.groupBy(values.keys(), (place) => values[place]!)
}

function shapeOf(text: string): Shape {
  const [pre = '', suffix = '', post = ''] = text.split('|')
  return { pre, suffix, post }
}
