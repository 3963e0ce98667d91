import { z } from 'zod'
import { CANONICAL_TABLES, type CanonicalName, LINEAGE_COLUMNS } from './canonical.ts'

/**
 * The shape of a source definition: which files a publisher sends, how they are written, and what their columns
 * mean. A definition is data with a closed vocabulary. `compile.ts` translates its expressions into SQL.
 */

/** A condition on a row. Blank means empty or only spaces. */
export type Condition =
  | { is: Expression; in: string[] }
  | { isBlank: Expression }
  | { notBlank: Expression }
  | { matches: string; of: Expression }
  | { inCodes: string; of: Expression }
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }

/** A value made from the columns of a row. Every text is trimmed, and blank text is null. */
export type Expression =
  /** A column, by its name in the header. */
  | string
  | { literal: string | number | boolean }
  /** A named group of the file's pattern, or `name` for the file's name. */
  | { file: string }
  | { firstOf: Expression[] }
  /** The parts that are not blank, joined. Null when all are blank. */
  | { join: Expression[]; with: string }
  /** The value of the code `of` in a code table of the definition. For an unknown code it is `otherwise`, or null. */
  | { codes: string; of: Expression; otherwise?: Expression }
  /**
   * A date in one of these strptime formats. Text that is one of `sentinels` or fits no format gives null. Two-digit
   * years (%y) up to `pivot` (default 68) are read as 2000–2099, later ones as 1900–1999.
   */
  | { date: Expression; formats: string[]; sentinels?: string[]; pivot?: number }
  /** The first day of the month. */
  | { monthDate: { year: Expression; month: Expression } }
  /** A birth date as text `YYYY-MM-DD`. Unknown parts are `00`. */
  | { birthDate: Expression; formats: string[] }
  /**
   * A number. Thousands separators and `$` are removed. The last `impliedDecimals` digits are decimals, unless a
   * decimal point is written.
   */
  | { number: Expression; impliedDecimals?: number; zeroIsNull?: boolean; times?: number }
  | { integer: Expression; zeroIsNull?: boolean }
  | { sum: Expression[] }
  /** Regular expressions are RE2, as DuckDB has them. */
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
  /** Null when quotes are ordinary characters. */
  quote: z.literal('"').nullable().default('"'),
  /** True when the first line has the names of the columns, in any order. */
  header: z.boolean(),
  /** True when every line also ends with the delimiter. */
  trailingDelimiter: z.boolean().default(false),
  encoding: z.enum(['utf-8', 'latin-1']).default('utf-8'),
  columns: z.array(z.string().min(1)).min(1),
  /** Columns that may be missing in a file. */
  optionalColumns: z.array(z.string().min(1)).default([]),
})

