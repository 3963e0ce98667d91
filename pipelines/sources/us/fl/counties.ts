/**
 * FIPS codes by the Department of Revenue's county numbers. The numbers are alphabetical, with Miami-Dade under D
 * (Dade).
 */
export const FIPS_BY_COUNTY_NUMBER = {
  '11': '12001', // Alachua
  '12': '12003', // Baker
  '13': '12005', // Bay
  '14': '12007', // Bradford
  '15': '12009', // Brevard
  '16': '12011', // Broward
  '17': '12013', // Calhoun
  '18': '12015', // Charlotte
  '19': '12017', // Citrus
  '20': '12019', // Clay
  '21': '12021', // Collier
  '22': '12023', // Columbia
  '23': '12086', // Miami-Dade
  '24': '12027', // DeSoto
  '25': '12029', // Dixie
  '26': '12031', // Duval
  '27': '12033', // Escambia
  '28': '12035', // Flagler
  '29': '12037', // Franklin
  '30': '12039', // Gadsden
  '31': '12041', // Gilchrist
  '32': '12043', // Glades
  '33': '12045', // Gulf
  '34': '12047', // Hamilton
  '35': '12049', // Hardee
  '36': '12051', // Hendry
  '37': '12053', // Hernando
  '38': '12055', // Highlands
  '39': '12057', // Hillsborough
  '40': '12059', // Holmes
  '41': '12061', // Indian River
  '42': '12063', // Jackson
  '43': '12065', // Jefferson
  '44': '12067', // Lafayette
  '45': '12069', // Lake
  '46': '12071', // Lee
  '47': '12073', // Leon
  '48': '12075', // Levy
  '49': '12077', // Liberty
  '50': '12079', // Madison
  '51': '12081', // Manatee
  '52': '12083', // Marion
  '53': '12085', // Martin
  '54': '12087', // Monroe
  '55': '12089', // Nassau
  '56': '12091', // Okaloosa
  '57': '12093', // Okeechobee
  '58': '12095', // Orange
  '59': '12097', // Osceola
  '60': '12099', // Palm Beach
  '61': '12101', // Pasco
  '62': '12103', // Pinellas
  '63': '12105', // Polk
  '64': '12107', // Putnam
  '65': '12109', // Saint Johns
  '66': '12111', // Saint Lucie
  '67': '12113', // Santa Rosa
  '68': '12115', // Sarasota
  '69': '12117', // Seminole
  '70': '12119', // Sumter
  '71': '12121', // Suwannee
  '72': '12123', // Taylor
  '73': '12125', // Union
  '74': '12127', // Volusia
  '75': '12129', // Wakulla
  '76': '12131', // Walton
  '77': '12133', // Washington
}

/** FIPS codes by the three letters of the Division of Elections. */
export const FIPS_BY_VOTER_COUNTY = {
  ALA: '12001', // Alachua
  BAK: '12003', // Baker
  BAY: '12005', // Bay
  BRA: '12007', // Bradford
  BRE: '12009', // Brevard
  BRO: '12011', // Broward
  CAL: '12013', // Calhoun
  CHA: '12015', // Charlotte
  CIT: '12017', // Citrus
  CLA: '12019', // Clay
  CLL: '12021', // Collier
  CLM: '12023', // Columbia
  DAD: '12086', // Miami-Dade
  DES: '12027', // DeSoto
  DIX: '12029', // Dixie
  DUV: '12031', // Duval
  ESC: '12033', // Escambia
  FLA: '12035', // Flagler
  FRA: '12037', // Franklin
  GAD: '12039', // Gadsden
  GIL: '12041', // Gilchrist
  GLA: '12043', // Glades
  GUL: '12045', // Gulf
  HAM: '12047', // Hamilton
  HAR: '12049', // Hardee
  HEN: '12051', // Hendry
  HER: '12053', // Hernando
  HIG: '12055', // Highlands
  HIL: '12057', // Hillsborough
  HOL: '12059', // Holmes
  IND: '12061', // Indian River
  JAC: '12063', // Jackson
  JEF: '12065', // Jefferson
  LAF: '12067', // Lafayette
  LAK: '12069', // Lake
  LEE: '12071', // Lee
  LEO: '12073', // Leon
  LEV: '12075', // Levy
  LIB: '12077', // Liberty
  MAD: '12079', // Madison
  MAN: '12081', // Manatee
  MRN: '12083', // Marion
  MRT: '12085', // Martin
  MON: '12087', // Monroe
  NAS: '12089', // Nassau
  OKA: '12091', // Okaloosa
  OKE: '12093', // Okeechobee
  ORA: '12095', // Orange
  OSC: '12097', // Osceola
  PAL: '12099', // Palm Beach
  PAS: '12101', // Pasco
  PIN: '12103', // Pinellas
  POL: '12105', // Polk
  PUT: '12107', // Putnam
  SAN: '12113', // Santa Rosa
  SAR: '12115', // Sarasota
  SEM: '12117', // Seminole
  STJ: '12109', // St. Johns
  STL: '12111', // St. Lucie
  SUM: '12119', // Sumter
  SUW: '12121', // Suwannee
  TAY: '12123', // Taylor
  UNI: '12125', // Union
  VOL: '12127', // Volusia
  WAK: '12129', // Wakulla
  WAL: '12131', // Walton
  WAS: '12133', // Washington
}
