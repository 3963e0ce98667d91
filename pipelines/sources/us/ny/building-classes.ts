/** Property purposes by the first letter of the city's building class. */
export const PURPOSE_BY_BUILDING_CLASS = {
  A: 'single_family', // one family
  B: 'multi_family', // two families
  C: 'multi_family', // walk-up apartments
  D: 'multi_family', // elevator apartments
  E: 'industrial', // warehouses
  F: 'industrial', // factories
  G: 'commercial', // garages, gas stations
  H: 'commercial', // hotels
  I: 'institutional', // hospitals, nursing homes
  J: 'commercial', // theatres
  K: 'commercial', // stores
  L: 'industrial', // lofts
  M: 'institutional', // churches, synagogues
  N: 'institutional', // asylums, homes
  O: 'commercial', // offices
  P: 'institutional', // indoor public assembly
  Q: 'other', // outdoor recreation
  R: 'condominium', // condominiums
  S: 'multi_family', // homes with stores or offices
  T: 'industrial', // transportation
  U: 'industrial', // utilities
  V: 'vacant_land',
  W: 'institutional', // schools
  Y: 'government',
  Z: 'other',
}

/** Building classes whose letter is too general: condominiums that are not homes, and cooperatives. */
export const PURPOSE_BY_WHOLE_CLASS = {
  R5: 'commercial', // commercial condominium
  R7: 'commercial',
  R8: 'commercial',
  RA: 'other', // cultural, medical, educational
  RB: 'commercial', // office
  RG: 'other', // indoor parking
  RH: 'commercial', // hotel
  RK: 'commercial', // retail
  RP: 'other', // outdoor parking
  RS: 'other', // storage
  RT: 'other', // terrace, gardens
  RW: 'industrial', // warehouse
}

/** Property purposes by PLUTO's land use, for lots without a building class. */
export const PURPOSE_BY_LAND_USE = {
  '01': 'single_family', // one and two family
  '02': 'multi_family', // walk-up
  '03': 'multi_family', // elevator
  '04': 'multi_family', // mixed residential and commercial
  '05': 'commercial',
  '06': 'industrial',
  '07': 'industrial', // transportation, utility
  '08': 'institutional',
  '09': 'other', // open space
  '10': 'commercial', // parking
  '11': 'vacant_land',
}

/** PLUTO's basement codes. Code 5 means unknown. */
export const BASEMENT_TYPES = { 0: 'none', 1: 'full', 2: 'full', 3: 'partial', 4: 'partial' }