const FixedWidth = z
  .strictObject({
    type: z.literal('fixed'),
    encoding: z.enum(['utf-8', 'latin-1']).default('latin-1'),
    /**
     * Bytes of a record without its line end. Longer records are accepted as those of a later layout, shorter ones
     * are refused.
     */
    recordLength: z.int().min(1),
    /** The first and the last byte of each column, both inclusive, counted from 1. */
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
  /** The entry makes a staging row only when the condition holds. The raw row is loaded in any case. */
  when: Condition.optional(),
  /** A part of the record key. It is needed when one raw row makes several rows of one table. */
  tag: z.string().optional(),
  /**
   * Dates outside their bounds become null and are counted. `notAfterDays` is the number of days after the day of
   * the file's content, null for no limit. Its default is 7 for recorded_on, sold_on and birth_date. `notBefore` is
   * YYYY-MM-DD.
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

/** How far a file may differ from earlier accepted loads. Shares are fractions: 0.2 is 20 %. */
const LimitValues = z.strictObject({
  /**
   * Highest share by which the rows or keys of a county may be fewer than those that the file replaces. With several
   * earlier loads, the median of the last five counts.
   */
  rowsDown: Share,
  rowsUp: z.number().min(0),
  /**
   * Highest share by which a file that only adds rows may exceed the largest accepted load: 9 allows ten times its
   * rows. Null for no limit.
   */
  incrementUp: z.number().min(0).nullable(),
  /** Highest increase of the share of blank values of a column. */
  blanksUp: Share,
  /** Highest increase of the share of codes that are missing in a code table. */
  codesUp: Share,
  /** Highest share of values of a column that cannot be read as a date or number. */
  unreadable: Share,
  /** Fewer unreadable values of a column than this are always allowed. */
  minUnreadable: z.int().min(1),
  /** Counties with fewer rows than this are not compared by share. */
  minRows: z.int().min(1),
  /**
   * Another share for one column: a column of the file (for blanksUp), a code table (codesUp), or `table.column`
   * (unreadable).
   */
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
  /** Part of the name of the raw table: `raw.<source id with / and . as _>__<kind>`. */
  kind: z.string().regex(/^[a-z][a-z0-9_]*$/),
  /**
   * A regular expression on the whole file name without folders, ignoring case. For a zip it is the name of the
   * member. `{file: …}` uses its named groups.
   */
  pattern: z.string(),
  /**
   * A regular expression on the name of the zip that contains the file. Its named groups are added to those of the
   * pattern.
   */
  archivePattern: z.string().optional(),
  format: Format,
  /**
   * The date of the file's content, from a group of its name. Without it, the date is the day when the file was
   * first seen.
   */
  asOf: z
    .strictObject({
      group: z.string(),
      format: z.string(),
      /**
       * Days to add, by the text of another group in upper case. For names that imply a later day, for example of a
       * final roll.
       */
      plusDays: z.strictObject({ group: z.string(), days: z.record(z.string(), z.int().min(0)) }).optional(),
    })
    .optional(),
  /** The columns (or `{file: …}`) that identify a record within the source. */
  identity: z.array(Expression).min(1),
  /**
   * A newer file replaces the older rows of this kind that have the same values of these expressions. A roll names its
   * county here, a daily feed its document. With an empty list, a newer file replaces all rows of the kind.
   */
  supersedes: z.array(Expression),
  /** Other names under which publishers have sent a column: `{"OWNER": ["OWNER_NAME"]}`. Case does not matter. */
  aliases: z.record(z.string(), z.array(z.string().min(1)).min(1)).default({}),
  /**
   * `ignore`: new columns, and missing columns that the definition does not use, are reported, and the file is
   * loaded. `refuse`: such a file fails. A file without a used column always fails.
   */
  schemaChanges: z.enum(['ignore', 'refuse']).default('ignore'),
  /**
   * Rules for columns of identifiers. Columns of parcel, instrument and document numbers and of the identity refuse
   * values that a spreadsheet has damaged (`5.02E+11`, `#N/A`, a date). `allow` names kinds of damage that are
   * accepted.
   */
  keys: z
    .record(
      z.string(),
      z.strictObject({
        /** The number of characters of a whole value. A shorter value has lost its leading zeros and is refused. */
        length: z.int().min(1).optional(),
        allow: z.array(z.enum(['scientific', 'error', 'date'])).optional(),
      }),
    )
    .default({}),
  /** Conditions under which raw rows are refused although they are readable. The first that holds gives the reason. */
  refuse: z.array(z.strictObject({ when: Condition, reason: z.string() })).default([]),
  rows: z.array(CanonicalRows).default([]),
  /** Limits of this kind. Missing ones are taken from the source. */
  limits: LimitValues.partial().default({}),
})
export type FileKind = z.output<typeof FileKind>

const Example = z.strictObject({
  note: z.string().min(1),
  kind: z.string(),
  /** The file's name. Needed when the rows use parts of it. */
  file: z.string().optional(),
  /** Values by column. Missing columns are blank. */
  given: z.record(z.string(), z.string()),
  /**
   * The expected rows of each staging table. A row may list some columns only. A table that is not listed must get
   * no row.
   */
  expect: z.record(
    z.string(),
    z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  ),
})

export const SourceDefinition = z
  .strictObject({
    /** `us/<state>/<county or statewide>.<feed>`, which is also the path of the definition. */
    id: z.string().regex(/^[a-z0-9-]+(\/[a-z0-9-]+)*\.[a-z0-9-]+$/),
    title: z.string().min(1),
    publisher: z.string().min(1),
    url: z.string().optional(),
    states: z.array(z.string().length(2)),
    /** The FIPS codes that the rows can have. Empty when a column of the file has the county. */
    counties: z.array(z.string().regex(/^\d{5}$/)).default([]),
    /** Days between two issues. `platbook doctor` reports a source whose newest file is older. */
    everyDays: z.int().min(1),
    /**
     * The share of a file's rows (or of a set of files) that may be refused, from 0 to 1. With more, the file
     * fails.
     */
    refusedLimit: z.number().min(0).max(1).default(0.01),
    /** The weight of the source's phones and e-mails against those of other sources, from 0 to 1. */
    weight: z.number().min(0).max(1).default(0.5),
    /**
     * True when the publisher has one record per person, so that two records are never one person. A record that is
     * sent again counts as the same record.
     */
    isDuplicateFree: z.boolean().default(false),
    /** True when the source lists households or buildings, so that a shared address says little about two people. */
    isHouseholdLike: z.boolean().default(false),
    /** Limits of all kinds, in place of `DEFAULT_LIMITS`. A file outside the limits waits for the operator. */
    limits: LimitValues.partial().default({}),
    /**
     * Kinds that belong together. Their files are loaded, held for the operator, or refused together when the named
     * groups in their file names are equal.
     */
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
              message: `${file.kind}: ${column} is set by the loader: remove it`,
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

/** Returns the limits of a kind: its own, then those of the source, then the defaults. */
export function limitsOf(source: Pick<SourceDefinition, 'limits'>, kind: Pick<FileKind, 'limits'>): Limits {
  const columns = { ...source.limits.columns, ...kind.limits.columns }
  return LimitValues.parse({ ...DEFAULT_LIMITS, ...source.limits, ...kind.limits, columns })
}

/** Gives definitions in TypeScript their types. The values are checked when the definition is loaded. */
export function defineSource(source: SourceDefinitionInput): SourceDefinitionInput {
  return source
}
