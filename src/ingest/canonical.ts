/** The types of staging columns. */
export type ColumnType = 'varchar' | 'date' | 'double' | 'integer' | 'boolean'

export interface CanonicalTable {
  /** A noun phrase for one row. */
  readonly row: string
  readonly columns: Readonly<Record<string, ColumnType>>
  /**
   * True when `staging.past_<table>` keeps rows that a newer file replaced by other content, for example a former
   * owner or a deed before its correction.
   */
  readonly keepsPast?: true
}

/**
 * The columns of every staging table that lead back to the source record: file (`ledger.files.file_id`), line, and the
 * key `<source>/<kind>/<identity>`. The key is the same in every file that has the record.
 */
export const LINEAGE_COLUMNS = {
  record_key: 'varchar',
  source_id: 'varchar',
  file_id: 'integer',
  line_number: 'integer',
  as_of_on: 'date',
} as const satisfies Record<string, ColumnType>

const name = {
  /** A whole name in one field, in the order that `name_order` gives: `surname_first` or `given_first`. */
  full_name: 'varchar',
  name_order: 'varchar',
  /** The parts of the name, when the file has them in separate columns. */
  last_name: 'varchar',
  first_name: 'varchar',
  middle_name: 'varchar',
  name_suffix: 'varchar',
} as const

const address = {
  line_1: 'varchar',
  line_2: 'varchar',
  city: 'varchar',
  state: 'varchar',
  zip: 'varchar',
} as const

const mailing = {
  mail_line_1: 'varchar',
  mail_line_2: 'varchar',
  mail_line_3: 'varchar',
  mail_city: 'varchar',
  mail_state: 'varchar',
  mail_zip: 'varchar',
  mail_country: 'varchar',
} as const

/** `parcel_number` is the assessor's number as text, the same in every feed of one county. */
const parcel = { county_fips: 'varchar', parcel_number: 'varchar' } as const

