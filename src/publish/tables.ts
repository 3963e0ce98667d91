/**
 * The contract of a snapshot: `sql/publish/<table>.sql` builds exactly these columns in this order, and
 * `tables/<table>.parquet` holds them. The lookup index is built from these tables only. Dates are `date`; a
 * birth date is text because a part of it may be unknown (`00`).
 */
export interface PublishedTable {
  readonly row: string
  readonly grain: readonly string[]
  readonly columns: Readonly<Record<string, string>>
}

export const PUBLISHED_TABLES = {
  people: {
    row: 'a person',
    grain: ['person_id'],
    columns: {
      person_id: 'varchar',
      name: 'varchar',
      first_name: 'varchar',
      middle_name: 'varchar',
      last_name: 'varchar',
      name_suffix: 'varchar',
      /** Other full names of the same person, most frequent first. */
      aliases: 'varchar[]',
      date_of_birth: 'varchar',
      gender: 'varchar',
      is_dead: 'boolean',
      linkedin_url: 'varchar',
      company_name: 'varchar',
      job_title: 'varchar',
      /** From 0 to 100: how complete and how well corroborated the record is. It makes 40 % of `match_score`. */
      completeness: 'integer',
      source_count: 'integer',
      mention_count: 'integer',
    },
  },
  person_names: {
    row: 'a name (with its parts) under which a person is found: the primary one, aliases, former names',
    grain: ['person_id', 'first_name', 'middle_name', 'last_name', 'name_suffix'],
    columns: {
      person_id: 'varchar',
      first_name: 'varchar',
      middle_name: 'varchar',
      last_name: 'varchar',
      name_suffix: 'varchar',
      is_primary: 'boolean',
    },
  },
  addresses: {
    row: 'a normalised address (with its unit)',
    grain: ['address_id'],
    columns: {
      address_id: 'varchar',
      /** `123 N Main St Apt 4, Austin, TX 78701`. */
      full_address: 'varchar',
      /** Null for a business address whose street cannot be parsed. */
      line1: 'varchar',
      city: 'varchar',
      state: 'varchar',
      zip: 'varchar',
      plus4: 'varchar',
      house_number: 'varchar',
      pre_directional: 'varchar',
      street_name: 'varchar',
      street_suffix: 'varchar',
      post_directional: 'varchar',
      /** The building or other units around the innermost unit: `BLDG 4`. */
      building: 'varchar',
      unit_type: 'varchar',
      unit_number: 'varchar',
      /** Upper case; the same for all units of one building. */
      building_key: 'varchar',
      county_fips: 'varchar',
      county_name: 'varchar',
      latitude: 'double',
      longitude: 'double',
      /** `rooftop` (the parcel's own point), `zip` (the centre of the ZIP) or null. */
      location_precision: 'varchar',
    },
  },
  person_addresses: {
    row: 'an address of a person, now or before',
    grain: ['person_id', 'address_id'],
    columns: {
      person_id: 'varchar',
      address_id: 'varchar',
      is_current: 'boolean',
      score: 'integer',
      first_seen_on: 'date',
      last_seen_on: 'date',
    },
  },
  phones: {
    row: 'a phone number',
    grain: ['phone'],
    columns: {
      /** Eleven digits, beginning with 1. */
      phone: 'varchar',
      national_format: 'varchar',
      line_type: 'varchar',
      carrier: 'varchar',
    },
  },
  phone_names: {
    row: 'a name on a phone that is no person known',
    grain: ['phone', 'name'],
    columns: { phone: 'varchar', name: 'varchar', score: 'integer', last_seen_on: 'date' },
  },
  person_phones: {
    row: 'a phone of a person',
    grain: ['person_id', 'phone'],
    columns: {
      person_id: 'varchar',
      phone: 'varchar',
      line_type: 'varchar',
      score: 'integer',
      last_seen_on: 'date',
    },
  },
  person_emails: {
    row: 'an e-mail address of a person',
    grain: ['person_id', 'email'],
    columns: { person_id: 'varchar', email: 'varchar', score: 'integer', last_seen_on: 'date' },
  },
  properties: {
    row: 'a parcel on the newest roll',
    grain: ['property_id'],
    columns: {
      property_id: 'varchar',
      county_fips: 'varchar',
      county_name: 'varchar',
      state: 'varchar',
      apn: 'varchar',
      /** Null when the roll has no usable address. */
      address_id: 'varchar',
      /** The mailing address of the first owner; null when it is the property itself or unknown. */
      mailing_address_id: 'varchar',
      property_purpose: 'varchar',
      owner_occupied: 'varchar',
      is_vacant: 'boolean',
      latitude: 'double',
      longitude: 'double',
      owner_type: 'varchar',
      sale_date: 'date',
      last_sale_amount: 'double',
      legal_description: 'varchar',
      year_built: 'integer',
      effective_year_built: 'integer',
      living_sqft: 'double',
      lot_sqft: 'double',
      ground_floor_sqft: 'double',
      basement_sqft: 'double',
      basement_type: 'varchar',
      garage_type: 'varchar',
      roof_covering: 'varchar',
      heating_fuel: 'varchar',
      condition: 'varchar',
      build_quality: 'varchar',
      stories: 'double',
      bedrooms: 'double',
      bathrooms: 'double',
      has_pool: 'boolean',
      market_value: 'double',
      assessed_value: 'double',
      property_tax_amount: 'double',
      /** The tax in per cent of the market value. */
      property_tax_percent: 'double',
      assessment_year: 'integer',
    },
  },
  property_owners: {
    row: 'an owner of a property now: a person or a business',
    grain: ['property_id', 'owner_sequence'],
    columns: {
      property_id: 'varchar',
      owner_sequence: 'integer',
      person_id: 'varchar',
      business_id: 'varchar',
      owner_name: 'varchar',
      /** `individual`, `business`, `trust`, `government` or `unknown`. */
      owner_type: 'varchar',
    },
  },
  residents: {
    row: 'a person who lives at the address of a property now',
    grain: ['property_id', 'person_id'],
    columns: { property_id: 'varchar', person_id: 'varchar', score: 'integer' },
  },
  relatives: {
    row: 'a likely relative of a person (both directions are rows)',
    grain: ['person_id', 'relative_id'],
    columns: { person_id: 'varchar', relative_id: 'varchar', reason: 'varchar', score: 'integer' },
  },
  businesses: {
    row: 'an organisation',
    grain: ['business_id'],
    columns: { business_id: 'varchar', name: 'varchar', business_type: 'varchar' },
  },
  business_addresses: {
    row: 'an address of a business',
    grain: ['business_id', 'address_id'],
    columns: { business_id: 'varchar', address_id: 'varchar', is_historical: 'boolean' },
  },
  business_phones: {
    row: 'a phone of a business',
    grain: ['business_id', 'phone'],
    columns: { business_id: 'varchar', phone: 'varchar', last_seen_on: 'date' },
  },
  mortgages: {
    row: 'a recorded mortgage on a property',
    grain: ['property_id', 'document_id'],
    columns: {
      property_id: 'varchar',
      document_id: 'varchar',
      amount: 'double',
      recorded_date: 'date',
      document_date: 'date',
      document_number: 'varchar',
      lender_name: 'varchar',
      loan_type: 'varchar',
      /** 1 for the newest open mortgage. */
      position: 'integer',
      due_date: 'date',
    },
  },
  deed_events: {
    row: 'a recorded deed on one parcel, or what the recorder took back or changed of one',
    grain: ['event_id'],
    columns: {
      /** A UUID, derived from county FIPS, document number and parcel number. */
      event_id: 'varchar',
      event_type: 'varchar',
      county_fips: 'varchar',
      county_name: 'varchar',
      state: 'varchar',
      /** Null when the parcel is on no roll. */
      property_id: 'varchar',
      address_id: 'varchar',
      apn: 'varchar',
      document_id: 'varchar',
      document_text: 'varchar',
      /** For a sale that only the assessor lists: the first day of the month of the sale. */
      recorded_date: 'date',
      /**
       * `day` for an exact date; `month` when only the month is known; `roll` for the day of the roll that
       * first names the new owner. The deed was recorded before that day. Null without a date.
       */
      recorded_date_precision: 'varchar',
      instrument_date: 'date',
      /** The price in the document. When one price covers several parcels, only the first parcel has it. */
      consideration: 'double',
      /** The number of parcels in the document. */
      parcel_count: 'integer',
      transaction_reason: 'varchar',
      transaction_reason_text: 'varchar',
      legal_description: 'varchar',
      is_void: 'boolean',
      voided_date: 'date',
      /** The kind of source: `recorder`, `assessor` or `roll`. */
      told_by: 'varchar',
      /** The source, file and line that reported the event; the newest file when several contain the document. */
      source_id: 'varchar',
      file_name: 'varchar',
      file_id: 'integer',
      line_number: 'integer',
      parties:
        'struct("role" varchar, "name" varchar, "type" varchar, person_id varchar, full_address varchar)[]',
    },
  },
  crosswalk: {
    row: 'a mention of a person in a source record',
    grain: ['mention_key'],
    columns: {
      /** The key of the source record, followed by `#n` when one record names several people. */
      mention_key: 'varchar',
      record_key: 'varchar',
      person_id: 'varchar',
      source_id: 'varchar',
      file_id: 'integer',
      line_number: 'integer',
      mention_kind: 'varchar',
    },
  },
  person_redirects: {
    row: 'a person id that was merged into another',
    grain: ['old_person_id'],
    columns: { old_person_id: 'varchar', person_id: 'varchar', merged_on: 'date', reason: 'varchar' },
  },
  coverage: {
    row: 'what a source has given for a county',
    grain: ['source_id', 'county_fips'],
    columns: {
      source_id: 'varchar',
      county_fips: 'varchar',
      parcel_count: 'integer',
      deed_count: 'integer',
      person_mention_count: 'integer',
      newest_on: 'date',
    },
  },
} as const satisfies Record<string, PublishedTable>

export type PublishedName = keyof typeof PUBLISHED_TABLES
