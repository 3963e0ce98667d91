import { randomUUID } from 'node:crypto'
import type { Database } from '../state/database.ts'
import type { Clock } from '../clock.ts'
import { dayOf } from '../clock.ts'
import { insertRow } from '../state/rows.ts'
import { ALL_EVENT_TYPES } from './subscriptions.ts'

/** The county of a made-up event. */
export interface Jurisdiction {
  readonly county: string
  readonly state: string
  readonly fips_code: string
}

/** Made-up events of test notifications. They have the fields of real events and `"test": true`. */
export class TestEvents {
  readonly #db: Database
  readonly #now: Clock

  constructor(db: Database, now: Clock) {
    this.#db = db
    this.#now = now
  }

  /** Creates and stores a made-up event, so that its account can fetch it. */
  async create(
    account_id: string,
    event_type: string,
    jurisdiction: Jurisdiction,
  ): Promise<{ event_id: string; event_type: string }> {
    const event_id = randomUUID()
    const at = this.#now()
    const type = event_type === ALL_EVENT_TYPES ? 'deed.transfer' : event_type
    const document = JSON.stringify(madeUpEvent(event_id, type, jurisdiction, dayOf(at)))
    await insertRow(this.#db, 'test_events', { event_id, account_id, document, created_at: at.getTime() })
    return { event_id, event_type: type }
  }

  /** Returns the event as JSON; null when it does not exist or belongs to another account. */
  async find(account_id: string, event_id: string): Promise<string | null> {
    const row = await this.#db.get(
      'select document from test_events where event_id = ? and account_id = ?',
      event_id,
      account_id,
    )
    return row === undefined ? null : String(row['document'])
  }
}

function madeUpEvent(id: string, event_type: string, jurisdiction: Jurisdiction, day: string): object {
  const address = { line1: '1 Example St', city: 'Exampleville', state: jurisdiction.state, zip: '00000' }
  const full_address = `${address.line1}, ${address.city}, ${address.state} ${address.zip}`
  return {
    id,
    object: 'event',
    event_type,
    test: true,
    data: {
      jurisdiction,
      property: {
        property_id: 'R0000000000',
        property_address: { ...address, county: jurisdiction.county },
        apn: '000-000-000',
        parcel_id: null,
        geolocation: { lat: 0, lng: 0 },
        legal_description: { text: 'LOT 0 BLOCK 0 EXAMPLE SUBDIVISION' },
        bedrooms: 3,
        bathrooms: 2,
        living_sqft: 1_500,
        lot_sqft: 6_000,
        property_purpose: 'single_family',
      },
      parties: [
        {
          role: 'grantor',
          name: 'EXAMPLE SELLER LLC',
          type: 'llc',
          person_id: null,
          addresses: [{ full_address }],
        },
        { role: 'grantee', name: 'EXAMPLE BUYER', type: 'individual', person_id: null, addresses: [] },
      ],
      detail: {
        document_type: { category: 'deed', text: 'Test Deed' },
        recorded_date: day,
        instrument_date: day,
        consideration: 350_000,
        transaction_reason: { category: 'sale', text: 'a made-up event that tests a webhook' },
      },
    },
  }
}
