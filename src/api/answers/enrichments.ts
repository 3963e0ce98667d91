import { z } from 'zod'
import { PersonId, PropertyId } from './parts.ts'

const Status = z.enum(['matched', 'ambiguous', 'no_match', 'invalid', 'suppressed'])

/** One row of a list with what was found. */
export const EnrichedRow = z
  .strictObject({
    row: z.int().min(1).describe('its number in the list'),
    key: z.string().nullable().describe('what the row has in its column `key`'),
    match_status: Status,
    match_score: z
      .int()
      .min(1)
      .max(99)
      .nullable()
      .describe('how many of a hundred rows like this one mean this person'),
    matched_by: z.array(z.enum(['name', 'phone', 'email', 'address', 'age', 'id'])),
    reason: z.string(),
    person_id: PersonId.nullable(),
    person_name: z.string().nullable(),
    property_id: PropertyId.nullable(),
    data: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .nullable()
      .describe('the columns of the chosen fields; null unless the row is matched'),
  })
  .meta({ id: 'EnrichedRow' })

/** `POST /v1/enrichments`, answered at once. */
export const EnrichmentAnswer = z.strictObject({
  results: z.array(EnrichedRow).max(1_000),
  metadata: z.strictObject({
    rows: z.int().min(0),
    matched: z.int().min(0),
    billed: z.int().min(0),
    rejected: z.array(z.strictObject({ row: z.int(), line: z.int(), reason: z.string() })),
    columns: z.array(z.strictObject({ column: z.string(), field: z.string() })),
  }),
})

/** A list that is enriched in the background. */
export const EnrichmentJobAnswer = z.strictObject({
  result: z
    .strictObject({
      id: z.string().regex(/^enr_[0-9A-Za-z]{22}$/),
      status: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
      created_at: z.iso.datetime(),
      finished_at: z.iso.datetime().nullable(),
      expires_at: z.iso
        .datetime()
        .nullable()
        .describe('until when it can be asked for; null until it has ended'),
      rows: z.int().nullable(),
      matched: z.int().nullable(),
      ambiguous: z.int().nullable(),
      billed: z.int().nullable(),
      rejected: z.int().nullable(),
      failure: z.string().nullable(),
      result_url: z.string().nullable(),
      rejected_url: z
        .string()
        .nullable()
        .describe('where the rows are that could not be read; null when there are none'),
    })
    .meta({ id: 'Enrichment' }),
})
