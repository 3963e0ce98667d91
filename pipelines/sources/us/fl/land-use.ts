/**
 * Property purposes by the Department of Revenue's 100 land-use codes (`DOR_UC`). Cooperatives count as
 * condominiums, retirement and boarding homes as multi-family.
 */
export const PURPOSE_BY_LAND_USE = {
  '000': 'vacant_land', // Vacant Residential – with/without extra features
  '001': 'single_family', // Single Family
  '002': 'mobile_home', // Mobile Homes
  '003': 'multi_family', // Multi-family - 10 units or more
  '004': 'condominium', // Condominiums
  '005': 'condominium', // Cooperatives
  '006': 'multi_family', // Retirement Homes not eligible for exemption
  '007': 'multi_family', // Miscellaneous Residential
  '008': 'multi_family', // Multi-family - fewer than 10 units
  '009': 'other', // Residential Common Elements/Areas
  '010': 'vacant_land', // Vacant Commercial - with/without extra features
  '011': 'commercial', // Stores, one story
  '012': 'commercial', // Mixed use - store and office or store and residential combination
  '013': 'commercial', // Department Stores
  '014': 'commercial', // Supermarkets
  '015': 'commercial', // Regional Shopping Centers
  '016': 'commercial', // Community Shopping Centers
  '017': 'commercial', // Office buildings
  '018': 'commercial', // Office buildings
  '019': 'commercial', // Professional service buildings
  '020': 'commercial', // Airports
  '021': 'commercial', // Restaurants, cafeterias
  '022': 'commercial', // Drive-in Restaurants
  '023': 'commercial', // Financial institutions
  '024': 'commercial', // Insurance company offices
  '025': 'commercial', // Repair service shops
  '026': 'commercial', // Service stations
  '027': 'commercial', // Auto sales
  '028': 'commercial', // Parking lots (commercial or patron), mobile home parks
  '029': 'commercial', // Wholesale outlets, produce houses, manufacturing outlets
  '030': 'commercial', // Florists, greenhouses
  '031': 'commercial', // Drive-in theaters, open stadiums
  '032': 'commercial', // Enclosed theaters, enclosed auditoriums
  '033': 'commercial', // Nightclubs, cocktail lounges, bars
  '034': 'commercial', // Bowling alleys, skating rinks, pool halls, enclosed arenas
  '035': 'commercial', // Tourist attractions
  '036': 'commercial', // Camps
  '037': 'commercial', // Race tracks (horse, auto, or dog)
  '038': 'commercial', // Golf courses, driving ranges
  '039': 'commercial', // Hotels, motels
  '040': 'vacant_land', // Vacant Industrial -with/without extra features
  '041': 'industrial', // Light manufacturing
  '042': 'industrial', // Heavy industrial
  '043': 'industrial', // Lumber yards, sawmills, planing mills
  '044': 'industrial', // Packing plants
  '045': 'industrial', // Canneries
  '046': 'industrial', // Other food processing
  '047': 'industrial', // Mineral processing
  '048': 'industrial', // Warehousing
  '049': 'industrial', // Open storage
  '050': 'agricultural', // Improved agricultural
  '051': 'agricultural', // Cropland soil capability Class I
  '052': 'agricultural', // Cropland soil capability Class II
  '053': 'agricultural', // Cropland soil capability Class III
  '054': 'agricultural', // Timberland - site index 90 and above
  '055': 'agricultural', // Timberland - site index 80 to 89
  '056': 'agricultural', // Timberland - site index 70 to 79
  '057': 'agricultural', // Timberland - site index 60 to 69
  '058': 'agricultural', // Timberland - site index 50 to 59
  '059': 'agricultural', // Timberland not classified by site index to Pines
  '060': 'agricultural', // Grazing land soil capability Class I
  '061': 'agricultural', // Grazing land soil capability Class II
  '062': 'agricultural', // Grazing land soil capability Class III
  '063': 'agricultural', // Grazing land soil capability Class IV
  '064': 'agricultural', // Grazing land soil capability Class V
  '065': 'agricultural', // Grazing land soil capability Class VI
  '066': 'agricultural', // Orchard Groves, citrus, etc.
  '067': 'agricultural', // Poultry, bees, tropical fish, rabbits, etc.
  '068': 'agricultural', // Dairies, feed lots
  '069': 'agricultural', // Ornamentals, miscellaneous agricultural
  '070': 'vacant_land', // Vacant Institutional, with or without extra features
  '071': 'institutional', // Churches
  '072': 'institutional', // Private schools and colleges
  '073': 'institutional', // Privately owned hospitals
  '074': 'institutional', // Homes for the aged
  '075': 'institutional', // Orphanages, other non-profit or charitable services
  '076': 'institutional', // Mortuaries, cemeteries, crematoriums
  '077': 'institutional', // Clubs, lodges, union halls
  '078': 'institutional', // Sanitariums, convalescent and rest homes
  '079': 'institutional', // Cultural organizations, facilities
  '080': 'government', // Vacant Governmental
  '081': 'government', // Military
  '082': 'government', // Forest, parks, recreational areas
  '083': 'government', // Public county schools - including all property of Board of Public Instruction
  '084': 'government', // Colleges (non-private)
  '085': 'government', // Hospitals (non-private)
  '086': 'government', // Counties
  '087': 'government', // State
  '088': 'government', // Federal
  '089': 'government', // Municipal
  '090': 'government', // Leasehold interests
  '091': 'industrial', // Utility
  '092': 'industrial', // Mining lands, petroleum lands, or gas lands
  '093': 'other', // Subsurface rights
  '094': 'other', // Right-of-way
  '095': 'other', // Rivers and lakes, submerged lands
  '096': 'other', // Sewage disposal
  '097': 'other', // Outdoor recreational or parkland
  '098': 'other', // Centrally assessed
  '099': 'vacant_land', // Acreage not zoned agricultural - with/without extra features
}

/** Codes of land without a building, or only with features that are not buildings. */
export const VACANT_LAND_USES = ['000', '010', '040', '070', '080', '099']
