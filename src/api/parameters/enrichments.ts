import { z } from 'zod'
import { FIELDS, REQUIREMENTS } from '../../enrich/match/fields.ts'
import { JOB_STATUSES } from '../../enrich/jobs/jobs.ts'
import { MOST_SKIPPED } from '../../enrich/read/read-input.ts'
import { IDEMPOTENCY_KEY } from '../idempotency.ts'
import { Flag, INTEGER, knownParameters, number, once } from './fields.ts'

const list = <T extends string>(values: readonly T[], what: string) =>
  z
    .string({ error: once })
    .transform((text) =>
      text
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== ''),
    ) // prettier-ignore
    .refine(
      (all) => all.every((one) => values.includes(one as T)),
      `must be a comma-separated list of ${values.join(', ')}`,
    )
    .transform((all) => values.filter((one) => all.includes(one)))
    .meta({
      type: 'array',
      items: { type: 'string', enum: [...values] },
      description: `${what}, as a comma-separated list.`,
    })

const MOST_ROWS = 1_000_000_000

const InputOptions = knownParameters({
  fields: list(FIELDS, 'Groups of columns that are added to matched rows').exactOptional(),
  require: list(REQUIREMENTS, 'Details that a person must have to count as a match').exactOptional(),
  min_score: z
    .string({ error: once })
    .regex(/^\d{1,2}$/, 'must be a whole number from 1 to 99')
    .transform(Number)
    .refine((score) => score >= 1, 'must be a whole number from 1 to 99')
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: 99,
      description:
        'The lowest `match_probability`, in percent, with which a row counts as matched. 50 by default.',
    })
    .exactOptional(),
  map: z
    .string({ error: once })
    .max(4_000)
    .meta({
      description:
        'The meaning of columns, as comma-separated entries `Column=field`. `Column=-` leaves a column unused.',
    })
    .exactOptional(),
  no_header: Flag.describe(
    'The input file has no header line. Its columns are named `column1`, `column2` and so on.',
  ).exactOptional(),
  skip_lines: number(INTEGER, 'a whole number', 0, MOST_SKIPPED)
    .describe('The number of lines above the header. They are not read.')
    .exactOptional(),
  limit: number(INTEGER, 'a whole number', 1, MOST_ROWS)
    .describe('The number of rows to read, from the start of the input file.')
    .exactOptional(),
  max_billable: number(INTEGER, 'a whole number', 0, MOST_ROWS)
    .describe('The highest number of rows to bill. After that many billed rows, no further row is looked up.')
    .exactOptional(),
  dedupe: Flag.describe(
    'Bills each person once. A later row that matches the same person names the earlier row in `duplicate_of`.',
  ).exactOptional(),
  top: number(INTEGER, 'a whole number', 1, 10)
    .describe('The highest number of candidate people returned for a row, best first. 1 by default.')
    .exactOptional(),
  notify: z
    .string({ error: once })
    .regex(/^wh_[0-9A-Za-z]{22}$/, 'must be the id of a webhook')
    .meta({
      description:
        'The id of a webhook of the account. It is notified (`enrichment.finished`) when the background job is done, has failed or was cancelled.',
    })
    .exactOptional(),
  dry_run: Flag.describe(
    'Looks the rows up and counts them, but returns and bills none. `metadata.billable` is the number of rows that the input file would cost.',
  ).exactOptional(),
  count_only: Flag.describe(
    'Counts the rows and recognises the columns. No row is looked up and nothing is billed.',
  ).exactOptional(),
})

export const ONE_RESULT =
  'cannot be combined with top above 1, because dedupe needs one result per row: leave out top'

export function isOneResult({ dedupe, top }: { dedupe?: boolean; top?: number }): boolean {
  return dedupe !== true || (top ?? 1) === 1
}

/** Query of `POST /v1/enrichments`. */
export const EnrichmentOptions = InputOptions.refine(isOneResult, { path: ['dedupe'], error: ONE_RESULT })

const File = z.string().meta({ format: 'binary' })

/** Parts of a multipart body of `POST /v1/enrichments`: files, and the parameters of the query. */
export const EnrichmentParts = z
  .strictObject({
    list: File.describe('The input file, in any of the other content types of this operation.'),
    suppress: File.describe(
      'Your own suppression list: person ids, phones, e-mails or addresses of people to leave out. At most 4 MiB.',
    ).exactOptional(),
    ...InputOptions.shape,
  })
  .meta({ id: 'EnrichmentParts' })

/** Headers of `POST /v1/enrichments`. */
export const EnrichmentHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .regex(IDEMPOTENCY_KEY)
    .meta({
      description:
        'Makes the request safe to repeat. For 24 hours, a request with the same key, input file and options returns the first response again and is not billed again.',
    })
    .exactOptional(),
  Prefer: z
    .string()
    .meta({ description: '`respond-async` enriches the input file in the background, even if it is short.' })
    .exactOptional(),
})

/** Query of `GET /v1/enrichments`. */
export const EnrichmentFilter = knownParameters({
  status: z.enum(JOB_STATUSES, { error: `must be one of ${JOB_STATUSES.join(', ')}` }).exactOptional(),
  limit: number(INTEGER, 'a whole number', 1, 100)
    .describe('The number of jobs on a page. 20 by default.')
    .exactOptional(),
  cursor: z
    .string({ error: once })
    .regex(/^\d{1,15}_enr_[0-9A-Za-z]{22}$/, 'must be the next_cursor of an earlier page')
    .exactOptional(),
})

/** Query of the downloads of results and rejected rows. */
export const CsvOptions = z.object({
  safe_cells: Flag.meta({
    description:
      'For CSV only; true by default. Puts an apostrophe before cells that a spreadsheet may read as a formula: cells that begin with = + - @, a tab or a line break. Signed numbers and phones, such as -12.50 and +1 512 555 0101, are not changed. A file with such apostrophes can be sent as input: they are not read as part of the value.',
  }).exactOptional(),
})

export const EnrichmentPath = z.object({
  id: z.string().regex(/^enr_[0-9A-Za-z]{22}$/, 'an enrichment id is enr_ followed by 22 letters and digits'),
})
