import { z } from 'zod'
import { CURSOR } from '../../events/position.ts'
import { PersonId, Point, PropertyId } from './parts.ts'

const EventType = z.enum([
  'deed.transfer',
  'deed.quitclaim',
  'deed.foreclosure',
  'deed.correction',
  'deed.other',
])
const Fips = z.string().regex(/^\d{5}$/)
const Uuid = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

const Jurisdiction = z
  .strictObject({ county: z.string(), state: z.string(), fips_code: Fips })
  .meta({ id: 'EventJurisdiction' })

const EventProperty = z
  .strictObject({
    property_id: PropertyId.nullable().describe('Null when the parcel is on no assessment roll.'),
    property_address: z.strictObject({
      line1: z.string().nullable(),
      city: z.string().nullable(),
      state: z.string(),
      zip: z.string().nullable(),
      county: z.string(),
    }),
    apn: z.string().nullable(),
    parcel_id: z.string().nullable().describe('The parcel number that the document uses.'),
    geolocation: Point.nullable(),
    legal_description: z.strictObject({ text: z.string().nullable() }),
    bedrooms: z.number().nullable(),
    bathrooms: z.number().nullable(),
    living_sqft: z.number().nullable(),
    lot_sqft: z.number().nullable(),
    property_purpose: z.string().nullable(),
  })
  .meta({ id: 'EventProperty' })

const EventParty = z
  .strictObject({
    role: z.enum(['grantor', 'grantee', 'other']),
    name: z.string(),
    type: z.enum([
      'individual',
      'llc',
      'corporation',
      'trust',
      'partnership',
      'bank',
      'government',
      'association',
      'estate',
      'entity',
    ]),
    person_id: PersonId.nullable().describe(
      'Null when the party cannot be matched to a person with certainty.',
    ),
    addresses: z.array(z.strictObject({ full_address: z.string() })),
  })
  .meta({ id: 'EventParty' })

const EventDetail = z
  .strictObject({
    document_type: z.strictObject({ category: z.literal('deed'), text: z.string().nullable() }),
    recorded_date: z.iso
      .date()
      .nullable()
      .describe(
        'The day on which the recorder recorded the document. When only an assessor reports the sale: the first day of the month of the sale. When only two assessment rolls show the change of owner: the date of the deed on the newer roll, or else the date of that roll.',
      ),
    instrument_date: z.iso.date().nullable(),
    consideration: z
      .number()
      .nullable()
      .describe(
        'The price in the document. When one price covers several parcels, only the event of the first parcel has it.',
      ),
    transaction_reason: z.strictObject({
      category: z.enum([
        'sale',
        'gift',
        'foreclosure',
        'estate',
        'correction',
        'government',
        'nominal',
        'unknown',
      ]),
      text: z.string(),
    }),
    is_void: z.literal(true).optional().describe('Present only when the recorder has voided the document.'),
    voided_date: z.iso.date().nullable().optional(),
  })
  .meta({ id: 'EventDetail' })

/** Response of `GET /v1/events/{event_id}`. */
export const DeedEvent = z
  .strictObject({
    id: Uuid,
    object: z.literal('event'),
    event_type: EventType,
    test: z.literal(true).optional().describe('Present only in the made-up events of test notifications.'),
    data: z.strictObject({
      jurisdiction: Jurisdiction,
      property: EventProperty,
      parties: z.array(EventParty),
      detail: EventDetail,
    }),
  })
  .meta({ id: 'DeedEvent' })

/** Response of `GET /v1/events/deed`. */
export const EventSearchResponse = z.strictObject({
  results: z.array(DeedEvent).max(100),
  pagination: z.strictObject({
    next_cursor: z
      .string()
      .regex(CURSOR)
      .optional()
      .describe('The cursor of the next page. Absent on the last page.'),
  }),
})
