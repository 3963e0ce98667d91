/**
 * The publishers' codes for a kind of parcel, in the order of `PARCEL` (types.ts): single family, condominium,
 * two families, apartments, townhouse, mobile home, vacant, commercial, government.
 */
const CODES = {
  acris: ['D1', 'SC', 'D2', 'AP', 'D1', 'OT', 'VL', 'CR', 'OT'],
  florida: ['001', '004', '008', '003', '001', '002', '000', '017', '089'],
  hcad: ['A1', 'A1', 'B2', 'B1', 'A1', 'A2', 'C1', 'F1', 'X1'],
  pacs: ['A1', 'A4', 'B2', 'B1', 'A1', 'A2', 'C1', 'F1', 'X'],
  plutoClass: ['A1', 'R4', 'B1', 'C1', 'A5', 'Z9', 'V0', 'O5', 'Y1'],
  plutoUse: ['01', '03', '01', '02', '01', '', '11', '05', '08'],
} as const

/** Returns the code that a publisher has for a kind of parcel. */
export function parcelCode(publisher: keyof typeof CODES, kind: number): string {
  return CODES[publisher][kind]!
}
