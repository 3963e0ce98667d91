import { z } from 'zod'
import { CANONICAL_TABLES, type CanonicalName, LINEAGE_COLUMNS } from './canonical.ts'

/**
 * A source is data: which files it sends, how they are written, and what their columns mean.
 * The vocabulary is closed; `compile.ts` turns it into SQL. Nothing here runs.
 */

/** A condition on a row; blank means empty or only spaces. */
export type Condition =
  | { is: Expression; in: string[] }
  | { isBlank: Expression }
  | { notBlank: Expression }
  | { matches: string; of: Expression }
  | { inCodes: string; of: Expression }
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }

/** A value made from the columns of a row; every text is trimmed, and blank text is null. */
export type Expression =
  /** A column by its exact header. */
  | string
  | { literal: string | number | boolean }
  /** A named group of the file's pattern, or `name` for the file's name. */
  | { file: string }
  | { firstOf: Expression[] }
  /** The parts that are not blank, joined; null when all are. */
  | { join: Expression[]; with: string }
  /** The value that a code table of the definition has for it; `otherwise` (else null) where it has none. */
  | { codes: string; of: Expression; otherwise?: Expression }
  /**
   * A date in one of these strptime formats; text that is a sentinel, or fits none, is null. `pivot`: years of two
   * digits (%y) up to it are of 2000 and later, the rest of 1900 and later; without it 68 is the last of 2000.
   */
  | { date: Expression; formats: string[]; sentinels?: string[]; pivot?: number }
  /** The first of the month. */
  | { monthDate: { year: Expression; month: Expression } }
  /** `YYYY-MM-DD` text of a birth date of any completeness, unknown parts `00`. */
  | { birthDate: Expression; formats: string[] }
  /** A number; thousands separators and currency signs are removed, `impliedDecimals` digits stand behind the point. */
  | { number: Expression; impliedDecimals?: number; zeroIsNull?: boolean; times?: number }
  | { integer: Expression; zeroIsNull?: boolean }
  | { sum: Expression[] }
  /** Regular expressions are RE2 (DuckDB's). */
  | { replace: string; of: Expression; with: string }
  | { extract: string; of: Expression; group?: number }
  | { padStart: Expression; length: number; with: string }
  | { slice: Expression; from: number; length: number }
  | { lower: Expression }
  | { flag: Condition }
  | { when: Condition; then: Expression; otherwise?: Expression }

const Expression: z.ZodType<Expression> = z.lazy(() =>
  z.union([
    z.string().min(1),
    z.strictObject({ literal: z.union([z.string(), z.number(), z.boolean()]) }),
    z.strictObject({ file: z.string().min(1) }),
    z.strictObject({ firstOf: z.array(Expression).min(1) }),
    z.strictObject({ join: z.array(Expression).min(1), with: z.string() }),
    z.strictObject({ codes: z.string(), of: Expression, otherwise: Expression.optional() }),
    z.strictObject({
      date: Expression,
      formats: z.array(z.string()).min(1),
      sentinels: z.array(z.string()).optional(),
      pivot: z.int().min(0).max(99).optional(),
    }),
    z.strictObject({ monthDate: z.strictObject({ year: Expression, month: Expression }) }),
    z.strictObject({ birthDate: Expression, formats: z.array(z.string()).min(1) }),
    z.strictObject({
      number: Expression,
      impliedDecimals: z.int().min(0).max(8).optional(),
      zeroIsNull: z.boolean().optional(),
      times: z.number().optional(),
    }),
    z.strictObject({ integer: Expression, zeroIsNull: z.boolean().optional() }),
    z.strictObject({ sum: z.array(Expression).min(1) }),
    z.strictObject({ replace: z.string(), of: Expression, with: z.string() }),
    z.strictObject({ extract: z.string(), of: Expression, group: z.int().min(0).optional() }),
    z.strictObject({ padStart: Expression, length: z.int().min(1), with: z.string().length(1) }),
    z.strictObject({ slice: Expression, from: z.int().min(1), length: z.int().min(1) }),
    z.strictObject({ lower: Expression }),
    z.strictObject({ flag: Condition }),
    z.strictObject({ when: Condition, then: Expression, otherwise: Expression.optional() }),
  ]),
) as z.ZodType<Expression>

