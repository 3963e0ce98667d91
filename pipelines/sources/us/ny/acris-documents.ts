/** The register's names of all 123 document control codes. */
export const DOCUMENT_TYPES = {
  AGMT: 'AGREEMENT',
  AMFL: 'AMENDMENT OF FEDERAL LIEN',
  ASPM: 'ASSUMPTION OF MORTGAGE',
  ASST: 'ASSIGNMENT, MORTGAGE',
  ASTU: 'UNIT ASSIGNMENT',
  ASUM: 'UCC3 ASSUMPTION',
  BOND: 'BOND',
  BRUP: 'UCC3 BANKRUPTCY',
  CERR: 'CERTIFICATE OF REDUCTION',
  CNFL: 'CONTINUATION OF FEDERAL LIEN',
  CERT: 'CERTIFICATE',
  CNTR: 'CONTRACT OF SALE',
  CODP: 'CONDEMNATION PROCEEDINGS',
  CONS: 'CONSENT',
  CONT: 'UCC3 CONTINUATION',
  CTOR: 'COURT ORDER',
  DCTO: 'COURT ORDER ADVERSE POSS.',
  DECL: 'DECLARATION',
  DEED: 'DEED',
  DEMM: 'DECLARATION OF MODIFI OF MRT',
  DTL: 'DISCHARGE OF TAX LIEN',
  EASE: 'EASEMENT',
  FL: 'FEDERAL LIEN-IRS',
  FTL: 'FEDERAL LIEN, OTHER',
  IDED: 'IN REM DEED',
  INIC: 'INITIAL COOP UCC1',
  INIT: 'INITIAL UCC1',
  JUDG: 'JUDGMENT',
  LDMK: 'LANDMARK DESIGNATION',
  LEAS: 'LEASE',
  LIC: 'LICENSE',
  LTPA: 'LETTERS PATENT',
  MAPS: 'MAPS',
  MERG: 'MERGER',
  MISC: 'MISCELLANEOUS',
  MMTG: 'MASTER MORTGAGE',
  MTGE: 'MORTGAGE',
  PAT: 'POWER OF ATTORNEY',
  PRFL: 'PARTIAL RELEASE OF FED LIEN',
  PSAT: 'PARTIAL SATISFACTION',
  PSGN: 'UCC3 PARTIAL ASSIGNMENT',
  REL: 'RELEASE',
  RFL: 'RELEASE OF FEDERAL LIEN',
  RESO: 'RESOLUTION',
  RFTL: 'RELEASE OF FEDERAL TAX LIEN',
  RLSE: 'UCC3 RELEASE/UCC AMENDMENT',
  RPAT: 'REVOCATION OF POWER OF ATTORNE',
  RTXL: 'RELEASE OF ESTATE TAX LIEN',
  SAGE: 'SUNDRY AGREEMENT',
  SAT: 'SATISFACTION OF MORTGAGE',
  SMIS: 'SUNDRY MISCELLANEOUS',
  SMTG: 'SUNDRY MORTGAGE',
  STP: 'STREET PROCEDURE',
  SUBL: 'SUBORDINATION OF LEASE',
  SUBO: 'UCC3 SUBORDINATION',
  TLS: 'TAX LIEN SALE CERTIFICATE',
  TERM: 'UCC3 TERMINATION',
  TERT: 'TERMINATION OF TRUST',
  UCC1: 'UNIFORM COMMERCIAL CODE 1',
  UCC3: 'UNIFORM COMMERCIAL CODE 3',
  VAC: 'VACATE ORDER',
  WILL: 'CERTIFIED COPY OF WILL',
  ASGN: 'UCC3 ASSIGNMENT',
  ASSTO: 'ASSIGNMENT OF LEASE',
  WSAT: 'WITHHELD SATISFACTION',
  RETT: 'NYS REAL ESTATE TRANSFER TAX',
  RPTT: 'NYC REAL PROPERTY TRANSFER TAX',
  CDEC: 'CONDO DECLARATION',
  'AL&R': 'ASSIGNMENT OF LEASES AND RENTS',
  DEEDO: 'DEED, OTHER',
  AMTX: 'ADDITIONAL MORTGAGE TAX',
  AMND: 'UCC3 AMENDMENT',
  AMTL: 'AMENDMENT OF TAX LIEN',
  ATL: 'ASSIGNMENT OF TAX LIEN',
  'RPTT&RET': 'BOTH RPTT AND RETT',
  CORR: 'CORRECTION DOC-OFFICE USE ONLY',
  CORP: 'UCC 5 CORRECTION STATEMENT',
  ZONE: 'ZONING LOT DESCRIPTION',
  AALR: 'ASGN OF ASGN OF L&R',
  CALR: 'CANCEL/TERM ASGN L&R',
  ADEC: 'AMENDED CONDO DECLARATION',
  LOCC: 'LIEN OF COMMON CHARGES',
  TOLCC: 'TERM OF LIEN OF COMMON CHARGES',
  DEVR: 'DEVELOPMENT RIGHTS',
  DECM: 'DECLARATION OF MERGER',
  MLEA: 'MEMORANDUM OF LEASE',
  MCON: 'MEMORANDUM OF CONTRACT',
  'M&CON': 'MORTGAGE AND CONSOLIDATION',
  SPRD: 'MORTGAGE SPREADER AGREEMENT',
  'TL&R': 'TERMINATION OF ASSIGN OF L&R',
  SUBM: 'SUBORDINATION OF MORTGAGE',
  PREL: 'PARTIAL RELEASE OF MORTGAGE',
  ACON: 'ASSIGN/TERM OF CONTRACT/BID',
  CORRD: 'CORRECTION DEED',
  CORRM: 'CORRECTION MORTGAGE',
  CONDEED: 'CONFIRMATORY DEED',
  REIT: 'REAL ESTATE INV TRUST DEED',
  TERL: 'TERMINATION OF LEASE OR MEMO',
  ESTL: 'ESTOPPEL FOR OFFICE USE ONLY',
  XXXX: 'APPRT BREAKDWN OFFICE USE ONLY',
  CMTG: 'COLLATERAL MORTGAGE',
  WFL: 'WITHDRAWAL OF A FED LIEN',
  ESRM: 'ESTOPPAL REMOVAL OFFICE USE ON',
  NTXL: 'NOTICE OF ESTATE TAX LIEN',
  NAPP: 'NOTICE OF APPROPRIATION',
  TERA: 'TERMINATION OF AGREEMENT',
  RCRFL: 'REVOCATION OF CERTIF. OF RFL',
  'DEED COR': 'CORRECT INDEX/DEED-OFFICE USE',
  'DEED, LE': 'LIFE ESTATE DEED',
  'CORR, LE': 'CORRECT LIFE ESTATE OFFICE USE',
  'DEED, TS': 'TIMESHARE DEED',
  'UCC ADEN': 'UCC COOPERATIVE ADDENDUM',
  TERDECL: 'TERM. OF CONDO DECLARATION',
  NAFTL: 'CERT NONATTCHMENT FED TAX LIEN',
  APPRT: 'APP. ORDER BREAKDWN OFFICE USE',
  AIRRIGHT: 'AIR RIGHTS',
  'SI CORR': 'SI BILLING UPDATE OFFICE USE',
  PWFL: 'PARTIAL WITHDRAWL OF FED LIEN',
  PRCFL: 'PARTIAL REVOCATION OF CERT RFL',
  DPFTL: 'DISCHARGE OF PROPERTY FROM FTL',
  DEEDP: 'DEED, PRE RPT TAX',
  TORREN: 'TORREN',
  'DEED, RC': 'DEED WITH RESTRICTIVE COVENANT',
}

