import { join } from 'node:path'
import type { Config } from '../config.ts'
import { EventDocuments } from './documents.ts'
import type { EventFilter, Position } from './position.ts'
import { EventSearch, type SearchOptions } from './search.ts'
import { type SuppressedParties, withoutParties } from './suppressed-parties.ts'

/** The folder of a snapshot that this folder's files are in. */
export const EVENTS_FOLDER = 'events'

export interface EventPage {
  /** JSON documents, to be sent as they are. */
  readonly documents: readonly Buffer[]
  /** The position of the last one when there are more behind it, else null. */
  readonly next: Position | null
}

/** The events of one snapshot. */
export interface EventArchive {
  /** One page of the events that `filter` lets through, newest first; from behind `after`. @throws `query_timeout` */
  search(filter: EventFilter, after: Position | null, limit: number): Promise<EventPage>
  /** The JSON document of an event; null when the snapshot has none with this id. */
  event(event_id: string): Buffer | null
  /** From now on no party of an event is one of these people; null for nobody. */
  suppress(parties: SuppressedParties | null): void
  close(): void
}

export interface ArchiveOptions extends SearchOptions {
  /** Whether people who are suppressed keep their names where they are parties; withheld when nothing is said. */
  readonly suppressedNames?: Config['SUPPRESSED_NAMES']
}

/** Opens the events of a snapshot. The engine that searches starts with the first search. */
export function openEventArchive(snapshotFolder: string, options: ArchiveOptions): EventArchive {
  const folder = join(snapshotFolder, EVENTS_FOLDER)
  const documents = EventDocuments.open(folder)
  const search = EventSearch.ofFolder(folder, options)
  let suppressed: SuppressedParties | null = null
  const read = (numbers: readonly number[]): Buffer[] => {
    const found = documents.read(numbers)
    const parties = suppressed
    if (parties === null) return found
    return found.map((document) => withoutParties(document, parties, options.suppressedNames ?? 'withheld'))
  }
  return {
    async search(filter, after, limit) {
      const found = await search.find(filter, after, limit + 1)
      const page = found.slice(0, limit)
      return {
        documents: read(page.map(({ event_no }) => event_no)),
        next: found.length > limit ? (page.at(-1) ?? null) : null,
      }
    },
    event(event_id) {
      const number = documents.numberOf(event_id)
      return number === null ? null : (read([number])[0] ?? null)
    },
    suppress(parties) {
      suppressed = parties
    },
    close() {
      documents.close()
      void search.close()
    },
  }
}

/** How searches are run, by the environment. */
export function searchOptions(
  config: Pick<
    Config,
    | 'EVENT_SEARCH_TIMEOUT_MS'
    | 'EVENT_SEARCH_CONCURRENCY'
    | 'EVENT_SEARCH_MEMORY_LIMIT'
    | 'DUCKDB_THREADS'
    | 'SUPPRESSED_NAMES'
  >,
): ArchiveOptions {
  return {
    suppressedNames: config.SUPPRESSED_NAMES,
    timeoutMs: config.EVENT_SEARCH_TIMEOUT_MS,
    concurrency: config.EVENT_SEARCH_CONCURRENCY,
    memoryLimit: config.EVENT_SEARCH_MEMORY_LIMIT,
  }
}
