import type { Columns } from '../format/columns.ts'
import { Deletions } from '../format/deletions.ts'
import { Dictionary } from '../format/dictionary.ts'
import { DocumentFile, type DocumentKind } from '../format/document-file.ts'
import { Output } from '../format/output.ts'
import { PersonSet } from './person-set.ts'
import { PropertyWriter } from '../format/property-writer.ts'
import { ReadAhead } from './read-ahead.ts'
import { Recent } from './recent.ts'
import type { SimilarWords } from './similar-words.ts'
import type { Suppressed } from '../format/suppressed.ts'
import { openStore, type Store } from '../format/store.ts'
import { PairSearch } from './word-pairs.ts'
import { WordQualities } from './word-qualities.ts'

/** What every search of one snapshot works on: the store, the columns in memory, dictionaries, and space that is used again. */
export interface Snapshot {
  readonly store: Store
  /** Read by documents.ts alone where an answer is made of them. */
  readonly files: Readonly<Record<DocumentKind, DocumentFile>>
  readonly columns: Columns
  readonly personCount: number
  readonly addressCount: number
  readonly placeCount: number
  readonly words: Dictionary
  readonly deletions: Deletions
  readonly streets: Dictionary
  readonly houses: Dictionary
  /** By house: its number (find-property.ts); below 0 what nobody has asked for yet. */
  readonly houseNumbers: Float64Array
  readonly units: Dictionary
  readonly wings: Dictionary
  readonly cities: Dictionary
  /** JSON text of line type, carrier and primary owner of phones. */
  readonly facts: Dictionary
  /** Place numbers of a ZIP and of a city number, ascending. */
  readonly placesOfZip: ReadonlyMap<number, readonly number[]>
  readonly placesOfCity: ReadonlyMap<number, readonly number[]>
  /** Directionals and suffix of each shape number. */
  readonly shapes: readonly Shape[]
  /** Which shapes go with asked directionals and suffix (locations.ts), kept because making one goes through all shapes. */
  readonly shapeMasks: Map<string, Uint8Array>
  readonly people: PersonSet
  readonly pairs: PairSearch
  readonly qualities: WordQualities
  readonly ahead: ReadAhead
  /** What words were found to be like, of the latest searches. */
  readonly similar: Recent<SimilarWords>
  readonly out: Output
  /** Puts together what is left of a property's document without who must not come out. */
  readonly screenedProperties: PropertyWriter
  /** Who must not come out of any answer; null when it is nobody. */
  suppressed: Suppressed | null
}

export interface Shape {
  readonly pre: string
  readonly suffix: string
  readonly post: string
}

// Finding what a word is like takes 0.1 to 0.5 ms; what is remembered of one takes about 1.5 KB. Names are asked for as often
// as they are borne, and 10,000 words are nine tenths of all people's names.
const MOST_SIMILAR = 10_000

/** `columns` may come from another thread that has read them. */
export function openSnapshot(lookupFolder: string, columns: Columns): Snapshot {
  const shapes = new Dictionary(columns.shape_start, columns.shape_text)
  const words = new Dictionary(columns.word_start, columns.word_text)
  const personCount = columns.person_birth.length
  const files = openFiles(lookupFolder, columns)
  const store = closingOnFailure(files, () => openStore(lookupFolder))
  return {
    store,
    files,
    columns,
    personCount,
    addressCount: columns.address_place.length,
    placeCount: columns.place_state.length,
    words,
    deletions: new Deletions(store),
    streets: new Dictionary(columns.street_start, columns.street_text),
    houses: new Dictionary(columns.house_start, columns.house_text),
    houseNumbers: new Float64Array(Math.max(0, columns.house_start.length - 1)).fill(-1),
    units: new Dictionary(columns.unit_start, columns.unit_text),
    wings: new Dictionary(columns.wing_start, columns.wing_text),
    cities: new Dictionary(columns.city_start, columns.city_text),
    facts: new Dictionary(columns.fact_start, columns.fact_text),
    placesOfZip: placesBy(columns.place_zip),
    placesOfCity: placesBy(columns.place_city),
    shapes: Array.from({ length: shapes.size }, (_, number) => shapeOf(shapes.text(number))),
    shapeMasks: new Map(),
    people: new PersonSet(personCount),
    pairs: new PairSearch(columns),
    qualities: new WordQualities(words.size),
    ahead: new ReadAhead(columns),
    similar: new Recent(MOST_SIMILAR),
    out: new Output(),
    screenedProperties: new PropertyWriter(files.people),
    suppressed: null,
  }
}

export function closeSnapshot({ store, files }: Snapshot): void {
  for (const file of Object.values(files)) file.close()
  void store.root.close()
}

function openFiles(lookupFolder: string, columns: Columns): Snapshot['files'] {
  const people = new DocumentFile(lookupFolder, 'people', columns.person_document_start)
  const properties = closingOnFailure(
    { people },
    () => new DocumentFile(lookupFolder, 'properties', columns.property_document_start),
  )
  const phones = closingOnFailure(
    { people, properties },
    () => new DocumentFile(lookupFolder, 'phones', columns.phone_document_start),
  )
  return { people, properties, phones }
}

// A service tries a broken snapshot again and again.
function closingOnFailure<T>(files: Readonly<Record<string, DocumentFile>>, open: () => T): T {
  try {
    return open()
  } catch (error) {
    for (const file of Object.values(files)) file.close()
    throw error
  }
}

function placesBy(values: Uint32Array): Map<number, number[]> {
  const places = new Map<number, number[]>()
  for (const [place, value] of values.entries()) {
    const list = places.get(value)
    if (list === undefined) places.set(value, [place])
    else list.push(place)
  }
  return places
}

function shapeOf(text: string): Shape {
  const [pre = '', suffix = '', post = ''] = text.split('|')
  return { pre, suffix, post }
}
