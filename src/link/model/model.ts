import { z } from 'zod'
import { AppError, messageOf } from '../../errors.ts'
import { parseJson } from '../../json-places.ts'

const Level = z.strictObject({
  level: z.string(),
  /**
   * Shares of pairs at this level. `m`: among pairs of one person. `u`: among unrelated pairs. `household`: among
   * pairs of two people of one household.
   */
  m: z.number(),
  u: z.number(),
  /**
   * Standard error of `u`, estimated from random pairs; 0 where `u` comes from value frequencies. Missing in older
   * model files.
   */
  u_error: z.number().optional(),
  household: z.number().nullable(),
  /**
   * `u` among strangers who share the last name, the first name, or both. Missing where equal names make no
   * difference.
   */
  u_by_names: z.strictObject({ last: z.number(), first: z.number(), both: z.number() }).optional(),
})

/**
 * A trained model, which later runs reuse: the content of `link-model.json`. The frequencies of values are in a file
 * beside it.
 */
export const LinkModel = z.strictObject({
  version: z.literal(1),
  /** True for the default model of Platbook, which was not trained on the records. */
  is_default: z.boolean().optional(),
  trained_on: z.string(),
  record_count: z.number().int(),
  /** Probability that two random records are one person, and that they are two people of one household. */
  match_probability: z.number(),
  household_probability: z.number(),
  /** Blocks with more records are split or dropped. */
  block_limit: z.number().int(),
  attributes: z.array(z.strictObject({ kind: z.string(), isIdentifier: z.boolean() })),
  /**
   * Chance that two records of different people agree exactly, by field. Frequency weights compare the frequency of a
   * value with this chance.
   */
  agreements: z.record(z.string(), z.number()),
  /** Expected duplicates, by field: the mean number of other records of the same person that have the same value. */
  own_records: z.record(z.string(), z.number()),
  /**
   * Traits that strangers share more often when they agree in another comparison, with the share that agrees then;
   * see `repeats.ts`.
   */
  repeats: z
    .array(z.strictObject({ comparison: z.string(), of: z.string(), agreement: z.number() }))
    .default([]),
  /** Number of people with 1, 2, 3 … records, counted on a sample. Empty in older model files. */
  people_by_records: z.array(z.int()).default([]),
  /** Number of records that have a value, by field. */
  totals: z.record(z.string(), z.number()),
  comparisons: z.array(z.strictObject({ comparison: z.string(), levels: z.array(Level) })),
})
export type LinkModel = z.output<typeof LinkModel>

/**
 * Parses the text of a model. `file` names its source in errors.
 * @throws `bad_config` with the file and the first fault.
 */
export function parseModel(text: string, file = 'the link model of the warehouse'): LinkModel {
  let json: unknown
  try {
    json = parseJson(text, file, 'bad_config')
  } catch (cause) {
    throw new AppError('bad_config', `${file} is damaged (${messageOf(cause)}): ${NEXT}`, { cause })
  }
  const result = LinkModel.safeParse(json)
  if (result.success) return result.data
  throw new AppError('bad_config', `${file} is not a link model:\n${z.prettifyError(result.error)}\n${NEXT}`)
}

const NEXT =
  'put the file back, or learn a new model with `platbook link --train` (person ids may change then)'