/**
 * Event types of the 31 codes of the class DEEDS AND OTHER CONVEYANCES. A document whose description does not say
 * that a deed conveys (`DEED, OTHER`, `TORREN`, a court order on adverse possession, a billing update) is
 * `deed.other`. No code means a quitclaim.
 */
export const EVENT_TYPES = {
  ASTU: 'deed.transfer',
  CNTR: 'deed.other',
  CODP: 'deed.other',
  DCTO: 'deed.other',
  DEED: 'deed.transfer',
  EASE: 'deed.other',
  IDED: 'deed.foreclosure',
  LEAS: 'deed.other',
  LTPA: 'deed.transfer',
  SUBL: 'deed.other',
  VAC: 'deed.other',
  CDEC: 'deed.other',
  DEEDO: 'deed.other',
  DEVR: 'deed.other',
  DECM: 'deed.other',
  MLEA: 'deed.other',
  MCON: 'deed.other',
  ACON: 'deed.other',
  CORRD: 'deed.correction',
  CONDEED: 'deed.correction',
  REIT: 'deed.transfer',
  NAPP: 'deed.other',
  'DEED COR': 'deed.correction',
  'DEED, LE': 'deed.transfer',
  'CORR, LE': 'deed.correction',
  'DEED, TS': 'deed.transfer',
  AIRRIGHT: 'deed.other',
  'SI CORR': 'deed.other',
  DEEDP: 'deed.transfer',
  TORREN: 'deed.other',
  'DEED, RC': 'deed.transfer',
}

