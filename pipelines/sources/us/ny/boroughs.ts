/** FIPS codes and postal cities of the five boroughs, by the first digit of the BBL. */
export const FIPS_BY_BOROUGH = { 1: '36061', 2: '36005', 3: '36047', 4: '36081', 5: '36085' }

/** The assessor has no city. The cities of Queens addresses are neighbourhoods, which only the ZIP code shows. */
export const CITY_BY_BOROUGH = { 1: 'New York', 2: 'Bronx', 3: 'Brooklyn', 4: 'Queens', 5: 'Staten Island' }
