import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { CANONICAL_TABLES } from '../../src/ingest/canonical.ts'
import {
  type Condition,
  type Expression,
  SourceDefinition,
  type SourceDefinitionInput,
} from '../../src/ingest/definition.ts'
import { exampleRows, failedExamples } from '../../src/ingest/examples.ts'
import { heldOpen } from '../support/held-open.ts'
import { withWarehouse } from '../support/warehouse.ts'
import { zipOf } from '../support/zip.ts'
import { defined, feedSource, type Night, rollSource, withNight } from './night.ts'

/**
 * Every field of the definition schema has an effect: the table below has a change for each field, and what Platbook
 * makes of the changed definition differs from what it makes of the unchanged one. A field without a change fails.
 */

type Draft = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any

/** Paths of the schema's fields: `files.asOf.format`, `files.format.fixed.columns.start`, `date.formats` of expressions. */
function fieldsOf(node: Draft, path: string): string[] {
  if (node.properties !== undefined) {
    return Object.entries(node.properties as Draft).flatMap(([name, field]) =>
      fieldsOf(field as Draft, path === '' ? name : `${path}.${name}`),
    )
  }
  if (node.items !== undefined) return fieldsOf(node.items as Draft, path)
  if (node.oneOf !== undefined) {
    return (node.oneOf as Draft[]).flatMap((option) =>
      fieldsOf(option, `${path}.${String(option.properties.type.const)}`),
    )
  }
  if (node.anyOf !== undefined && (node.anyOf as Draft[]).some((option) => option.properties !== undefined)) {
    return (node.anyOf as Draft[]).flatMap((option) => {
      if (option.properties === undefined) return []
      return fieldsOf(option, `${path}.${String(option.required[0])}`)
    })
  }
  if (typeof node.additionalProperties === 'object' && node.additionalProperties.properties !== undefined) {
    return fieldsOf(node.additionalProperties as Draft, path)
  }
  return [path]
}

function schemaFields(): string[] {
  const { $defs = {}, ...schema } = z.toJSONSchema(SourceDefinition, { io: 'input' }) as Draft
  const vocabulary = Object.values($defs as Draft).flatMap((each) =>
    fieldsOf(each as Draft, '').map((path) => path.replace(/^\./, '').replace(/^(\w+)\.\1$/, '$1')),
  )
  return [...fieldsOf(schema, ''), ...vocabulary].filter((path) => path !== '')
}

/** A roll in which a line is refused, dates come from two groups of the name, and a raw row makes two rows of a table. */
function roll(): SourceDefinitionInput {
  const source = rollSource()
  const [kind] = source.files
  if (kind === undefined) throw new Error('a roll has a kind')
  return {
    ...source,
    url: 'https://example.com/rolls',
    files: [
      {
        ...kind,
        pattern: 'roll_(?<date>\\d{4})(?<roll>[PF])\\.csv',
        archivePattern: 'rolls_(?<year>\\d{4})\\.zip',
        asOf: { group: 'date', format: '%Y', plusDays: { group: 'roll', days: { P: 181, F: 273 } } },
        refuse: [{ when: { is: 'OWNER', in: ['REFUSED'] }, reason: 'a refused owner' }],
        rows: kind.rows.map((rows) =>
          rows.into === 'parcels'
            ? { ...rows, set: { ...rows.set, deed_on: { literal: '2025-12-30' } } }
            : rows,
        ),
      },
    ],
  }
}

const ROLL_FILES = {
  'roll_2025P.csv':
    'CO,PARCEL,OWNER,VALUE,NOTE\n16,1,SMITH JOHN,1,n\n16,2,REFUSED,2,n\n21,3,,3,n\n16,5.02E+11,,4,n\n',
  'roll_2025F.csv': 'CO,PARCEL,OWNER,VALUE\n16,1,DOE JANE,1\n',
}

function fixed(): SourceDefinitionInput {
  return {
    ...rollSource(),
    files: rollSource().files.map((kind) => ({
      ...kind,
      pattern: 'roll_(?<date>\\d{8})\\.txt',
      format: {
        type: 'fixed' as const,
        encoding: 'latin-1' as const,
        recordLength: 12,
        columns: [
          { name: 'CO', start: 1, end: 2 },
          { name: 'PARCEL', start: 3, end: 4 },
          { name: 'OWNER', start: 5, end: 10 },
          { name: 'VALUE', start: 11, end: 12 },
        ],
      },
    })),
  }
}

