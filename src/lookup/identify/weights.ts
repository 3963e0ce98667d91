/**
 * What is believed about how lists go wrong, as probabilities that a row about a person shows what it does. The README says
 * what they mean together; the bench (`npm run bench -- enrich`) shows how well the score that comes of them is kept.
 */

/** How often the person whom a row means is among the people of the snapshot. */
export const IN_SNAPSHOT = 0.8

/** People of whom the snapshot knows nothing, for each person whom it knows: with the same surname, home and numbers. */
export const UNSEEN = {
  relatives: 0.15,
  /** Of them: with the same given name, or born on the same day. */
  namesakes: 0.04,
  /** The same of who is called Jr or Sr. */
  namesakesOfJr: 0.3,
  twins: 0.03,
  /** Of them: with the same phone, the same e-mail. */
  phone: Math.log(0.6),
  email: Math.log(0.1),
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
  /** Called by the middle name. */
  byMiddle: 0.03,
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
  sound: 0.0005,
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
  middleInitial: Math.log(8),
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
  onlyRow: Math.log(0.35),
  onlyRecord: Math.log(0.6),
  /** A namesake in the family is one of them. */
  ofNamesake: Math.log(8),
} as const

/** Lists are of the living; of the dead where they are old. */
export const LIFE = { dead: Math.log(0.3) } as const

export const CONTACT = {
  phone: 0.6,
  email: 0.7,
  /** Numbers and addresses that nobody listed yet, next to those who are. */
  unlistedHolders: 0.2,
  /** The row's is known as other people's, or not at all: for who has known ones of their own, and for who has none. */
  othersPhone: { known: Math.log(0.1), none: Math.log(0.25) },
  unknownPhone: { known: Math.log(0.4), none: Math.log(0.9) },
  othersEmail: { known: Math.log(0.06), none: Math.log(0.15) },
  unknownEmail: { known: Math.log(0.4), none: Math.log(0.9) },
} as const

export const BIRTH = {
  /** Days that people are born on, with the share of dates that are right. */
  day: Math.log(0.9 * 20_000),
  month: Math.log(0.9 * 660),
  year: Math.log(0.9 * 55),
  /** Day and month swapped, or one figure wrong. */
  slip: Math.log(30),
  sameYear: Math.log(0.5),
  other: Math.log(0.004),
  age: Math.log(16),
  nearAge: Math.log(3),
} as const

/** Shares of the rows with a street whose person is known at that address, … in that state, elsewhere. */
export const PLACE = {
  home: 0.7,
  formerHome: 0.12,
  building: 0.05,
  mistypedStreet: 0.03,
  street: 0.01,
  zip: 0.05,
  city: 0.05,
  state: 0.05,
  elsewhere: Math.log(0.06),
  /** The same for what is asked without a street. */
  askedZip: 0.85,
  askedCity: 0.85,
  askedState: 0.9,
  notAskedZip: Math.log(0.12),
} as const
