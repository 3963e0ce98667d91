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
  twins: 0.03,
  /** Of them: with the same phone, the same e-mail. */
  phone: Math.log(0.6),
  email: Math.log(0.1),
} as const

/** Homes and numbers of relatives: the share of people who are listed with them though the snapshot doesn't know it. */
export const FAMILY = {
  shares: 0.1,
  /** About how many people of a surname are one family. */
  size: 4,
} as const

export const NAME = {
  same: 0.8,
  /** A nickname of the record's name, or the other way round. */
  nickname: 0.03,
  /** However rare the name: what a nickname says at most. */
  mostOfNickname: Math.log(25),
  /** This very slip of the keyboard, of the hundred that a name can have; one of two slips. */
  oneEdit: 0.0006,
  twoEdits: 0.000004,
  /** Another spelling of the same sound. */
  sound: 0.001,
  /** How many other names' writers arrive at the same slip for each one of the record's. */
  neighbours: 2,
  /** One half of a double surname. */
  part: 0.15,
  swapped: Math.log(0.02),
  sameMiddle: 0.4,
  /** One in fourteen people has a given first letter. */
  initial: Math.log(10),
  lastInitial: Math.log(4),
  middleInitial: Math.log(8),
  otherFirst: Math.log(0.003),
  otherMiddle: Math.log(0.1),
  /** Marriages, mostly. */
  otherLast: Math.log(0.015),
} as const

/** Jr, Sr, II …: what is multiplied when row and record say different ones; when only one says one, and nothing else tells father from son. */
export const GENERATION = { different: 0.02, onlyOne: 0.7 } as const

export const CONTACT = {
  phone: 0.6,
  email: 0.7,
  /** Numbers and addresses that nobody listed yet, next to those who are. */
  unlistedHolders: 0.2,
  /** The row's phone is known, but as other people's; is not known at all. */
  othersPhone: Math.log(0.12),
  unknownPhone: Math.log(0.5),
  othersEmail: Math.log(0.08),
  unknownEmail: Math.log(0.6),
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