const FIXED_FILES = { 'roll_20250701.txt': Buffer.from('1601JOS\u00c9 X1234\n16023\n', 'latin1') }

function lines(): SourceDefinitionInput {
  return {
    ...rollSource(),
    files: rollSource().files.map((kind) => ({
      ...kind,
      pattern: 'roll_(?<date>\\d{8})\\.jsonl',
      format: { type: 'jsonl' as const, columns: ['CO', 'PARCEL', 'OWNER', 'VALUE', 'NOTE'] },
    })),
  }
}

const LINE_FILES = {
  'roll_20250701.jsonl':
    '{"CO":"16","PARCEL":"1","OWNER":"DOE","VALUE":1,"NOTE":"n"}\n{"CO":"16","PARCEL":"2","WORTH":2}\n',
}

function parquet(): SourceDefinitionInput {
  return {
    ...rollSource(),
    files: rollSource().files.map((kind) => ({
      ...kind,
      pattern: 'roll_(?<date>\\d{8})\\.parquet',
      format: { type: 'parquet' as const, columns: ['CO', 'PARCEL', 'OWNER', 'VALUE'] },
    })),
  }
}

const FEED_FILES = {
  '07-01-2025nme.txt': Buffer.from('1|"JOS\u00c9"|D|\n2|"THE|D|\n1||D|\n', 'latin1'),
}

/** A feed of names and documents, with a file of documents that is not text. */
function pair(): SourceDefinitionInput {
  const { files } = feedSource()
  const documents = files.map((kind) => ({
    ...kind,
    kind: 'documents',
    pattern: '(?<date>\\d\\d-\\d\\d-\\d{4})doc\\.txt',
  }))
  return { ...feedSource(), files: [...files, ...documents] }
}

const PAIR_FILES = { '07-01-2025nme.txt': '1|DOE|D|\n', '07-01-2025doc.txt': '\u0000\u0001\u0002' }

/** A roll whose second issue is outside of every limit. */
function held(): SourceDefinitionInput {
  const files = rollSource().files.map((kind) => ({
    ...kind,
    rows: kind.rows.map((rows, index) => ({
      ...rows,
      set: { ...rows.set, ...(index === 0 ? { property_purpose: { codes: 'uses', of: 'NOTE' } } : {}) },
    })),
  }))
  return { ...rollSource(), codes: { ...rollSource().codes, uses: { R: 'single_family' } }, files }
}

const issue = (count: number, line: (n: number) => string) =>
  `CO,PARCEL,OWNER,VALUE,NOTE\n${Array.from({ length: count }, (_, n) => `16,${n},${line(n)}\n`).join('')}`
const HELD_FILES = { 'roll_20250601.csv': issue(200, () => 'SMITH,1,R') }
const HELD_LATER = { 'roll_20250701.csv': issue(150, (n) => (n % 2 === 0 ? ',x,X' : 'SMITH,1,R')) }

/** Changes of limits, each of which gives the second issue other findings. */
const LIMITS = {
  rowsDown: 0.1,
  rowsUp: 0.7,
  blanksUp: 0.9,
  codesUp: 0.9,
  unreadable: 0.9,
  minUnreadable: 1000,
  minRows: 1000,
  columns: { OWNER: 0.9 },
}

/** A feed whose second day is larger than the limit for days that add rows. */
const GROWN_FILES = { '07-01-2025nme.txt': feedDay(1, 110) }
const GROWN_LATER = { '07-02-2025nme.txt': feedDay(1000, 1_200) }

function feedDay(first: number, documents: number): string {
  return Array.from({ length: documents }, (_, n) => `${first + n}|DOE|D|\n`).join('')
}

type Base = 'held' | 'grown' | 'pair' | 'roll' | 'feed' | 'fixed' | 'lines' | 'parquet'

interface BaseFiles {
  readonly source: () => SourceDefinitionInput
  readonly files: Record<string, string | Buffer>
  /** Files of a second run. */
  readonly later?: Record<string, string | Buffer>
}

