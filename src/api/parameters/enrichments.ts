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
      `must be of ${values.join(', ')}, with commas between`,
    )
    .transform((all) => values.filter((one) => all.includes(one)))
    .meta({
      type: 'array',
      items: { type: 'string', enum: [...values] },
      description: `${what}, with commas between`,
    })

const MOST_ROWS = 1_000_000_000

const ListOptions = knownParameters({
  fields: list(FIELDS, 'What to add to matched rows').exactOptional(),
  require: list(REQUIREMENTS, 'What a match must have').exactOptional(),
  min_score: z
    .string({ error: once })
    .regex(/^\d{1,2}$/, 'must be a whole number from 1 to 99')
    .transform(Number)
    .refine((score) => score >= 1, 'must be a whole number from 1 to 99')
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: 99,
      description: 'The least `match_probability` of a matched row, in percent; 50 by default',
    })
    .exactOptional(),
  map: z
    .string({ error: once })
    .max(4_000)
    .meta({
      description:
        'What columns are, as `Column=field`, with commas between; `Column=-` for a column not to use',
    })
    .exactOptional(),
  no_header: Flag.describe(
    'No line of the list names its columns: they are `column1`, `column2` and so on',
  ).exactOptional(),
  skip_lines: number(INTEGER, 'a whole number', 0, MOST_SKIPPED)
    .describe('Lines above the header, which are not read')
    .exactOptional(),
  limit: number(INTEGER, 'a whole number', 1, MOST_ROWS)
    .describe('Only so many of the first rows are read')
    .exactOptional(),
  max_billable: number(INTEGER, 'a whole number', 0, MOST_ROWS)
    .describe('Behind so many billed rows no row is looked up')
    .exactOptional(),
  dedupe: Flag.describe(
    'A person whom an earlier row was matched to is not billed again; `duplicate_of` has the earlier row',
  ).exactOptional(),
  top: number(INTEGER, 'a whole number', 1, 10)
    .describe('How many of the people whom a row may mean are returned, best first; 1 by default')
    .exactOptional(),
  notify: z
    .string({ error: once })
    .regex(/^wh_[0-9A-Za-z]{22}$/, 'must be the id of a webhook')
    .meta({
      description:
        'A webhook of the account that is notified (`enrichment.finished`) once a list in the background is done, has failed or was cancelled',
    })
    .exactOptional(),
  dry_run: Flag.describe(
    'Rows are looked up and counted, but not returned and not billed: `metadata.billable` is what the list would cost',
  ).exactOptional(),
  count_only: Flag.describe(
    'Rows are counted and columns recognised, but nobody is looked up and nothing is billed',
  ).exactOptional(),
})

export const ONE_ANSWER = 'goes with one answer a row: leave out top'

export function isOneAnswer({ dedupe, top }: { dedupe?: boolean; top?: number }): boolean {
  return dedupe !== true || (top ?? 1) === 1
}

/** Parameters of `POST /v1/enrichments`, beside the list. */
export const EnrichmentOptions = ListOptions.refine(isOneAnswer, { path: ['dedupe'], error: ONE_ANSWER })

const File = z.string().meta({ format: 'binary' })

/** The parts of a multipart body of `POST /v1/enrichments`: files, and parameters in place of the query's. */
export const EnrichmentParts = z
  .strictObject({
    list: File.describe('The list, in any of the other content types'),
    suppress: File.describe(
      'People who are not to come out: a list of person ids, phones, e-mails or addresses of up to 4 MiB',
    ).exactOptional(),
    ...ListOptions.shape,
  })
  .meta({ id: 'EnrichmentParts' })

/** Headers of `POST /v1/enrichments`. */
export const EnrichmentHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .regex(IDEMPOTENCY_KEY)
    .meta({
      description:
        'With it a repeated request gets the first answer, and is billed once: for 24 hours, with the same list and options',
    })
    .exactOptional(),
  Prefer: z
    .string()
    .meta({ description: '`respond-async`: the list is enriched in the background, however short it is' })
    .exactOptional(),
})

/** Parameters of `GET /v1/enrichments`. */
export const EnrichmentFilter = knownParameters({
  status: z.enum(JOB_STATUSES, { error: `must be one of ${JOB_STATUSES.join(', ')}` }).exactOptional(),
  limit: number(INTEGER, 'a whole number', 1, 100).describe('Lists on a page; 20 by default').exactOptional(),
  cursor: z
    .string({ error: once })
    .regex(/^\d{1,15}_enr_[0-9A-Za-z]{22}$/, 'must be the next_cursor of a page')
    .exactOptional(),
})

/** Parameters of CSV results and of rejected rows. */
export const CsvOptions = z.object({
  safe_cells: Flag.meta({
    description:
      'CSV only, true by default: an apostrophe stands before cells that a spreadsheet may take for a formula, those that begin with = + - @, a tab or a line end. Signed numbers and phones such as -12.50 and +1 512 555 0101 stay as they are. Lists with such cells can be sent again: the apostrophe is not part of the value.',
  }).exactOptional(),
})

export const EnrichmentPath = z.object({
  id: z.string().regex(/^enr_[0-9A-Za-z]{22}$/, 'an enrichment id is enr_ followed by 22 letters and digits'),
})
