import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { query } from '../warehouse/query.ts'

const Party = z.object({ role: z.string(), name: z.string().nullable(), person_id: z.string().nullable() })
const Event = z.object({
  event_id: z.string(),
  event_type: z.string(),
  document_text: z.string().nullable(),
  document_id: z.string(),
  county_name: z.string().nullable(),
  state: z.string().nullable(),
  apn: z.string().nullable(),
  property_id: z.string().nullable(),
  recorded_date: z.string().nullable(),
  recorded_date_precision: z.string().nullable(),
  transaction_reason: z.string(),
  transaction_reason_text: z.string().nullable(),
  told_by: z.string(),
  source_id: z.string().nullable(),
  file_name: z.string().nullable(),
  file_id: z.int().nullable(),
  line_number: z.int().nullable(),
  kind: z.string().nullable(),
  parties: z.array(Party),
})
export type ExplainedEvent = z.output<typeof Event>

/**
 * Returns the deed event with this id, the precision of its date, and the file and line that reported it.
 * @throws `unknown_id`
 */
export async function explainEvent(db: DuckDBConnection, event_id: string): Promise<ExplainedEvent> {
  const [event] = await query(
    db,
    `select events.* exclude (parties), files.kind,
       list_transform(
         events.parties,
         lambda party: {'role': party.role, 'name': party.name, 'person_id': party.person_id}
       ) as parties
     from published.deed_events as events
     left join ledger.files as files using (file_id)
     where events.event_id = $event_id`,
    Event,
    { event_id },
  )
  if (event !== undefined) return event
  throw new AppError('unknown_id', `the warehouse has no event ${event_id}: check the spelling of the id`)
}

/** Returns the lines that `platbook explain EVENT_ID` prints. */
export function eventLines(event: ExplainedEvent): string[] {
  const place = [event.county_name, event.state].filter((part) => part !== null).join(', ')
  return [
    `${event.event_id}  ${event.event_type}`,
    `  document   ${event.document_id}, ${event.document_text ?? 'no document type'}`,
    `  parcel     ${event.apn ?? 'none named'}${place === '' ? '' : `, ${place}`}${event.property_id === null ? '' : `, ${event.property_id}`}`,
    `  date       ${dateText(event)}`,
    `  reason     ${event.transaction_reason}: ${event.transaction_reason_text ?? ''}`,
    `  reported   by the ${event.told_by}: ${event.file_name ?? 'a file that is no longer in the ledger'}:${event.line_number ?? '?'} (${event.source_id ?? 'unknown source'})`,
    ...event.parties.map(
      ({ role, name, person_id }) =>
        `  ${role.padEnd(10)} ${name ?? ''}${person_id === null ? '' : `, ${person_id}`}`,
    ),
  ]
}

function dateText({ recorded_date, recorded_date_precision }: ExplainedEvent): string {
  if (recorded_date === null) return 'unknown'
  switch (recorded_date_precision) {
    case 'month':
      return `${recorded_date.slice(0, 7)}: only the month of the sale is known; published as ${recorded_date}`
    case 'roll':
      return `before ${recorded_date}: the day of the roll that first names the new owner`
    default:
      return recorded_date
  }
}
