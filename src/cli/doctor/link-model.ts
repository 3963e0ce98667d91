import { AFTER_REFUSAL, LinkModels, refusalText } from '../../state/link-models.ts'
import type { DoctorContext, Finding } from './check.ts'

/** Reports which link model is in use, and checks whether the newest trained model was refused. */
export async function checkLinkModel({ state }: DoctorContext): Promise<Finding> {
  const last = state.db === null ? null : await new LinkModels(state.db).latest()
  if (last === null) return { fields: { linkModel: null }, lines: [], complaints: [] }
  const { trained_on, record_count, outcome, linked_by } = last
  const records = record_count.toLocaleString('en-US')
  const used = outcome === 'used' ? 'in use' : linked_by === 'last' ? 'refused, the previous model is in use' : 'refused, the default model is in use' // prettier-ignore
  return {
    fields: { linkModel: last },
    lines: [`link model trained on ${trained_on} with ${records} records: ${used}`],
    complaints: outcome === 'used' ? [] : [`${refusalText(last)}; run: ${AFTER_REFUSAL}`],
  }
}
