import type { Records } from '../records/records.ts'
import { type FrequencyWeights, frequencyWeights, type TermSource } from './frequencies.ts'
import type { LinkModel } from './model.ts'
import { type LevelWeights, levelWeights } from './weights.ts'

/** A model prepared to score pairs of certain records. All arrays are in shared memory. */
export interface AppliedModel {
  readonly records: Records
  readonly weights: LevelWeights
  readonly frequencies: FrequencyWeights
}

/**
 * Prepares a model for some records. `terms` has the number of records per value, as counted when the model was
 * trained.
 */
export function applyModel(records: Records, terms: TermSource, model: LinkModel): AppliedModel {
  return {
    records,
    weights: levelWeights(model, records.attributes),
    frequencies: frequencyWeights(records, terms, model),
  }
}
