import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { SourceDefinition, type SourceDefinitionInput } from '../../src/ingest/definition.ts'
import { ingest, type IngestReport } from '../../src/ingest/ingest.ts'
import type { Decision } from '../../src/ingest/decision.ts'
import { silentLog } from '../../src/log.ts'
import { withFolder } from '../support/folder.ts'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'

/** A warehouse and a landing folder, with what a night of ingestion needs. */
export interface Night {
  readonly db: DuckDBConnection
  readonly landing: string
  /** Puts a file into landing, in folders as its name says. */
  readonly land: (name: string, content: string | Buffer) => Promise<void>
  /** One night over everything in landing; `day` is what the clock says. */
  readonly run: (
    sources: SourceDefinition[],
    day?: string,
    decisions?: readonly Decision[],
  ) => Promise<IngestReport>
  readonly rows: (select: string) => Promise<Record<string, unknown>[]>
}

export async function withNight(body: (night: Night) => Promise<void>): Promise<void> {
  await withFolder(async (landing) => {
    await withWarehouse(async (db) => {
      await body({
        db,
        landing,
        land: (name, content) => landFile(landing, name, content),
        run: (sources, day = '2025-07-01', decisions = []) =>
          ingest({
            db,
            sources,
            landing,
            decisions,
            now: () => new Date(`${day}T03:00:00Z`),
            log: silentLog,
            signal: new AbortController().signal,
          }),
        rows: (select) => rowsOf(db, select),
      })
    })
  })
}

export async function landFile(landing: string, name: string, content: string | Buffer): Promise<void> {
  const path = join(landing, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}

/** A roll as counties send it: quoted CSV with a header, a county in each row, the year in the file's name. */
export function rollSource(changes: Partial<SourceDefinitionInput> = {}): SourceDefinition {
  return defined({
    id: 'us/fl/test.roll',
    title: 'A roll',
    publisher: 'Nobody',
    states: ['FL'],
    everyDays: 365,
    refusedLimit: 0.5,
    codes: { counties: { '16': '12011', '21': '12021' } },
    files: [
      {
        kind: 'roll',
        pattern: 'roll_(?<date>\\d{8})[^.]*\\.csv',
        asOf: { group: 'date', format: '%Y%m%d' },
        format: {
          type: 'delimited',
          delimiter: ',',
          header: true,
          columns: ['CO', 'PARCEL', 'OWNER', 'VALUE'],
          optionalColumns: ['NOTE'],
        },
        identity: ['CO', 'PARCEL'],
        supersedes: ['CO'],
        rows: [
          {
            into: 'parcels',
            set: {
              county_fips: { codes: 'counties', of: 'CO' },
              parcel_number: 'PARCEL',
              market_value_usd: { number: 'VALUE' },
            },
          },
          {
            into: 'parcel_owners',
            when: { notBlank: 'OWNER' },
            set: {
              county_fips: { codes: 'counties', of: 'CO' },
              parcel_number: 'PARCEL',
              full_name: 'OWNER',
              name_order: { literal: 'surname_first' },
            },
          },
        ],
      },
    ],
    examples: [{ note: 'a parcel', kind: 'roll', given: { CO: '16' }, expect: {} }],
    ...changes,
  })
}

/** A clerk's daily feed: pipes, no header, no quotes, a pipe behind the last field; a document may be sent again. */
export function feedSource(changes: Partial<SourceDefinitionInput> = {}): SourceDefinition {
  return defined({
    id: 'us/fl/test.feed',
    title: 'A feed',
    publisher: 'Nobody',
    states: ['FL'],
    everyDays: 1,
    refusedLimit: 0.5,
    files: [
      {
        kind: 'names',
        pattern: '(?<date>\\d\\d-\\d\\d-\\d{4})nme\\.txt',
        asOf: { group: 'date', format: '%m-%d-%Y' },
        format: {
          type: 'delimited',
          delimiter: '|',
          quote: null,
          header: false,
          trailingDelimiter: true,
          encoding: 'latin-1',
          columns: ['DOC', 'NAME', 'TYPE'],
        },
        identity: ['DOC', 'TYPE'],
        supersedes: ['DOC'],
        rows: [
          {
            into: 'deed_parties',
            set: {
              county_fips: { literal: '12011' },
              document_id: 'DOC',
              full_name: 'NAME',
              role: { when: { is: 'TYPE', in: ['D'] }, then: { literal: 'grantor' } },
            },
          },
        ],
      },
    ],
    examples: [{ note: 'a name', kind: 'names', given: { DOC: '1' }, expect: {} }],
    ...changes,
  })
}

export function defined(source: SourceDefinitionInput): SourceDefinition {
  return SourceDefinition.parse(source)
}

/** A definition with the one format of its one kind changed. */
export function withFormat(
  source: SourceDefinition,
  format: SourceDefinitionInput['files'][number]['format'],
  pattern?: string,
): SourceDefinition {
  const [kind] = source.files
  if (kind === undefined) throw new Error('a source has a kind')
  return defined({ ...source, files: [{ ...kind, format, pattern: pattern ?? kind.pattern }] })
}
