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
    property_id: PropertyId.nullable().describe('null where the parcel is on no assessment roll'),
    property_address: z.strictObject({
      line1: z.string().nullable(),
      city: z.string().nullable(),
      state: z.string(),
      zip: z.string().nullable(),
      county: z.string(),
    }),
    apn: z.string().nullable(),
    parcel_id: z.string().nullable().describe('the parcel as the document numbers it'),
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
    person_id: PersonId.nullable().describe('null where it is not sure who this is'),
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
        'the day on which the recorder recorded the document. Where only an assessor lists the sale: the first day of the month of the sale, whose day is not known. Where only two assessment rolls show a new owner: the date of the deed on the roll, else the date of the newer roll',
      ),
    instrument_date: z.iso.date().nullable(),
    consideration: z
      .number()
      .nullable()
      .describe('of the document; where it is one price for several parcels, with the first of them only'),
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
    is_void: z.literal(true).optional().describe('of a document that the recorder took back, and only there'),
    voided_date: z.iso.date().nullable().optional(),
  })
  .meta({ id: 'EventDetail' })

/** `GET /v1/events/{event_id}` */
export const DeedEvent = z
  .strictObject({
    id: Uuid,
    object: z.literal('event'),
    event_type: EventType,
    test: z.literal(true).optional().describe('of an invented event of a test notification, and only there'),
    data: z.strictObject({
      jurisdiction: Jurisdiction,
      property: EventProperty,
      parties: z.array(EventParty),
      detail: EventDetail,
    }),
  })
  .meta({ id: 'DeedEvent' })

/** `GET /v1/events/deed` */
export const EventSearchAnswer = z.strictObject({
  results: z.array(DeedEvent).max(100),
  pagination: z.strictObject({
    next_cursor: z.string().regex(CURSOR).optional().describe('absent on the last page'),
  }),
})
