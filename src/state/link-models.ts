import type { Database } from './database.ts'
import { z } from 'zod'
import { insertRow, readRow } from './rows.ts'

const Row = z.object({
  decided_at: z.string(),
  trained_on: z.string(),
  record_count: z.int(),
  outcome: z.enum(['used', 'refused']),
  linked_by: z.enum(['learned', 'last', 'default']),
  faults: z.string().transform((text): readonly string[] => z.array(z.string()).parse(JSON.parse(text))),
})
/** A link model that a run learned. `linked_by`: the model that links records since then (the learned, the last or the default one). */
export type LinkModelDecision = Readonly<z.output<typeof Row>>

/** The learned link models, with the reasons for the refused ones. */
export class LinkModels {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async record(decision: Omit<LinkModelDecision, 'decided_at'>, at: Date): Promise<void> {
    const faults = JSON.stringify(decision.faults)
    await insertRow(this.#db, 'link_models', { ...decision, decided_at: at.toISOString(), faults })
  }

  /** Returns the newest decision; null when no model was ever learned. */
  async latest(): Promise<LinkModelDecision | null> {
    return readRow(this.#db, Row, 'select * from link_models order by model_id desc limit 1')
  }
}

/** Describes a refused model in one sentence, without the command to run next. */
export function refusalText({
  trained_on,
  record_count,
  linked_by,
  faults,
}: Omit<LinkModelDecision, 'decided_at'>): string {
  const instead = linked_by === 'last' ? 'the model used before' : 'the default model of Platbook, which finds fewer pairs' // prettier-ignore
  return `the link model trained on ${trained_on} with ${record_count.toLocaleString('en-US')} records was refused: ${faults.join('; ')}; records are linked with ${instead}`
}

/** The command that the operator runs after a refused model. */
export const AFTER_REFUSAL =
  'platbook link --train, after you correct the named columns in the source definition or in the files; --train --accept uses the trained model anyway'