const BASES: Record<Base, BaseFiles> = {
  held: { source: held, files: HELD_FILES, later: HELD_LATER },
  grown: { source: feedSource, files: GROWN_FILES, later: GROWN_LATER },
  roll: { source: roll, files: ROLL_FILES },
  pair: { source: pair, files: PAIR_FILES },
  feed: { source: feedSource, files: FEED_FILES },
  fixed: { source: fixed, files: FIXED_FILES },
  lines: { source: lines, files: LINE_FILES },
  parquet: { source: parquet, files: {} },
}

/** The result of a nightly run differs after each of these changes. */
const RUNS: Record<string, [Base, (source: Draft, kind: Draft) => void]> = {
  ...Object.fromEntries(
    Object.entries(LIMITS).flatMap(([name, value]): [string, [Base, (source: Draft, kind: Draft) => void]][] => [
      [`limits.${name}`, ['held', (source) => (source.limits = { [name]: value })]],
      [`files.limits.${name}`, ['held', (_source, kind) => (kind.limits = { [name]: value })]],
    ]),
  ),
  'limits.incrementUp': ['grown', (source) => (source.limits = { incrementUp: 99 })],
  'files.limits.incrementUp': ['grown', (_source, kind) => (kind.limits = { incrementUp: 99 })],
  id: ['roll', (source) => (source.id = 'us/fl/test.other')],
  title: ['roll', (source) => (source.title = 'Another roll')],
  publisher: ['roll', (source) => (source.publisher = 'Another')],
  url: ['roll', (source) => (source.url = 'https://example.org')],
  states: ['roll', (source) => (source.states = ['GA'])],
  counties: ['roll', (source) => (source.counties = ['12011'])],
  everyDays: ['roll', (source) => (source.everyDays = 7)],
  refusedLimit: ['roll', (source) => (source.refusedLimit = 0.01)],
  together: ['pair', (source) => (source.together = [['names', 'documents']])],
  weight: ['roll', (source) => (source.weight = 0.1)],
  isDuplicateFree: ['roll', (source) => (source.isDuplicateFree = true)],
  isHouseholdLike: ['roll', (source) => (source.isHouseholdLike = true)],
  codes: ['roll', (source) => (source.codes = { counties: { '16': '12086' } })],
  'files.kind': ['roll', (source, kind) => {
    kind.kind = 'rolls'
    source.examples[0].kind = 'rolls'
  }],
  'files.pattern': ['roll', (_source, kind) => (kind.pattern = 'roll_(?<date>\\d{4})(?<roll>P)\\.csv')],
  'files.archivePattern': ['roll', (_source, kind) => (kind.archivePattern = 'others\\.zip')],
  'files.format.delimited.type': ['lines', (_source, kind) => (kind.format = { ...rollSource().files[0]!.format })],
  'files.format.delimited.delimiter': ['roll', (_source, kind) => (kind.format.delimiter = ';')],
  'files.format.delimited.quote': ['feed', (_source, kind) => (kind.format.quote = '"')],
  'files.format.delimited.header': ['roll', (_source, kind) => (kind.format.header = false)],
  'files.format.delimited.trailingDelimiter': ['feed', (_source, kind) => (kind.format.trailingDelimiter = false)],
  'files.format.delimited.encoding': ['feed', (_source, kind) => (kind.format.encoding = 'utf-8')],
  'files.format.delimited.columns': ['feed', (_source, kind) => (kind.format.columns = ['DOC', 'TYPE', 'NAME'])],
  'files.format.delimited.optionalColumns': ['roll', (_source, kind) => (kind.format.optionalColumns = [])],
  'files.format.fixed.type': ['fixed', (_source, kind) => (kind.format = lines().files[0]!.format)],
  'files.format.fixed.encoding': ['fixed', (_source, kind) => (kind.format.encoding = 'utf-8')],
  'files.format.fixed.recordLength': ['fixed', (_source, kind) => (kind.format.recordLength = 13)],
  'files.format.fixed.columns.name': ['fixed', (_source, kind) => {
    kind.format.columns[2].name = 'VALUE'
    kind.format.columns[3].name = 'OWNER'
  }],
  'files.format.fixed.columns.start': ['fixed', (_source, kind) => (kind.format.columns[2].start = 7)],
  'files.format.fixed.columns.end': ['fixed', (_source, kind) => (kind.format.columns[2].end = 9)],
  'files.format.jsonl.type': ['lines', (_source, kind) => (kind.format.type = 'parquet')],
  'files.format.jsonl.columns': ['lines', (_source, kind) => kind.format.columns.pop()],
  'files.format.parquet.type': ['parquet', (_source, kind) => (kind.format.type = 'jsonl')],
  'files.format.parquet.columns': ['parquet', (_source, kind) => kind.format.columns.push('NEW')],
  'files.asOf.group': ['roll', (_source, kind) => (kind.asOf.group = 'roll')],
  'files.asOf.format': ['roll', (_source, kind) => (kind.asOf.format = '%d%y')],
  'files.asOf.plusDays.group': ['roll', (_source, kind) => (kind.asOf.plusDays.group = 'date')],
  'files.asOf.plusDays.days': ['roll', (_source, kind) => (kind.asOf.plusDays.days.F = 0)],
  'files.identity': ['roll', (_source, kind) => (kind.identity = ['PARCEL'])],
  'files.supersedes': ['roll', (_source, kind) => (kind.supersedes = [])],
  'files.aliases': ['lines', (_source, kind) => (kind.aliases = { VALUE: ['WORTH'] })],
  'files.schemaChanges': ['lines', (_source, kind) => (kind.schemaChanges = 'refuse')],
  'files.keys.length': ['roll', (_source, kind) => (kind.keys = { PARCEL: { length: 2 } })],
  'files.keys.allow': ['roll', (_source, kind) => (kind.keys = { PARCEL: { allow: ['scientific'] } })],
  'files.refuse.when': ['roll', (_source, kind) => (kind.refuse[0].when = { isBlank: 'OWNER' })],
  'files.refuse.reason': ['roll', (_source, kind) => (kind.refuse[0].reason = 'another reason')],
  'files.rows.into': ['roll', (_source, kind) => {
    kind.rows[0].into = 'buildings'
    delete kind.rows[0].set.market_value_usd
    delete kind.rows[0].set.deed_on
  }],
  'files.rows.when': ['roll', (_source, kind) => (kind.rows[1].when = { isBlank: 'OWNER' })],
  'files.rows.tag': ['roll', (_source, kind) => (kind.rows[1].tag = 'owner')],
  'files.rows.bounds.notAfterDays': ['roll', (_source, kind) => {
    kind.rows[0].bounds = { deed_on: { notAfterDays: 0 } }
  }],
  'files.rows.bounds.notBefore': ['roll', (_source, kind) => {
    kind.rows[0].bounds = { deed_on: { notBefore: '2025-12-31' } }
  }],
  'files.rows.set': ['roll', (_source, kind) => delete kind.rows[1].set.full_name],
} // prettier-ignore