const Condition: z.ZodType<Condition> = z.lazy(() =>
  z.union([
    z.strictObject({ is: Expression, in: z.array(z.string()).min(1) }),
    z.strictObject({ isBlank: Expression }),
    z.strictObject({ notBlank: Expression }),
    z.strictObject({ matches: z.string(), of: Expression }),
    z.strictObject({ inCodes: z.string(), of: Expression }),
    z.strictObject({ all: z.array(Condition).min(1) }),
    z.strictObject({ any: z.array(Condition).min(1) }),
    z.strictObject({ not: Condition }),
  ]),
) as z.ZodType<Condition>

const Delimited = z.strictObject({
  type: z.literal('delimited'),
  delimiter: z.string().length(1),
  /** Null: quotes are ordinary characters. */
  quote: z.literal('"').nullable().default('"'),
  /** True: the first line names the columns, and must name exactly `columns` (any order). */
  header: z.boolean(),
  /** The delimiter also ends every line. */
  trailingDelimiter: z.boolean().default(false),
  encoding: z.enum(['utf-8', 'latin-1']).default('utf-8'),
  columns: z.array(z.string().min(1)).min(1),
  /** Columns that a file may have or not, in any issue of it. */
  optionalColumns: z.array(z.string().min(1)).default([]),
})

const FixedWidth = z
  .strictObject({
    type: z.literal('fixed'),
    encoding: z.enum(['utf-8', 'latin-1']).default('latin-1'),
    /** Bytes of a record without its line end; a longer record is a later version's, a shorter one is refused. */
    recordLength: z.int().min(1),
    /** First and last byte, counted from 1, both inclusive. */
    columns: z
      .array(z.strictObject({ name: z.string().min(1), start: z.int().min(1), end: z.int().min(1) }))
      .min(1),
  })
  .superRefine(({ columns, recordLength }, context) => {
    for (const [index, { name, start, end }] of columns.entries()) {
      if (start <= end && end <= recordLength) continue
      context.addIssue({
        code: 'custom',
        path: ['columns', index],
        message: `column ${name} is from byte ${start} to ${end}; a record has the bytes 1 to ${recordLength}`,
      })
    }
  })

const JsonLines = z.strictObject({ type: z.literal('jsonl'), columns: z.array(z.string().min(1)).min(1) })
const Parquet = z.strictObject({ type: z.literal('parquet'), columns: z.array(z.string().min(1)).min(1) })

const Format = z.discriminatedUnion('type', [Delimited, FixedWidth, JsonLines, Parquet])
export type Format = z.output<typeof Format>

const CanonicalRows = z.strictObject({
  into: z.enum(Object.keys(CANONICAL_TABLES) as [CanonicalName, ...CanonicalName[]]),
  /** Rows for which it does not hold make nothing here (they are still loaded). */
  when: Condition.optional(),
  /** Part of the record key when one raw row makes several rows of one table. */
  tag: z.string().optional(),
  /**
   * Dates outside their bounds are unknown, and counted. `notAfterDays`: days behind the day of the file's content,
   * null for no limit; 7 where nothing is given for recorded_on, sold_on and birth_date. `notBefore`: YYYY-MM-DD.
   */
  bounds: z
    .record(
      z.string(),
      z.strictObject({
        notAfterDays: z.int().min(0).nullable().optional(),
        notBefore: z.iso.date().optional(),
      }),
    )
    .optional(),
  set: z.record(z.string(), Expression),
})

const Share = z.number().min(0).max(1)

