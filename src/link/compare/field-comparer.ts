import type { Records } from '../records/records.ts'
import type { TextSimilarity } from './text-similarity.ts'

/** The result of comparing two records. */
export interface Agreement {
  /** Level of each comparison, by its index in `AT` (`levels.ts`). 0 when one of the records has no value. */
  readonly levels: Uint8Array
  /** Text id of the value on which the records agree, for levels whose weight depends on the value's frequency; else 0. */
  readonly agreed: Int32Array
}

/** Compares some fields of two records and writes the result into two arrays, which the comparers of all fields share. */
export abstract class FieldComparer implements Agreement {
  readonly levels: Uint8Array
  readonly agreed: Int32Array
  protected readonly records: Records
  protected readonly similarity: TextSimilarity

  constructor(records: Records, similarity: TextSimilarity, { levels, agreed }: Agreement) {
    this.records = records
    this.similarity = similarity
    this.levels = levels
    this.agreed = agreed
  }

  protected set(comparison: number, level: number, agreed: number): void {
    this.levels[comparison] = level
    this.agreed[comparison] = agreed
  }

  // Returns whether text `a` is chosen over text `b` as the agreed value. The hash decides, because text ids differ from run to run.
  protected before(a: number, b: number): boolean {
    const { hash } = this.records.texts
    return hash[a]! < hash[b]!
  }

  protected chosen(a: number, b: number): number {
    return this.before(a, b) ? a : b
  }
}
