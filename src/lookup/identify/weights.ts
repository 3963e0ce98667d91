/**
 * Assumptions about errors in input files, as probabilities that a row about a person shows an error. The
 * README explains how they combine. `npm run bench -- enrich` prints how well the resulting scores agree with
 * the truth.
 */

/** The probability that the person whom a row describes is in the snapshot. */
export const IN_SNAPSHOT = 0.8

/** Relatives who are not in the snapshot and who have the surname, home and phones of a person in it. */
export const UNSEEN = {
  /** The expected number of such relatives for each person of the snapshot. */
  relatives: 0.15,
  /** The share of these relatives who have the same first name. */
  namesakes: 0.01,
  /** The same share for a person called Jr, whose father may live there. */
  namesakesOfJr: 0.15,
  /** The same share for a person called Sr, who has a son of that name. */
  namesakesOfSr: 0.8,
  /** The share of these relatives with the same birth date. */
  twins: 0.03,
  /** The probabilities, as logarithms, that such a relative has the same phone or the same e-mail address. */
  phone: Math.log(0.25),
  email: Math.log(0.02),
} as const

/** The probability that a person shares a home or phone with relatives although the snapshot does not have it. */
export const FAMILY = {
  shares: 0.1,
  /** The same for people who shared another address with these relatives. */
  together: 0.4,
  /** The approximate number of people with one surname who are one family. */
  size: 4,
} as const

export const NAME = {
  same: 0.8,
  /** The row has a nickname of the person's name, or the reverse. */
  nickname: 0.03,
  /** The person is called by the middle name, which most records then also have as a first name. */
  byMiddle: 0.01,
  /** The highest weight of a nickname, however rare the names are. */
  maxNickname: Math.log(25),
  /**
   * The probability that a name is written with one particular typo of one edit, or of two edits. A name has
   * about a hundred different typos of one edit.
   */
  oneEdit: 0.0006,
  twoEdits: 0.000004,
  /** The probability that the record has one particular typo of one edit and the row is right. */
  recordTypo: 0.0001,
  /** The highest share of the records with a word that this may explain. */
  maxRecordTypo: 0.4,
  /** The probability of all typos together that give the same word. */
  typos: 0.0006,
  /** The probability that a name is written in one particular other way that sounds the same. */
  sound: 0.0002,
  /** For each typo of the record's name: how many typos of other names give the same word. */
  neighbours: 2,
  /** One half of a double surname. */
  part: 0.15,
  /** The surnames differ, but the row's surname is in the e-mail address that row and person share. */
  lastInEmail: Math.log(0.5),
  /** A surname that only the e-mail address has, not the row. */
  otherSurname: Math.log(0.1),
  swapped: Math.log(0.02),
  sameMiddle: 0.4,
  /** About one in fourteen people has a given first letter. */
  initial: Math.log(10),
  /** The row has the initial of a nickname, such as D for RICHARD, called DICK. */
  nicknameInitial: 0,
  lastInitial: Math.log(4),
  middleInitial: Math.log(12),
  otherFirst: Math.log(0.003),
  otherMiddle: Math.log(0.02),
  /** Most different surnames are due to marriage. */
  otherLast: Math.log(0.015),
  womansOtherLast: Math.log(0.03),
  mansOtherLast: Math.log(0.006),
} as const

/** Weights of Jr, Sr, II and so on. Half of all rows and records leave them out. */
export const GENERATION = {
  same: Math.log(15),
  different: Math.log(0.02),
  onlyRow: Math.log(0.2),
  onlyRecord: Math.log(0.6),
  /**
   * A namesake in the family raises the chance of a suffix: half of such Jrs are called Jr in rows. Among all
   * people one row in forty has a suffix.
   */
  ofNamesake: Math.log(20),
} as const

/** Input files are mostly about living people. Old files also have people who died since. */
export const LIFE = { dead: Math.log(0.3) } as const

export const CONTACT = {
  phone: 0.6,
  email: 0.7,
  /**
   * The expected number of holders of a phone or e-mail address who are not in the snapshot, for each one who
   * is.
   */
  unlistedHolders: 0.2,
  /**
   * Weights for a person who does not have the row's contact. `others…` is for a contact of somebody else,
   * such as its former owner. `unknown…` is for a contact that nobody has. A person with known phones and
   * known e-mail addresses (`both`) mostly has all of them in the snapshot. If the snapshot has only one kind,
   * the other kind is often missing.
   */
  othersPhone: { both: Math.log(0.15), own: Math.log(0.25), other: Math.log(0.6), none: Math.log(0.9) },
  unknownPhone: { both: Math.log(0.07), own: Math.log(0.25), other: Math.log(0.5), none: Math.log(0.95) },
  othersEmail: { both: Math.log(0.06), own: Math.log(0.06), other: Math.log(0.15), none: Math.log(0.15) },
  unknownEmail: { both: Math.log(0.1), own: Math.log(0.25), other: Math.log(0.6), none: Math.log(0.95) },
} as const

export const BIRTH = {
  /** About 20,000 birth dates are equally probable. The factor 0.9 is the share of dates that are right. */
  day: Math.log(0.9 * 20_000),
  month: Math.log(0.9 * 660),
  year: Math.log(0.9 * 55),
  /** Day and month are swapped. */
  swapped: Math.log(60),
  /** Another day of the same month. One person in 660 has that month of that year by chance. */
  otherDay: Math.log(3),
  /** The same day in another year. One person in 365 has that day by chance. */
  otherYear: 0,
  sameYear: Math.log(0.5),
  other: Math.log(0.004),
  age: Math.log(16),
  nearAge: Math.log(3),
} as const

/**
 * For rows with a street: the share of rows whose person has an address at that home, in that building, and
 * so on up to other states.
 */
export const PLACE = {
  home: 0.7,
  formerHome: 0.12,
  building: 0.02,
  mistypedStreet: 0.03,
  street: 0.002,
  zip: 0.05,
  city: 0.05,
  /** Two of three moves stay in the county. */
  state: 0.03,
  elsewhere: 0.06,
  /** The same shares for rows that have only a ZIP, only a city or only a state. */
  askedZip: 0.85,
  askedCity: 0.85,
  askedState: 0.9,
} as const