/** The failures of a definition's examples differ after each of these changes. */
const EXAMPLES: Record<string, (example: Draft) => void> = {
  'examples.note': (example) => (example.note = 'another note'),
  'examples.kind': (example) => (example.kind = 'second'),
  'examples.file': (example) => (example.file = '2024.csv'),
  'examples.given': (example) => (example.given = { KEY: '2' }),
  'examples.expect': (example) => (example.expect = {}),
}

/** The value of an expression differs from that of the second one. Rows: `A` is 0112, `B` is b, `D` is 02/01/2024. */
const EXPRESSIONS: Record<string, [Expression, Expression]> = {
  literal: [{ literal: 'a' }, { literal: 'b' }],
  file: [{ file: 'year' }, { file: 'name' }],
  firstOf: [{ firstOf: ['A', 'B'] }, { firstOf: ['B', 'A'] }],
  join: [{ join: ['A', 'B'], with: ' ' }, { join: ['A'], with: ' ' }],
  'join.with': [{ join: ['A', 'B'], with: ' ' }, { join: ['A', 'B'], with: '-' }],
  codes: [{ codes: 'one', of: 'B' }, { codes: 'two', of: 'B' }],
  'codes.of': [{ codes: 'one', of: 'B' }, { codes: 'one', of: 'A' }],
  'codes.otherwise': [{ codes: 'one', of: 'A' }, { codes: 'one', of: 'A', otherwise: 'A' }],
  date: [{ date: 'D', formats: ['%m/%d/%Y'] }, { date: 'A', formats: ['%m/%d/%Y'] }],
  'date.formats': [{ date: 'D', formats: ['%m/%d/%Y'] }, { date: 'D', formats: ['%d/%m/%Y'] }],
  'date.sentinels': [
    { date: 'D', formats: ['%m/%d/%Y'] },
    { date: 'D', formats: ['%m/%d/%Y'], sentinels: ['02/01/2024'] },
  ],
  'date.pivot': [
    { date: { literal: '02/01/70' }, formats: ['%m/%d/%y'] },
    { date: { literal: '02/01/70' }, formats: ['%m/%d/%y'], pivot: 75 },
  ],
  'monthDate.monthDate.year': [
    { monthDate: { year: { literal: '2024' }, month: { literal: '2' } } },
    { monthDate: { year: { literal: '2023' }, month: { literal: '2' } } },
  ],
  'monthDate.monthDate.month': [
    { monthDate: { year: { literal: '2024' }, month: { literal: '2' } } },
    { monthDate: { year: { literal: '2024' }, month: { literal: '3' } } },
  ],
  birthDate: [{ birthDate: 'D', formats: ['%m/%d/%Y'] }, { birthDate: 'B', formats: ['%m/%d/%Y'] }],
  'birthDate.formats': [{ birthDate: 'D', formats: ['%m/%d/%Y'] }, { birthDate: 'D', formats: ['%d/%m/%Y'] }],
  number: [{ number: 'A' }, { number: 'B' }],
  'number.impliedDecimals': [{ number: 'A' }, { number: 'A', impliedDecimals: 2 }],
  'number.zeroIsNull': [{ number: { literal: '0' } }, { number: { literal: '0' }, zeroIsNull: true }],
  'number.times': [{ number: 'A' }, { number: 'A', times: 2 }],
  integer: [{ integer: 'A' }, { integer: 'B' }],
  'integer.zeroIsNull': [{ integer: { literal: '0' } }, { integer: { literal: '0' }, zeroIsNull: true }],
  sum: [{ sum: ['A', 'A'] }, { sum: ['A'] }],
  replace: [{ replace: '1', of: 'A', with: 'x' }, { replace: '2', of: 'A', with: 'x' }],
  'replace.of': [{ replace: '1', of: 'A', with: 'x' }, { replace: '1', of: 'B', with: 'x' }],
  'replace.with': [{ replace: '1', of: 'A', with: 'x' }, { replace: '1', of: 'A', with: 'y' }],
  extract: [{ extract: '1', of: 'A' }, { extract: '2', of: 'A' }],
  'extract.of': [{ extract: '[0-9b]+', of: 'A' }, { extract: '[0-9b]+', of: 'B' }],
  'extract.group': [{ extract: '(0)(1)', of: 'A', group: 1 }, { extract: '(0)(1)', of: 'A', group: 2 }],
  padStart: [{ padStart: 'A', length: 6, with: '0' }, { padStart: 'B', length: 6, with: '0' }],
  'padStart.length': [{ padStart: 'A', length: 6, with: '0' }, { padStart: 'A', length: 7, with: '0' }],
  'padStart.with': [{ padStart: 'A', length: 6, with: '0' }, { padStart: 'A', length: 6, with: 'x' }],
  slice: [{ slice: 'A', from: 1, length: 1 }, { slice: 'B', from: 1, length: 1 }],
  'slice.from': [{ slice: 'A', from: 1, length: 1 }, { slice: 'A', from: 2, length: 1 }],
  'slice.length': [{ slice: 'A', from: 1, length: 1 }, { slice: 'A', from: 1, length: 2 }],
  lower: [{ lower: { literal: 'X' } }, { lower: 'A' }],
  flag: [{ flag: { isBlank: 'A' } }, { flag: { notBlank: 'A' } }],
  when: [{ when: { isBlank: 'A' }, then: 'B' }, { when: { notBlank: 'A' }, then: 'B' }],
  'when.then': [{ when: { notBlank: 'A' }, then: 'B' }, { when: { notBlank: 'A' }, then: 'A' }],
  'when.otherwise': [{ when: { isBlank: 'A' }, then: 'B' }, { when: { isBlank: 'A' }, then: 'B', otherwise: 'A' }],
} // prettier-ignore

