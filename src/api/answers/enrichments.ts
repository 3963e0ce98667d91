import { z } from 'zod'
import { JOB_STATUSES } from '../../enrich/jobs/jobs.ts'
import { PersonId, PropertyId } from './parts.ts'

// Suppressed is what the caller's own list names; people on the operator's list are like people who are not known.
const Status = z.enum(['matched', 'ambiguous', 'no_match', 'invalid', 'suppressed'])

/** One row of a list with what was found. */
export const EnrichedRow = z
  .strictObject({
    row: z.int().min(1).describe('its number in the list'),
    key: z.string().nullable().describe('what the row has in its column `key`'),
    match_rank: z.int().min(1).max(10).describe('1 for the best; more with `top`'),
    match_status: Status,
    match_probability: z
      .number()
      .min(0.01)
      .max(0.99)
      .nullable()
      .describe('the share of rows like this one that mean this person; two decimals'),
    matched_by: z.array(z.enum(['name', 'phone', 'email', 'address', 'age', 'id'])),
    reason: z.string(),
    person_id: PersonId.nullable(),
    person_name: z.string().nullable(),
    property_id: PropertyId.nullable(),
    duplicate_of: z
      .int()
      .nullable()
      .describe('with `dedupe`, the earlier row that means the same person: this one is not billed'),
    data: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .nullable()
      .describe('the columns of the chosen fields; null unless the row is matched'),
  })
  .meta({ id: 'EnrichedRow' })

/** `POST /v1/enrichments`, answered at once. */
export const EnrichmentAnswer = z.strictObject({
  results: z.array(EnrichedRow).max(10_000).describe('empty with `dry_run` and `count_only`'),
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
    billable: z.int().min(0).describe('rows that the list costs, or would cost without `dry_run`'),
    duplicates: z.int().min(0),
    billed: z.int().min(0).describe('rows that this answer is billed for; 0 for test and demo keys'),
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
      .describe('until when it can be asked for; null until it has ended'),
    share_done: z.number().min(0).max(1).describe('0 until rows are looked up, 1 when it is done'),
    rows_done: z.int(),
    rows_per_second: z.int().nullable().describe('null until rows are looked up'),
    rows: z.int().nullable(),
    matched: z.int().nullable(),
    ambiguous: z.int().nullable(),
    billable: z.int().nullable().describe('rows that the list costs, or would cost without `dry_run`'),
    duplicates: z.int().nullable(),
    billed: z.int().nullable().describe('0 for dry runs, and for test and demo keys'),
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
      .describe('where the rows are that could not be read; null when there are none'),
  })
  .meta({ id: 'Enrichment' })

/** A list that is enriched in the background. */
export const EnrichmentJobAnswer = z.strictObject({ result: Enrichment })

/** A page of an account's lists, newest first. */
export const EnrichmentsAnswer = z.strictObject({
  results: z.array(Enrichment).max(100),
  next_cursor: z.string().nullable().describe('the `cursor` of the next page; null on the last'),
})