/** How far a file may differ from the accepted loads before it. Shares are of 1: 0.2 is 20 %. */
const LimitValues = z.strictObject({
  /** Rows and keys of a county may fall by this share of those that the file replaces (median of the last five accepted loads). */
  rowsDown: Share,
  rowsUp: z.number().min(0),
  /** Rows of a file that replaces none of these loads may exceed the largest accepted load by this share; null for no limit. */
  incrementUp: z.number().min(0).nullable(),
  /** The share of blank values of a column may rise by this much. */
  blanksUp: Share,
  /** The share of codes that a code table does not know may rise by this much. */
  codesUp: Share,
  /** Share of the values of a column that may be unreadable as the date or number that the definition says. */
  unreadable: Share,
  /** Fewer unreadable values of a column than this never hold a file. */
  minUnreadable: z.int().min(1),
  /** Counties with fewer rows than this are not compared by share. */
  minRows: z.int().min(1),
  /** Another share for one column: a column of the file (blanksUp), a code table (codesUp), `table.column` (unreadable). */
  columns: z.record(z.string(), Share),
})
export type Limits = z.output<typeof LimitValues>

export const DEFAULT_LIMITS: Limits = {
  rowsDown: 0.2,
  rowsUp: 0.5,
  incrementUp: 9,
  blanksUp: 0.1,
  codesUp: 0.01,
  unreadable: 0.01,
  minUnreadable: 5,
  minRows: 100,
  columns: {},
}

const FileKind = z.strictObject({
  /** The raw table: `raw.<source id with / and . as _>__<kind>`. */
  kind: z.string().regex(/^[a-z][a-z0-9_]*$/),
  /** Regular expression on the whole base name (of the zip member, for zips), case ignored; named groups feed `{file: …}`. */
  pattern: z.string(),
  /** For members of a zip: expression on the archive's base name; its named groups are added to the member's. */
  archivePattern: z.string().optional(),
  format: Format,
  /** The date of the file's content, from a group of its name; else the day it was first seen. */
  asOf: z
    .strictObject({
      group: z.string(),
      format: z.string(),
      /** Days to add, by the text of another group in upper case: what a name says without a date (a final roll). */
      plusDays: z.strictObject({ group: z.string(), days: z.record(z.string(), z.int().min(0)) }).optional(),
    })
    .optional(),
  /** Columns (or `{file: …}`) that name a record within the source. */
  identity: z.array(Expression).min(1),
  /**
   * What a newer file replaces: all older rows of this kind with the same values here.
   * A roll names its county; a daily feed its document. Empty: a newer file replaces the whole kind.
   */
  supersedes: z.array(Expression),
  /** Other names under which publishers have sent a column: `{"OWNER": ["OWNER_NAME"]}`. Case never matters. */
  aliases: z.record(z.string(), z.array(z.string().min(1)).min(1)).default({}),
  /**
   * `ignore`: a new column, and the loss of a column that nothing reads, are reported and the file is loaded. `refuse`:
   * the file fails. The loss of a column that something reads always fails the file.
   */
  schemaChanges: z.enum(['ignore', 'refuse']).default('ignore'),
  /**
   * The rules for columns that hold identifiers. A value that a spreadsheet has damaged (`5.02E+11`, `#N/A`, a date)
   * is refused in the columns of parcel, instrument and document numbers and of the identity, unless `allow` names it.
   */
  keys: z
    .record(
      z.string(),
      z.strictObject({
        /** Characters of a whole value: a shorter one has lost its leading zeros and is refused. */
        length: z.int().min(1).optional(),
        allow: z.array(z.enum(['scientific', 'error', 'date'])).optional(),
      }),
    )
    .default({}),
  /** Raw rows that are refused although they can be read: the first that holds gives the reason. */
  refuse: z.array(z.strictObject({ when: Condition, reason: z.string() })).default([]),
  rows: z.array(CanonicalRows).default([]),
  /** Limits of this kind; those that are missing are the source's. */
  limits: LimitValues.partial().default({}),
})
export type FileKind = z.output<typeof FileKind>

const Example = z.strictObject({
  note: z.string().min(1),
  kind: z.string(),
  /** The file's name, where the rows use it. */
  file: z.string().optional(),
  /** Columns not given are blank. */
  given: z.record(z.string(), z.string()),
  /** Rows of the canonical tables that it makes, as partial rows; a table not named makes none. */
  expect: z.record(
    z.string(),
    z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  ),
})