const CONDITIONS: Record<string, [Condition, Condition]> = {
  is: [
    { is: 'A', in: ['0112'] },
    { is: 'B', in: ['0112'] },
  ],
  'is.in': [
    { is: 'A', in: ['0112'] },
    { is: 'A', in: ['1'] },
  ],
  isBlank: [{ isBlank: 'A' }, { isBlank: 'EMPTY' }],
  notBlank: [{ notBlank: 'A' }, { notBlank: 'EMPTY' }],
  matches: [
    { matches: '^0', of: 'A' },
    { matches: '^1', of: 'A' },
  ],
  'matches.of': [
    { matches: '^0', of: 'A' },
    { matches: '^0', of: 'B' },
  ],
  inCodes: [
    { inCodes: 'one', of: 'B' },
    { inCodes: 'none', of: 'B' },
  ],
  'inCodes.of': [
    { inCodes: 'one', of: 'B' },
    { inCodes: 'one', of: 'A' },
  ],
  all: [{ all: [{ notBlank: 'A' }] }, { all: [{ notBlank: 'A' }, { isBlank: 'A' }] }],
  any: [{ any: [{ isBlank: 'A' }] }, { any: [{ isBlank: 'A' }, { notBlank: 'A' }] }],
  not: [{ not: { isBlank: 'A' } }, { not: { notBlank: 'A' } }],
}

