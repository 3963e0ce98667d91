/**
 * What is believed about how lists go wrong, as probabilities that a row about a person shows what it does. The README says
 * what they mean together; the bench (`npm run bench -- enrich`) shows how well the score that comes of them is kept.
 */

/** How often the person whom a row means is among the people of the snapshot. */
export const IN_SNAPSHOT = 0.8

/** People of whom the snapshot knows nothing, for each person whom it knows: with the same surname, home and numbers. */
export const UNSEEN = {
  relatives: 0.15,
  /** Of them: with the same given name. One adult in a hundred shares a home with somebody of all the same name. */
  namesakes: 0.01,
  /** The same of who is called Jr: the father, where he lives; and of a Sr, who is called so for his son. */
  namesakesOfJr: 0.15,
  namesakesOfSr: 0.8,
  /** Born on the same day. */
  twins: 0.03,
  /** Of them: with the same phone, which mostly is one in a pocket; the same e-mail. */
  phone: Math.log(0.25),
  email: Math.log(0.02),
} as const

/** Homes and numbers of relatives: the share of people who are listed with them though the snapshot doesn't know it. */
export const FAMILY = {
  shares: 0.1,
  /** The same of those who are known to have lived with them somewhere else. */
  together: 0.4,
  /** About how many people of a surname are one family. */
  size: 4,
} as const

export const NAME = {
  same: 0.8,
  /** A nickname of the record's name, or the other way round. */
  nickname: 0.03,
  /** Called by the middle name, which the records then mostly have first, too. */
  byMiddle: 0.01,
  /** However rare the name: what a nickname says at most. */
  mostOfNickname: Math.log(25),
  /** This very slip of the keyboard, of the hundred that a name can have; one of two slips. */
  oneEdit: 0.0006,
  twoEdits: 0.000004,
  /** The same slip in the record, where the row is right; and how often it is one, at most. */
  recordSlip: 0.0001,
  mostOfRecordSlip: 0.4,
  /** Slips of all kinds that come to the same word. */
  slips: 0.0006,
  /** Another spelling of the same sound. */
  sound: 0.0002,
  /** How many other names' writers arrive at the same slip for each one of the record's. */
  neighbours: 2,
  /** One half of a double surname. */
  part: 0.15,
  /** Another surname than the row's, which is in the e-mail that they share. */
  lastInEmail: Math.log(0.5),
  /** A surname that only the e-mail has. */
  otherSurname: Math.log(0.1),
  swapped: Math.log(0.02),
  sameMiddle: 0.4,
  /** One in fourteen people has a given first letter. */
  initial: Math.log(10),
  /** D for RICHARD, who is DICK. */
  nicknameInitial: 0,
  lastInitial: Math.log(4),
  middleInitial: Math.log(12),
  otherFirst: Math.log(0.003),
  otherMiddle: Math.log(0.02),
  /** Marriages, mostly. */
  otherLast: Math.log(0.015),
  womansOtherLast: Math.log(0.03),
  mansOtherLast: Math.log(0.006),
} as const

/** Jr, Sr, II …: what row and record say together; half of all lists and records leave it out. */
export const GENERATION = {
  same: Math.log(15),
  different: Math.log(0.02),
  onlyRow: Math.log(0.2),
  onlyRecord: Math.log(0.6),
  /** That half of the Jrs among namesakes of one family are called so in rows, next to one row in forty. */
  ofNamesake: Math.log(20),
} as const

/** Lists are of the living; of the dead where they are old. */
export const LIFE = { dead: Math.log(0.3) } as const

export const CONTACT = {
  phone: 0.6,
  email: 0.7,
  /** Numbers and addresses that nobody listed yet, next to those who are. */
  unlistedHolders: 0.2,
  /**
   * The row's is known as other people's (whose it once was, or who share it), or not at all. Of whom phones and e-mails are
   * known, mostly all are known; of whom only one kind is, the other often is lacking.
   */
  othersPhone: { both: Math.log(0.15), own: Math.log(0.25), other: Math.log(0.6), none: Math.log(0.9) },
  unknownPhone: { both: Math.log(0.07), own: Math.log(0.25), other: Math.log(0.5), none: Math.log(0.95) },
  othersEmail: { both: Math.log(0.06), own: Math.log(0.06), other: Math.log(0.15), none: Math.log(0.15) },
  unknownEmail: { both: Math.log(0.1), own: Math.log(0.25), other: Math.log(0.6), none: Math.log(0.95) },
} as const

export const BIRTH = {
  /** Days that people are born on, with the share of dates that are right. */
  day: Math.log(0.9 * 20_000),
  month: Math.log(0.9 * 660),
  year: Math.log(0.9 * 55),
  /** Day and month swapped; another day of the month, which one in 660 has by chance; another year, as one in 365. */
  swapped: Math.log(60),
  otherDay: Math.log(3),
  otherYear: 0,
  sameYear: Math.log(0.5),
  other: Math.log(0.004),
  age: Math.log(16),
  nearAge: Math.log(3),
} as const

/** Shares of the rows with a street whose person is known at that address, … in that state, elsewhere. */
export const PLACE = {
  home: 0.7,
  formerHome: 0.12,
  building: 0.02,
  mistypedStreet: 0.03,
  street: 0.002,
  zip: 0.05,
  city: 0.05,
  /** Two moves in three stay in the county. */
  state: 0.03,
  elsewhere: 0.06,
  /** The same for what is asked without a street. */
  askedZip: 0.85,
  askedCity: 0.85,
  askedState: 0.9,
} as const
