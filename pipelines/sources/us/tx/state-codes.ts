/** Property purposes by state property code, as Travis lists them. Other districts use the same letters. */
export const PURPOSE_BY_STATE_CODE = {
  A1: 'single_family', // Single family residence
  A2: 'mobile_home', // Single family residence mh
  A3: 'single_family', // Single family residence details
  A4: 'condominium', // Condos
  A5: 'condominium', // Condos details
  A9: 'single_family', // Hs commercial highest & best use
  B1: 'multi_family', // Multifamily
  B2: 'multi_family', // Duplex
  B3: 'multi_family', // Tri-plex
  B4: 'multi_family', // Four-plex
  C1: 'vacant_land', // Vacant lot
  C2: 'vacant_land', // Vacant land/misc details
  D1: 'agricultural', // Acreage (ag) 1-d-1
  D2: 'agricultural', // Acreage (non-ag)
  D3: 'agricultural', // Ag 1-d
  E1: 'agricultural', // Farm and ranch impr
  E2: 'agricultural', // Farm and ranch impr mh
  E3: 'agricultural', // Farm and ranch impr misc
  F1: 'commercial', // Commercial improved
  F2: 'industrial', // Industrial major manufacturing improved
  F3: 'commercial', // Commercial details
  F4: 'commercial', // Commercial condo
  F5: 'commercial', // Commercial res conversion
  G1: 'industrial', // Mineral
  G2: 'industrial', // Mineral
  G3: 'industrial', // Mineral
  J1: 'industrial', // Utility (water)
  J2: 'industrial', // Utility (gas)
  J3: 'industrial', // Utility (electric)
  J4: 'industrial', // Utility (telephone)
  J5: 'industrial', // Utility (railroads)
  J6: 'industrial', // Utility (pipelines)
  J7: 'industrial', // Utility (cable)
  J8: 'industrial', // Utility (other)
  J9: 'industrial', // Utility (not coded)
  L1: 'other', // Commercial pp
  L2: 'industrial', // Industrial major manufacturing pp
  L3: 'other', // Mineral
  M1: 'mobile_home', // Tangible personal prop mh
  M2: 'other', // Non-income producing tangible pp
  N: 'other', // Mineral
  N1: 'other', // Intangible pp
  N2: 'other', // Rr rolling stock
  O1: 'vacant_land', // Residential inventory
  S1: 'commercial', // Special inventory
  X: 'institutional', // Totally exempt property
  Y: 'other', // Mineral
}

/** Property purposes by the first letter, for codes that a district added. */
export const PURPOSE_BY_STATE_LETTER = {
  A: 'single_family',
  B: 'multi_family',
  C: 'vacant_land',
  D: 'agricultural',
  E: 'agricultural',
  F: 'commercial',
  G: 'industrial',
  J: 'industrial',
  M: 'mobile_home',
  O: 'vacant_land',
  X: 'institutional',
}

/** Harris's classes that differ from their letter. Its file desc_r_01_state_class.txt has all classes. */
export const PURPOSE_BY_HCAD_CLASS = {
  A2: 'mobile_home',
  F2: 'industrial',
  M3: 'mobile_home',
  X1: 'government',
}

export const PURPOSE_BY_HCAD_LETTER = { ...PURPOSE_BY_STATE_LETTER, L: 'other', S: 'commercial', M: 'other' }