function valuesSource(): SourceDefinitionInput {
  const kind: SourceDefinitionInput['files'][number] = {
    kind: 'values',
    pattern: '(?<year>\\d{4})\\.csv',
    format: { type: 'delimited', delimiter: ',', header: true, columns: ['KEY', 'A', 'B', 'D', 'EMPTY'] },
    identity: ['KEY'],
    supersedes: [],
    rows: [{ into: 'parcels', set: { legal_description: 'A', line_1: { file: 'year' } } }],
  }
  return {
    id: 'us/fl/test.values',
    title: 'Values',
    publisher: 'Nobody',
    states: ['FL'],
    everyDays: 1,
    codes: { one: { b: 'first' }, two: { b: 'second' }, none: { z: 'z' } },
    files: [kind, { ...kind, kind: 'second', pattern: 'second(?<year>\\d{4})?\\.csv' }],
    examples: [
      {
        note: 'a row',
        kind: 'values',
        file: '2025.csv',
        given: { KEY: '1', A: '0112', B: 'b', D: '02/01/2024' },
        expect: {},
      },
    ],
  }
}

// For the examples, which leave nothing in it.
const warehouse = heldOpen<DuckDBConnection>(withWarehouse)

async function valueOf(expression: Expression): Promise<unknown> {
  const draft = structuredClone(valuesSource()) as Draft
  draft.files[0].rows[0].set = { legal_description: expression }
  const source = defined(draft as SourceDefinitionInput)
  const rows = await exampleRows(warehouse(), source, source.examples[0]!)
  return rows.parcels?.[0]?.legal_description ?? null
}

test('the table of changes has every field of the schema, and no other', () => {
  const tables = [RUNS, EXAMPLES, EXPRESSIONS, CONDITIONS]
  const changed = new Set(tables.flatMap((table) => Object.keys(table)))
  expect([...changed].sort()).toEqual([...new Set(schemaFields())].sort())
})

test.each(Object.entries(EXPRESSIONS))('the value of %s depends on it', async (_field, [one, other]) => {
  expect(await valueOf(one)).not.toEqual(await valueOf(other))
}) // prettier-ignore

test.each(Object.entries(CONDITIONS))('the condition %s depends on it', async (_field, [one, other]) => {
  expect(await valueOf({ flag: one })).not.toEqual(await valueOf({ flag: other }))
})

test.each(Object.entries(EXAMPLES))('the failures of an example depend on %s', async (_field, change) => {
  const draft = structuredClone(valuesSource()) as Draft
  draft.examples[0].expect = { parcels: [{ legal_description: '0112', line_1: '2026' }] }
  const before = await failedExamples(warehouse(), defined(draft as SourceDefinitionInput))
  change(draft.examples[0])
  if (draft.examples[0].kind === 'second') delete draft.examples[0].file
  const after = await failedExamples(warehouse(), defined(draft as SourceDefinitionInput))
  expect(after).not.toEqual(before)
})

