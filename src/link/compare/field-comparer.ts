import type { Records } from '../records/records.ts'
import type { TextLikeness } from './text-likeness.ts'

/** What two records were found to have in common. */
export interface Agreement {
  /** The level of each comparison, 0 where either side does not know. */
  readonly levels: Uint8Array
  /** The text on which they agree where the weight depends on its frequency, else 0. */
  readonly agreed: Int32Array
}

/** What compares some fields of two records, and writes down what it finds. */
export abstract class FieldComparer implements Agreement {
  readonly levels: Uint8Array
  readonly agreed: Int32Array
  protected readonly records: Records
  protected readonly likeness: TextLikeness

  constructor(records: Records, likeness: TextLikeness, { levels, agreed }: Agreement) {
    this.records = records
    this.likeness = likeness
    this.levels = levels
    this.agreed = agreed
  }

  protected set(comparison: number, level: number, agreed: number): void {
    this.levels[comparison] = level
    this.agreed[comparison] = agreed
  }

  // Of several agreed texts one must be named: by hash, so that the choice does not depend on numbers given by arrival.
  protected before(a: number, b: number): boolean {
    const { hash } = this.records.texts
    return hash[a]! < hash[b]!
  }

  protected chosen(a: number, b: number): number {
    return this.before(a, b) ? a : b
  }
}
