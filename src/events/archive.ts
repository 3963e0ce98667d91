import { join } from 'node:path'
import type { Config } from '../config.ts'
import { EventDocuments } from './documents.ts'
import type { EventFilter, Position } from './position.ts'
import { EventSearch, type SearchOptions } from './search.ts'
import { type SuppressedParties, withoutParties } from './suppressed-parties.ts'

/** The subfolder of a snapshot with the files for event searches. */
export const EVENTS_FOLDER = 'events'

export interface EventPage {
  /** JSON documents, ready to be sent. */
  readonly documents: readonly Buffer[]
  /** The position of the last event when more events follow, else null. */
  readonly next: Position | null
}

/** The events of one snapshot. */
export interface EventArchive {
  /** Returns a page of the events that match `filter`, newest first, starting after the position `after`. @throws `query_timeout` */
  search(filter: EventFilter, after: Position | null, limit: number): Promise<EventPage>
  /** Returns the JSON document of an event; null when the snapshot has no event with this id. */
  event(event_id: string): Buffer | null
  /** Sets the people to hide in the parties of all events from now on; null hides nobody. */
  suppress(parties: SuppressedParties | null): void
  close(): void
}

export interface ArchiveOptions extends SearchOptions {
  /** Whether the names of suppressed parties are `withheld` (default) or remain as `public_record`. */
  readonly suppressedNames?: Config['SUPPRESSED_NAMES']
}

/** Opens the events of a snapshot. The first search starts the search engine (DuckDB). */
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

/** Returns the options of searches from the configuration. */
export function searchOptions(config: Config): ArchiveOptions {
  return {
    suppressedNames: config.SUPPRESSED_NAMES,
    timeoutMs: config.EVENT_SEARCH_TIMEOUT_MS,
    concurrency: config.EVENT_SEARCH_CONCURRENCY,
    memoryLimit: config.EVENT_SEARCH_MEMORY_LIMIT,
  }
}