/** The tables of the schema `staging`. A source definition fills these and no others. `record_key` identifies a row. */
export const CANONICAL_TABLES = {
  parcels: {
    row: 'a parcel on an assessment roll',
    columns: {
      ...parcel,
      roll_year: 'integer',
      ...address,
      property_purpose: 'varchar',
      legal_description: 'varchar',
      lot_sqft: 'double',
      living_sqft: 'double',
      year_built: 'integer',
      effective_year_built: 'integer',
      stories: 'double',
      unit_count: 'integer',
      basement_type: 'varchar',
      garage_type: 'varchar',
      is_vacant: 'boolean',
      is_homestead: 'boolean',
      latitude: 'double',
      longitude: 'double',
      market_value_usd: 'double',
      assessed_value_usd: 'double',
      tax_usd: 'double',
      deed_on: 'date',
      deed_number: 'varchar',
    },
  },
  parcel_owners: {
    row: 'an owner field of a parcel on a roll (one field may name several owners)',
    columns: {
      ...parcel,
      roll_year: 'integer',
      owner_sequence: 'integer',
      ...name,
      ...mailing,
      ownership_percent: 'double',
      is_confidential: 'boolean',
      deed_on: 'date',
      deed_number: 'varchar',
    },
    keepsPast: true,
  },
  buildings: {
    row: 'a building on a parcel',
    columns: {
      ...parcel,
      building_number: 'varchar',
      year_built: 'integer',
      effective_year_built: 'integer',
      living_sqft: 'double',
      ground_floor_sqft: 'double',
      basement_sqft: 'double',
      stories: 'double',
      condition: 'varchar',
      build_quality: 'varchar',
      roof_covering: 'varchar',
      heating_fuel: 'varchar',
    },
  },
  fixtures: {
    row: 'a counted feature of a building: bedrooms, full_baths, half_baths, stories, pool',
    columns: { ...parcel, building_number: 'varchar', fixture: 'varchar', unit_count: 'double' },
  },
  land_segments: {
    row: 'a piece of land of a parcel',
    columns: { ...parcel, segment_number: 'varchar', land_use: 'varchar', land_sqft: 'double' },
  },
  deeds: {
    row: 'a recorded document that conveys real property',
    columns: {
      county_fips: 'varchar',
      /** Unique within the county. Parties, parcels and references have the same id. */
      document_id: 'varchar',
      instrument_number: 'varchar',
      document_code: 'varchar',
      document_text: 'varchar',
      /** One of the event types in `closed-lists.ts`: deed.transfer, deed.quitclaim and so on. */
      event_type: 'varchar',
      recorded_on: 'date',
      instrument_on: 'date',
      consideration_usd: 'double',
      transfer_tax_usd: 'double',
      is_void: 'boolean',
    },
    keepsPast: true,
  },
  deed_parties: {
    row: 'a party of a recorded document (deeds and mortgages)',
    columns: {
      county_fips: 'varchar',
      document_id: 'varchar',
      /** One of: grantor, grantee, other. The borrower of a mortgage is a grantor and the lender a grantee. */
      role: 'varchar',
      party_sequence: 'integer',
      ...name,
      ...address,
      country: 'varchar',
    },
  },
  deed_parcels: {
    row: 'a parcel that a recorded document concerns',
    columns: {
      ...parcel,
      document_id: 'varchar',
      legal_description: 'varchar',
      ...address,
      property_kind: 'varchar',
    },
    keepsPast: true,
  },
  deed_references: {
    row: 'an earlier document that a recorded document points at',
    columns: {
      county_fips: 'varchar',
      document_id: 'varchar',
      refers_to_document_id: 'varchar',
      /** The instrument number (`deeds.instrument_number`), when the source refers to the earlier document by it. */
      refers_to_instrument_number: 'varchar',
    },
  },
  sales: {
    row: 'a sale of a parcel as the assessor lists it (month precision where the day is unknown)',
    columns: {
      ...parcel,
      instrument_number: 'varchar',
      book: 'varchar',
      page: 'varchar',
      sold_on: 'date',
      sold_on_precision: 'varchar',
      price_usd: 'double',
      qualification_code: 'varchar',
      qualification_text: 'varchar',
      is_multi_parcel: 'boolean',
      is_vacant: 'boolean',
    },
  },
  mortgages: {
    row: 'a recorded mortgage document',
    columns: {
      county_fips: 'varchar',
      document_id: 'varchar',
      instrument_number: 'varchar',
      loan_type: 'varchar',
      amount_usd: 'double',
      recorded_on: 'date',
      document_on: 'date',
    },
  },
  person_mentions: {
    row: 'a person as one record of one source has it (owners and deed parties come from their own tables)',
    columns: {
      county_fips: 'varchar',
      /** One of: voter, provider, official, donor, contact. */
      mention_kind: 'varchar',
      ...name,
      /** Another name of the same person in the same record, for example a maiden name. */
      other_last_name: 'varchar',
      other_first_name: 'varchar',
      /** `YYYY-MM-DD`, unknown parts `00`. */
      birth_date: 'varchar',
      gender: 'varchar',
      ...address,
      ...mailing,
      phone: 'varchar',
      phone_extension: 'varchar',
      email: 'varchar',
      employer: 'varchar',
      occupation: 'varchar',
      linkedin_url: 'varchar',
      /**
       * A number that only this person has: `fl_voter:…`, `npi:…`. Several are separated by a bar. Strong evidence
       * that two records are one person.
       */
      identifier: 'varchar',
      /**
       * Facts that many people share: `birthplace:…`, `credential:…`. Several are separated by a bar. Weak evidence
       * that two records are one person.
       */
      traits: 'varchar',
      /** True when line_1 is where the person works. */
      is_work_address: 'boolean',
      observed_on: 'date',
    },
    keepsPast: true,
  },
  businesses: {
    row: 'an organisation as one record of one source has it',
    columns: {
      business_name: 'varchar',
      other_name: 'varchar',
      ...address,
      phone: 'varchar',
      identifier: 'varchar',
      observed_on: 'date',
    },
  },
  phone_blocks: {
    row: 'a block of telephone numbers as assigned to a carrier',
    columns: {
      /** `thousands_digit` is set only for blocks of 1,000 numbers (pooled blocks). */
      area_code: 'varchar',
      exchange: 'varchar',
      thousands_digit: 'varchar',
      carrier: 'varchar',
      operating_company_number: 'varchar',
      /** One of: mobile, landline, voip, tollfree, unknown. */
      line_type: 'varchar',
      state: 'varchar',
      rate_centre: 'varchar',
    },
  },
  operating_companies: {
    row: 'a telephone company by its operating company number (OCN)',
    columns: {
      operating_company_number: 'varchar',
      company_name: 'varchar',
      category: 'varchar',
      /** One of: mobile, landline, voip, tollfree, unknown. */
      line_type: 'varchar',
    },
  },
  deaths: {
    row: 'a person who died',
    columns: { ...name, birth_date: 'varchar', died_on: 'date', ...address },
  },
} as const satisfies Record<string, CanonicalTable>

export type CanonicalName = keyof typeof CANONICAL_TABLES

/** Returns a table of `staging` and, when superseded rows are kept, its past table. */
export function stagingTables(table: CanonicalName): string[] {
  return keepsPast(table) ? [table, `past_${table}`] : [table]
}

/** Returns true when superseded rows are kept in `staging.past_<table>`. */
export function keepsPast(table: CanonicalName): boolean {
  return (CANONICAL_TABLES[table] as CanonicalTable).keepsPast === true
}