/**
 * Document types of the class MORTGAGES & INSTRUMENTS that lend money. Types that assign, correct or end a loan are
 * not in the table.
 */
export const LOAN_TYPES = {
  MTGE: 'Mortgage',
  'M&CON': 'Mortgage And Consolidation',
  CMTG: 'Collateral Mortgage',
  SMTG: 'Sundry Mortgage',
  MMTG: 'Master Mortgage',
}

/** Property purposes by the register's 46 property types. A type that does not name a use is `other`. */
export const PURPOSE_BY_PROPERTY_TYPE = {
  CA: 'condominium', // Adjacent condominium unit to be combined
  F1: 'multi_family', // 1-3 family with store / office
  F4: 'multi_family', // 4-6 family with store / office
  D1: 'single_family', // Dwelling only - 1 family
  D2: 'multi_family', // Dwelling only - 2 family
  D3: 'multi_family', // Dwelling only - 3 family
  D4: 'multi_family', // Dwelling only - 4 family
  D5: 'multi_family', // Dwelling only - 5 family
  D6: 'multi_family', // Dwelling only - 6 family
  SC: 'condominium', // Single residential condo unit
  MC: 'condominium', // Multiple residential condo unt
  SP: 'condominium', // Single residential coop unit
  MP: 'condominium', // Multiple residential coop unit
  CC: 'commercial', // Commercial condo unit(s)
  AP: 'multi_family', // Apartment building
  OF: 'commercial', // Office building
  IB: 'industrial', // Industrial building
  RB: 'commercial', // Retail building
  VL: 'vacant_land', // Vacant land
  MU: 'other', // Multiple properties
  OT: 'other', // Other
  PA: 'other', // Pre-acris
  MR: 'condominium', // Maids room
  SR: 'other', // Storage room
  PS: 'other', // Parking space
  BS: 'condominium', // Bulk sale of condominiums
  RS: 'institutional', // Religious structure
  CK: 'condominium', // Condo unit without kitchen
  RE: 'commercial', // Real estate investment trust
  R1: 'multi_family', // Real est inv tr 1,2,3 family
  R2: 'multi_family', // Real est inv tr 4-6 family and comm.
  RP: 'multi_family', // 1- 2 fam with attch gar &/or vacant land
  GR: 'other', // Garage, 1 or 2 family only
  NA: 'other', // Not applicable
  EA: 'commercial', // Entertainment/amusement
  UT: 'industrial', // Utility
  VR: 'vacant_land', // Residential vacant land
  VN: 'vacant_land', // Non-residential vacant land
  CP: 'commercial', // Commercial coop unit(s)
  CR: 'commercial', // Commercial real estate
  TS: 'condominium', // Timeshare
  RG: 'multi_family', // 1-2 family dwelling with attached garage
  RV: 'multi_family', // 1-2 family dwelling with vacant land
  SA: 'condominium', // Adjacent cooperative unit to be combined
  SM: 'condominium', // Under $1m condo in combined sale of $1m+
  HC: 'other', // Hdfc exemption property
}
