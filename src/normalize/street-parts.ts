export type AddressKind = 'street' | 'po_box' | 'rural_route' | 'military' | 'highway' | 'unknown'

/** The parts of a street line, upper case. Directions, suffixes and unit types are USPS abbreviations. */
export interface StreetLine {
  kind: AddressKind
  house_number: string | null
  pre_directional: string | null
  street_name: string | null
  street_suffix: string | null
  post_directional: string | null
  /** The unit word of the innermost unit: 'APT'; '#' where the line has only a number; 'BOX' on a rural route. */
  unit_type: string | null
  unit_number: string | null
  /** The units around the innermost one, outermost first: 'BLDG C', 'BLDG C FL 3'. */
  building: string | null
  po_box: string | null
  /** The second street of a corner. */
  cross_street: string | null
}
