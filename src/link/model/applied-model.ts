import type { Records } from '../records/records.ts'
import { type FrequencyWeights, frequencyWeights, type TermSource } from './frequencies.ts'
import type { LinkModel } from './model.ts'
import { type LevelWeights, levelWeights } from './weights.ts'

/** A model, ready to score pairs of these records. All arrays are shared memory. */
export interface AppliedModel {
  readonly records: Records
  readonly weights: LevelWeights
  readonly frequencies: FrequencyWeights
}

/** Applies a model to records. `terms`: how many records have each value, as the model's training counted them. */
export function applyModel(records: Records, terms: TermSource, model: LinkModel): AppliedModel {
  return {
    records,
    weights: levelWeights(model, records.attributes),
    frequencies: frequencyWeights(records, terms, model),
  }
}