/** The result of one nightly run for each source, by its number; ids, file numbers and times left out. */
const made = new Map<string, string>()

beforeAll(async () => {
  await withNight(async (night) => {
    const sources: SourceDefinition[] = []
    const add = async (name: string, base: Base, change: (source: Draft, kind: Draft) => void) => {
      const draft = structuredClone(BASES[base].source()) as Draft
      draft.id = `us/fl/test.${name}`
      change(draft, draft.files[0] as Draft)
      const source = SourceDefinition.parse(draft)
      sources.push(source)
      await landFor(night, source.id, base)
      return source.id
    }
    const ids = new Map<string, string>()
    for (const base of Object.keys(BASES) as Base[]) {
      ids.set(`base ${base}`, await add(`base-${base}`, base, () => {}))
      ids.set(`copy ${base}`, await add(`copy-${base}`, base, () => {}))
    }
    for (const [field, [base, change]] of Object.entries(RUNS)) {
      ids.set(field, await add(`v${ids.size}`, base, change))
    }
    await night.run(sources)
    for (const [name, id] of ids) {
      const { later = {} } = BASES[baseOf(name)]
      for (const [file, content] of Object.entries(later)) {
        await night.land(`${id.replaceAll(/[/.]/g, '-')}/${file}`, content)
      }
    }
    await night.run(sources)
    for (const [name, id] of ids) made.set(name, await observed(night, id, name === 'id'))
  })
}, 300_000)

function baseOf(name: string): Base {
  return RUNS[name]?.[0] ?? (name.replace(/^(base|copy) /, '') as Base)
}

async function landFor(night: Night, id: string, base: Base): Promise<void> {
  const folder = id.replaceAll(/[/.]/g, '-')
  for (const [name, content] of Object.entries(BASES[base].files)) {
    await night.land(`${folder}/${name}`, content)
  }
  if (base === 'roll') {
    const member = { 'roll_2024F.csv': 'CO,PARCEL,OWNER,VALUE\n21,9,LEE KIM,9\n' }
    await night.land(`${folder}/rolls_2024.zip`, await zipOf(member))
  }
  if (base === 'parquet') {
    const file = join(night.landing, folder, 'roll_20250701.parquet')
    await mkdir(join(night.landing, folder))
    await night.db.run(
      `copy (select '16' as CO, '0001' as PARCEL, 'SMITH' as OWNER, '12' as VALUE) to '${file}' (format parquet)`,
    )
  }
}

async function observed({ rows }: Night, id: string, isNamed: boolean): Promise<string> {
  const of = `source_id = '${id}'`
  const tables = Object.entries(CANONICAL_TABLES).flatMap(([name, table]) =>
    'keepsPast' in table ? [name, `past_${name}`] : [name],
  )
  const seen: Record<string, unknown> = {
    source: await rows(`select * from reference.sources where ${of}`),
    outcome: await rows(`select status, reason from ledger.sources where ${of}`),
    files: await rows(
      `select * exclude (file_id, loaded_at, same_as_file_id, container_sha256, attempt) from ledger.files where ${of} order by file_name, kind`,
    ),
    quarantine: await rows(
      `select * exclude (file_id, quarantined_at) from ledger.quarantine where ${of} order by file_name, line_number`,
    ),
  }
  for (const table of tables) {
    seen[table] = await rows(`select * exclude (file_id) from staging.${table} where ${of} order by all`)
  }
  const text = JSON.stringify(seen)
  return isNamed ? text : text.replaceAll(id, 'ID').replaceAll(id.replaceAll(/[/.]/g, '-'), 'FOLDER')
}

test.each(Object.entries(RUNS))('what a nightly run makes of a source depends on %s', (field, [base]) => {
  expect(made.get(field)).toBeDefined()
  expect(made.get(field)).not.toEqual(made.get(`base ${base}`))
})

test('without a change, each source is loaded, and a copy of its definition makes the same', () => {
  for (const base of Object.keys(BASES)) {
    expect(made.get(`base ${base}`)).toContain('"status":"loaded"')
    expect(made.get(`copy ${base}`)).toEqual(made.get(`base ${base}`))
  }
})
