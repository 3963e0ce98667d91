import { z } from 'zod'
import { AppError, messageOf } from '../../errors.ts'
import { parseJson } from '../../json-places.ts'

const Level = z.strictObject({
  level: z.string(),
  /** Share of true matches, of random pairs, and of pairs of one household at this level. */
  m: z.number(),
  u: z.number(),
  /** Standard error of u where pairs drawn at random say it; 0 where the values' own counts do. Models of before don't tell. */
  u_error: z.number().optional(),
  household: z.number().nullable(),
  /** The same as u among strangers who share the last name, the first name, or both, where that makes a difference. */
  u_by_names: z.strictObject({ last: z.number(), first: z.number(), both: z.number() }).optional(),
})

/** What is learned once and used by every later run: `link-model.json`. Frequencies of values stand beside it. */
export const LinkModel = z.strictObject({
  version: z.literal(1),
  /** True for the model that ships with Platbook, which was not learned from records. */
  is_default: z.boolean().optional(),
  trained_on: z.string(),
  record_count: z.number().int(),
  /** Of two random records: chance to be one person; chance to be of one household without being one person. */
  match_probability: z.number(),
  household_probability: z.number(),
  /** Blocks above this many records are split or dropped. */
  block_limit: z.number().int(),
  attributes: z.array(z.strictObject({ kind: z.string(), isIdentifier: z.boolean() })),
  /** Chance that two random records agree exactly, by field: what frequency weights are taken against. */
  agreements: z.record(z.string(), z.number()),
  /** Other records of a record's own person that have the same value, on average, by field. */
  own_records: z.record(z.string(), z.number()),
  /** Traits of which strangers agree more often where they agree in another comparison, and how often then: see `repeats.ts`. */
  repeats: z
    .array(z.strictObject({ comparison: z.string(), of: z.string(), agreement: z.number() }))
    .default([]),
  /** How many people have 1, 2, 3 … records, counted on a sample; none in a model that was trained before they were counted. */
  people_by_records: z.array(z.int()).default([]),
  /** How many records have each field. */
  totals: z.record(z.string(), z.number()),
  comparisons: z.array(z.strictObject({ comparison: z.string(), levels: z.array(Level) })),
})
export type LinkModel = z.output<typeof LinkModel>

/** Reads the text of a model, which stands in `file`. @throws `bad_config` that names the file and the first fault. */
export function parseModel(text: string, file = 'the link model of the warehouse'): LinkModel {
  let json: unknown
  try {
    json = parseJson(text, file, 'bad_config')
  } catch (cause) {
    throw new AppError('bad_config', `${file} is damaged (${messageOf(cause)}): ${NEXT}`, { cause })
  }
  const result = LinkModel.safeParse(json)
  if (result.success) return result.data
  throw new AppError('bad_config', `${file} is no link model:\n${z.prettifyError(result.error)}\n${NEXT}`)
}

const NEXT =
  'put the file back, or learn a new model with `platbook link --train` (person ids may change then)'
