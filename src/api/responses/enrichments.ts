import { z } from 'zod'
import { JOB_STATUSES } from '../../enrich/jobs/jobs.ts'
import { PersonId, PropertyId } from './parts.ts'

// `suppressed`: the caller's own suppression list has the row or its person. People on the operator's list are `no_match`.
const Status = z.enum(['matched', 'ambiguous', 'no_match', 'invalid', 'suppressed'])

/** One row of an input file with its match. */
export const EnrichedRow = z
  .strictObject({
    row: z.int().min(1).describe('The number of the row in the input file, from 1.'),
    key: z.string().nullable().describe('The value of the column `key` in this row.'),
    match_rank: z
      .int()
      .min(1)
      .max(10)
      .describe('1 for the best candidate. Higher ranks only appear with `top`.'),
    match_status: Status.describe(
      '`matched`: one person is likely enough. `ambiguous`: several people are similarly likely. `invalid`: the row has too little to search by. `suppressed`: your own suppression list has the row or its person.',
    ),
    match_probability: z
      .number()
      .min(0.01)
      .max(0.99)
      .nullable()
      .describe('The probability that the row means this person, from 0.01 to 0.99 with two decimals.'),
    matched_by: z.array(z.enum(['name', 'phone', 'email', 'address', 'age', 'id'])),
    reason: z.string().describe('Why the row matched or not, in a short sentence.'),
    person_id: PersonId.nullable(),
    person_name: z.string().nullable(),
    property_id: PropertyId.nullable(),
    duplicate_of: z
      .int()
      .nullable()
      .describe(
        'With `dedupe`: the number of the earlier row that matched the same person. This row is not billed.',
      ),
    data: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .nullable()
      .describe('The columns of the chosen `fields`. Null unless `match_status` is `matched`.'),
  })
  .meta({ id: 'EnrichedRow' })

/** Response of `POST /v1/enrichments` for an input file that is answered directly. */
export const EnrichmentResponse = z.strictObject({
  results: z.array(EnrichedRow).max(10_000).describe('Empty with `dry_run` and `count_only`.'),
  metadata: z.strictObject({
    rows: z.int().min(0),
    matched: z.int().min(0),
    statuses: z.strictObject({
      matched: z.int(),
      ambiguous: z.int(),
      no_match: z.int(),
      invalid: z.int(),
      suppressed: z.int(),
    }),
    billable: z
      .int()
      .min(0)
      .describe('The number of rows that the input file costs, or would cost without `dry_run`.'),
    duplicates: z.int().min(0),
    billed: z.int().min(0).describe('The number of rows billed for this response. 0 for test and demo keys.'),
    rejected: z.array(z.strictObject({ row: z.int(), line: z.int(), reason: z.string() })),
    columns: z.array(z.strictObject({ column: z.string(), field: z.string() })),
  }),
})

const Enrichment = z
  .strictObject({
    id: z.string().regex(/^enr_[0-9A-Za-z]{22}$/),
    status: z.enum(JOB_STATUSES),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    expires_at: z.iso
      .datetime()
      .nullable()
      .describe('The time at which the job and its result are removed. Null until the job has ended.'),
    share_done: z
      .number()
      .min(0)
      .max(1)
      .describe('The share of the job that is done: 0 before the first lookup, 1 at the end.'),
    rows_done: z.int(),
    rows_per_second: z.int().nullable().describe('Null before the first lookup.'),
    rows: z.int().nullable(),
    matched: z.int().nullable(),
    ambiguous: z.int().nullable(),
    billable: z
      .int()
      .nullable()
      .describe('The number of rows that the input file costs, or would cost without `dry_run`.'),
    duplicates: z.int().nullable(),
    billed: z
      .int()
      .nullable()
      .describe('The number of billed rows. 0 for dry runs and for test and demo keys.'),
    rejected: z.int().nullable(),
    failure: z.string().nullable(),
    result_url: z
      .string()
      .regex(/^\/v1\/enrichments\/enr_[0-9A-Za-z]{22}\/result$/)
      .nullable(),
    rejected_url: z
      .string()
      .regex(/^\/v1\/enrichments\/enr_[0-9A-Za-z]{22}\/rejected$/)
      .nullable()
      .describe('The path of the rows that could not be read. Null when every row could be read.'),
  })
  .meta({ id: 'Enrichment' })

/** An enrichment in the background. */
export const EnrichmentJobResponse = z.strictObject({ result: Enrichment })

/** A page of an account's background enrichments, newest first. */
export const EnrichmentsResponse = z.strictObject({
  results: z.array(Enrichment).max(100),
  next_cursor: z.string().nullable().describe('The `cursor` of the next page. Null on the last page.'),
})