export const SourceDefinition = z
  .strictObject({
    /** `us/<state>/<county or statewide>.<feed>`, as the path of the definition. */
    id: z.string().regex(/^[a-z0-9-]+(\/[a-z0-9-]+)*\.[a-z0-9-]+$/),
    title: z.string().min(1),
    publisher: z.string().min(1),
    url: z.string().optional(),
    states: z.array(z.string().length(2)),
    /** FIPS codes that its rows can have; empty where a column tells. */
    counties: z.array(z.string().regex(/^\d{5}$/)).default([]),
    /** Days between two issues, for `doctor` to say that one is late. */
    everyDays: z.int().min(1),
    /** 0–1: share of a file's rows (or of a set of files) that may be refused before the file fails. */
    refusedLimit: z.number().min(0).max(1).default(0.01),
    /** 0–1: how far its word counts against other sources for phones and e-mails. */
    weight: z.number().min(0).max(1).default(0.5),
    /** Two of its records are never one person: the publisher gives each person one record (its issues are one record). */
    isDuplicateFree: z.boolean().default(false),
    /** It lists households or buildings: that two of its people share an address says little. */
    isHouseholdLike: z.boolean().default(false),
    /** Limits of all kinds; a file outside them is held. Those that are missing are `DEFAULT_LIMITS`. */
    limits: LimitValues.partial().default({}),
    /** Sets of kinds: files of these kinds whose names have the same groups are loaded, held or refused together. */
    together: z.array(z.array(z.string()).min(2)).default([]),
    codes: z
      .record(z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])))
      .default({}),
    files: z.array(FileKind).min(1),
    examples: z.array(Example).min(1),
  })
  .superRefine((source, context) => {
    for (const [fileAt, file] of source.files.entries()) {
      for (const [rowsAt, rows] of file.rows.entries()) {
        const table = CANONICAL_TABLES[rows.into]
        for (const column of Object.keys(rows.set)) {
          const path = ['files', fileAt, 'rows', rowsAt, 'set', column]
          if (!(column in table.columns)) {
            const known = Object.keys(table.columns).join(', ')
            context.addIssue({
              code: 'custom',
              path,
              message: `${file.kind}: ${rows.into} has no column ${column}; it has ${known}`,
            })
          }
          if (column in LINEAGE_COLUMNS) {
            context.addIssue({
              code: 'custom',
              path,
              message: `${file.kind}: ${column} is filled by the loader`,
            })
          }
        }
      }
    }
    const known = new Set(source.files.map(({ kind }) => kind))
    const together = new Set<string>()
    for (const [setAt, kinds] of source.together.entries()) {
      for (const [kindAt, kind] of kinds.entries()) {
        const path = ['together', setAt, kindAt]
        if (!known.has(kind)) {
          context.addIssue({ code: 'custom', path, message: `together names the unknown kind ${kind}` })
        } else if (together.has(kind)) {
          context.addIssue({ code: 'custom', path, message: `together names the kind ${kind} twice` })
        }
        together.add(kind)
      }
    }
    for (const [at, { kind }] of source.examples.entries()) {
      if (known.has(kind)) continue
      const path = ['examples', at, 'kind']
      context.addIssue({ code: 'custom', path, message: `an example names the unknown kind ${kind}` })
    }
  })
export type SourceDefinition = z.output<typeof SourceDefinition>
export type SourceDefinitionInput = z.input<typeof SourceDefinition>

/** The limits of a kind: its own, else the source's, else the defaults. */
export function limitsOf(source: Pick<SourceDefinition, 'limits'>, kind: Pick<FileKind, 'limits'>): Limits {
  const columns = { ...source.limits.columns, ...kind.limits.columns }
  return LimitValues.parse({ ...DEFAULT_LIMITS, ...source.limits, ...kind.limits, columns })
}

/** For definitions written in TypeScript: types while writing, the schema's checks when loaded. */
export function defineSource(source: SourceDefinitionInput): SourceDefinitionInput {
  return source
}
