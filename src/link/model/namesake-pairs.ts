import { type Records, SLOT } from '../records/records.ts'
import { shuffled } from './random-pairs.ts'
import { type DrawnPairs, drawSharing, joinedPairs } from './sharing-pairs.ts'

/**
 * Number of pairs to draw among records that share the last name; likewise for the first name, and for both names.
 */
const PAIRS_OF_EACH = 200_000

/** Draws pairs of records that share the last name, the first name, or both. */
export function drawNamesakes(records: Records): DrawnPairs {
  const order = shuffled(records)
  const { rows, width } = records
  const slots: readonly (readonly number[])[] = [[SLOT.last], [SLOT.first], [SLOT.first, SLOT.last]]
  return joinedPairs(
    slots.map((fields) =>
      drawSharing(records, order, PAIRS_OF_EACH, (i) =>
        fields.some((field) => rows[i * width + field] === 0)
          ? 0
          : // Text numbers are below 2^26, so each pair of names has its own sum.
            fields.reduce((sum, field) => sum * 2 ** 26 + rows[i * width + field]!, 0),
      ),
    ),
  )
}
