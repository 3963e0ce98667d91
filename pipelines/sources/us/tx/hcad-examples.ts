import type { SourceDefinitionInput } from '../../../../src/ingest/definition.ts'

/** Rows as the files have them, and the staging rows that they must make. They run as tests. */
export const EXAMPLES: SourceDefinitionInput['examples'] = [
  {
    note: 'padded fields, a stray quote, mailing address of the owner',
    kind: 'real_acct',
    file: 'Real_acct_owner_20250815.zip/real_acct.txt',
    given: {
      acct: '0410230000012            ',
      yr: '2025',
      mailto: 'BRANNIGAN KEIRA M & TOBIAS      ',
      mail_addr_1: '1207 WAVERLY "B" CT',
      mail_city: 'HOUSTON',
      mail_state: 'TX',
      mail_zip: '77008-4411',
      site_addr_1: '1207 WAVERLY CT',
      site_addr_2: 'HOUSTON',
      site_addr_3: '77008',
      state_class: 'A1',
      yr_impr: '1987',
      splt_dt: '12-30-1899',
      bld_ar: '1840',
      land_ar: '5000',
      assessed_val: '301220',
      tot_mkt_val: '348900',
      new_own_dt: '03/14/2019',
      lgl_1: 'LT 12 BLK 4',
      lgl_2: 'WAVERLY PLACE SEC 2',
    },
    expect: {
      parcels: [
        {
          record_key: 'us/tx/harris.hcad/real_acct/0410230000012',
          as_of_on: '2025-08-15',
          county_fips: '48201',
          parcel_number: '0410230000012',
          roll_year: 2025,
          line_1: '1207 WAVERLY CT',
          city: 'HOUSTON',
          state: 'TX',
          zip: '77008',
          property_purpose: 'single_family',
          legal_description: 'LT 12 BLK 4 WAVERLY PLACE SEC 2',
          lot_sqft: 5000,
          living_sqft: 1840,
          year_built: 1987,
          is_vacant: false,
          market_value_usd: 348900,
          assessed_value_usd: 301220,
          deed_on: '2019-03-14',
        },
      ],
      parcel_owners: [
        {
          owner_sequence: 1,
          full_name: 'BRANNIGAN KEIRA M & TOBIAS',
          name_order: 'surname_first',
          mail_line_1: '1207 WAVERLY "B" CT',
          mail_zip: '77008-4411',
          is_confidential: false,
        },
      ],
    },
  },
  {
    note: 'an owner who withholds the name; a placeholder date; vacant land',
    kind: 'real_acct',
    given: {
      acct: '0410230000013',
      yr: '2025',
      mailto: 'CURRENT OWNER',
      state_class: 'C1',
      new_own_dt: '12-30-1899',
      yr_impr: '0',
    },
    expect: {
      parcels: [{ property_purpose: 'vacant_land', is_vacant: true, deed_on: null, year_built: null }],
      parcel_owners: [{ full_name: null, is_confidential: true, deed_on: null }],
    },
  },
  {
    note: 'the first line of owners.txt repeats real_acct',
    kind: 'owners',
    given: { acct: '0410230000012', ln_num: '1', name: 'BRANNIGAN KEIRA M & TOBIAS', pct_own: '1.0000' },
    expect: {},
  },
  {
    note: 'further owners have lines of their own',
    kind: 'owners',
    given: { acct: '0410230000012', ln_num: '2', name: 'OYELARAN FEMI', pct_own: '0.2500' },
    expect: {
      parcel_owners: [
        {
          record_key: 'us/tx/harris.hcad/owners/0410230000012|2',
          parcel_number: '0410230000012',
          owner_sequence: 2,
          full_name: 'OYELARAN FEMI',
          ownership_percent: 25,
        },
      ],
    },
  },
  {
    note: "a deed has a date and the clerk's film code, no parties and no price",
    kind: 'deeds',
    given: {
      acct: '0410230000012',
      dos: '03/14/2019',
      clerk_yr: '2019',
      clerk_id: 'RP-2019-104422',
      deed_id: '5',
    },
    expect: {
      deeds: [
        {
          document_id: 'us/tx/harris.hcad|2019-RP-2019-104422',
          instrument_number: 'RP-2019-104422',
          event_type: 'deed.transfer',
          recorded_on: '2019-03-14',
          consideration_usd: null,
        },
      ],
      deed_parcels: [
        { document_id: 'us/tx/harris.hcad|2019-RP-2019-104422', parcel_number: '0410230000012' },
      ],
    },
  },
  {
    note: 'a deed without film code is known by account and number',
    kind: 'deeds',
    given: { acct: '0410230000012', dos: '01/02/1988', deed_id: '1' },
    expect: {
      deeds: [
        {
          document_id: 'us/tx/harris.hcad|0410230000012|1',
          instrument_number: null,
          recorded_on: '1988-01-02',
        },
      ],
      deed_parcels: [{ document_id: 'us/tx/harris.hcad|0410230000012|1' }],
    },
  },
  {
    note: 'a line with a placeholder date and no film code is no deed',
    kind: 'deeds',
    given: { acct: '0410230000014', dos: '12/30/1899', deed_id: '0' },
    expect: {},
  },
  {
    note: 'heated area is the living area',
    kind: 'building_res',
    given: {
      acct: '0410230000012',
      bld_num: '1',
      dscr: 'Above Average',
      date_erected: '1987',
      eff: '1995',
      im_sq_ft: '1840',
      heat_ar: '1790',
      base_ar: '920',
    },
    expect: {
      buildings: [
        {
          building_number: '1',
          year_built: 1987,
          effective_year_built: 1995,
          living_sqft: 1790,
          ground_floor_sqft: 920,
          build_quality: 'above-average',
        },
      ],
    },
  },
  {
    note: 'bedrooms; types come padded',
    kind: 'fixtures',
    given: {
      acct: '0410230000012',
      bld_num: '1',
      type: 'RMB ',
      type_dscr: 'Room:  Bedroom',
      units: '3.00',
    },
    expect: { fixtures: [{ building_number: '1', fixture: 'bedrooms', unit_count: 3 }] },
  },
  {
    note: 'a pool, whatever its code',
    kind: 'fixtures',
    given: { acct: '0410230000012', bld_num: '1', type: 'PLG', type_dscr: 'Pool: Gunite', units: '1.00' },
    expect: { fixtures: [{ fixture: 'pool', unit_count: 1 }] },
  },
  {
    note: 'a fixture that is not counted',
    kind: 'fixtures',
    given: { acct: '0410230000012', bld_num: '1', type: 'RMT', type_dscr: 'Room:  Total', units: '7.00' },
    expect: {},
  },
  {
    note: 'land in acres',
    kind: 'land',
    given: {
      acct: '0410230000012',
      num: '1',
      use_dscr: 'Res Improved Table Value',
      tp: 'AC',
      uts: '0.5000',
    },
    expect: {
      land_segments: [{ segment_number: '1', land_use: 'Res Improved Table Value', land_sqft: 21780 }],
    },
  },
  {
    note: 'land in square feet',
    kind: 'land',
    given: { acct: '0410230000012', num: '2', use_dscr: 'Res Vacant', tp: 'SF', uts: '5000.0000' },
    expect: { land_segments: [{ land_sqft: 5000 }] },
  },
]
