import { readFileSync } from 'node:fs'
import { nameFrequency, UNCOUNTED } from './name-frequencies.ts'

export type OrganisationWordKind =
  'llc' | 'corporation' | 'partnership' | 'bank' | 'government' | 'association' | 'trust' | 'entity'

export interface OrganisationWord {
  kind: OrganisationWordKind
  /** How strongly the word points to an organisation. Words that are also names have lower weights. */
  weight: number
}

// Kinds whose words are legal forms. A plural form is not derived for them.
const FORMS = new Set<OrganisationWordKind>([
  'llc',
  'corporation',
  'partnership',
  'trust',
  'bank',
  'government',
])
interface OrganisationWords {
  readonly byWord: ReadonlyMap<string, OrganisationWord>
  /** The words of the file. `byWord` has derived words, too. */
  readonly listed: readonly string[]
}

let organisations: OrganisationWords | undefined

// Reads the file on first use, because the weights need the names of the Census.
function readOrganisationWords(): OrganisationWords {
  const byWord = new Map<string, OrganisationWord>()
  const lists = readFileSync(new URL('../../data/reference/organisation-words.txt', import.meta.url), 'utf8')
  for (const line of lists.split('\n')) {
    const [kind, words] = line.split(': ') as [OrganisationWordKind, string | undefined]
    for (const word of words?.split(' ') ?? []) {
      if (!byWord.has(word)) byWord.set(word, { kind, weight: wordWeight(word) })
    }
  }
  const listed = [...byWord.keys()]
  // Adds the singular of listed plurals and the plural of listed singulars ('CABINET', 'CLINICS'), unless it is a name.
  for (const word of listed) {
    const { kind, weight } = byWord.get(word)!
    if (word.length < 4 || weight < 4 || FORMS.has(kind)) continue
    const other = otherNumber(word)
    if (other !== null && other.length > 3 && nameFrequency(other) === undefined && !byWord.has(other))
      byWord.set(other, { kind, weight: 5 })
  }
  return { byWord, listed }
}

function otherNumber(word: string): string | null {
  if (word.endsWith('IES')) return word.slice(0, -3) + 'Y'
  if (word.endsWith('SSES') || word.endsWith('XES') || word.endsWith('CHES') || word.endsWith('SHES'))
    return word.slice(0, -2)
  if (word.endsWith('SS') || word.endsWith('US') || word.endsWith('IS') || word.endsWith('ICS')) return null
  if (word.endsWith('S')) return word.slice(0, -1)
  if (/[^AEIOU]Y$/.test(word)) return word.slice(0, -1) + 'IES'
  return /(X|CH|SH)$/.test(word) ? word + 'ES' : word + 'S'
}

// Returns 6 for a word that the Census does not list, which is enough alone. The weight of a name falls with its
// frequency, to 0 for GREEN and KING. The position of PA, CO and AG decides about them (organisation.ts).
function wordWeight(word: string): number {
  const frequency = nameFrequency(word)
  if (frequency === undefined) return 6
  const most = Math.max(frequency.surname, frequency.female, frequency.male)
  if (most < 0.5) return 4
  return most < 1.5 ? 2.5 : Math.max(0, Math.min(1.5, 2.2 - Math.log10(1 + most) * 1.1))
}

/** Returns kind and weight of an upper-case word of organisations; undefined for other words. */
export function organisationWord(word: string): OrganisationWord | undefined {
  organisations ??= readOrganisationWords()
  return organisations.byWord.get(word)
}

/** Returns the words of data/reference/organisation-words.txt. */
export function organisationWords(): readonly string[] {
  organisations ??= readOrganisationWords()
  return organisations.listed
}

/**
 * Returns how frequent a first name is, per 100,000 people, women and men together; 0.03 for a word that the Census
 * does not list.
 */
export function firstNameFrequency(word: string): number {
  return nameFrequency(word)?.given ?? UNCOUNTED.given
}

/** Returns how frequent a surname is, per 100,000 people; 0.05 for a word that the Census does not list. */
export function surnameFrequency(word: string): number {
  return Math.max(UNCOUNTED.surname, nameFrequency(word)?.surname ?? 0)
}

/**
 * Returns the log10 odds that a word is a first name rather than a surname. For a hyphenated word ('MARY-ANN') the
 * first part counts.
 */
export function firstScore(text: string): number {
  const space = text.indexOf(' ')
  const word = space > 0 ? text.slice(0, space) : text
  return nameFrequency(word)?.firstScore ?? UNCOUNTED.firstScore
}

export const TITLES = new Set([
  'MR', 'MRS', 'MS', 'MISS', 'MSTR', 'MX', 'DR', 'DOCTOR', 'PROF', 'PROFESSOR', 'REV', 'REVEREND', 'HON', 'HONORABLE', 'SIR', 'SEN', 'SENATOR', 'REP',
  'REPRESENTATIVE', 'CONGRESSMAN', 'CONGRESSWOMAN', 'GOV', 'GOVERNOR', 'MAYOR', 'CAPT', 'CAPTAIN', 'COL', 'COLONEL', 'GEN', 'LT', 'SGT', 'SERGEANT', 'MAJ',
  'CPL', 'PVT', 'CMDR', 'ADM', 'FR', 'FATHER', 'RABBI', 'PASTOR', 'ELDER', 'BISHOP', 'MME', 'MESSRS', 'ATTY', 'ATTORNEY', 'DRS', 'DOCTORS', 'COACH', 'ALDERMAN', 'PRESIDENT', 'OFFICER', 'SIS', 'BRO', 'SR.', 'HH', 'MAJOR', 'JUDGE', 'LADY', 'LORD', 'DAME', 'MADAM', 'SECRETARY', 'SISTER', 'DEACON', 'IMAM', 'CDR', 'LCDR', 'SSGT', 'MSGT', 'LTCOL', 'LTC', 'CPT', 'PFC', 'ENS', 'DETECTIVE', 'COUNCILMAN', 'COUNCILWOMAN', 'COMMISSIONER',
]) // prettier-ignore

/** Words before a title: 'State Senator', 'The Honorable', 'Vice President'. */
export const TITLE_LEADS = new Set([
  'STATE',
  'THE',
  'VICE',
  'LIEUTENANT',
  'FORMER',
  'US',
  'ASSISTANT',
  'DEPUTY',
  'MAJOR',
  'ASSOCIATE',
])

export const GENERATIONS = new Map([
  ['JR', 'JR'], ['JUNIOR', 'JR'], ['JNR', 'JR'], ['SR', 'SR'], ['SENIOR', 'SR'], ['SNR', 'SR'], ['II', 'II'], ['III', 'III'], ['IIII', 'IV'], ['IV', 'IV'],
  ['2ND', 'II'], ['3RD', 'III'], ['4TH', 'IV'], ['5TH', 'V'], ['1ST', 'I'], ['2D', 'II'], ['3D', 'III'], ['VI', 'VI'], ['VII', 'VII'],
]) // prettier-ignore

/**
 * Degrees, professions, memberships and orders after a name (data/reference/credentials.txt). They are not part of the
 * name.
 */
export const CREDENTIALS = new Set<string>()

/** The credentials that are also names or initials. They count only after a full name. */
export const DOUBTFUL_CREDENTIALS = new Set<string>()

const credentials = readFileSync(new URL('../../data/reference/credentials.txt', import.meta.url), 'utf8')
for (const line of credentials.split('\n')) {
  const [kind, words] = line.split(': ')
  for (const word of words?.split(' ') ?? []) {
    CREDENTIALS.add(word)
    if (kind === 'doubtful') DOUBTFUL_CREDENTIALS.add(word)
  }
}

export const PARTICLES = new Set([
  'DE', 'LA', 'LAS', 'LOS', 'DEL', 'DELA', 'DELLA', 'DELLE', 'DELLO', 'DI', 'DA', 'DAS', 'DO', 'DOS', 'DU', 'DES', 'D', 'LE', 'VAN', 'VANDER', 'VANDEN', 'VON', 'DER', 'DEN', 'TEN', 'TER', 'TE', 'ZU', 'ZUR', 'ZUM',
  'ST', 'SAINT', 'STE', 'SAN', 'SANTA', 'SANTO', 'MC', 'MAC', 'FITZ', 'O', 'AL', 'EL', 'BEN', 'BIN', 'IBN', 'ABU', 'BINT', 'ABD', 'ABDUL', 'AP', 'AF', 'AV', 'MAR', 'Y', 'LO', 'DELOS', 'DELAS', 'UND',
]) // prettier-ignore

/** The particles that are also first names, initials or common surnames. They need further evidence. */
export const DOUBTFUL_PARTICLES = new Set(['D', 'O', 'Y', 'BEN', 'AL', 'MAR', 'DO', 'LE', 'LO', 'TE', 'AP', 'AF', 'AV', 'ABDUL', 'SAN', 'SANTO', 'ABU', 'VAN', 'DEL', 'LA', 'TEN', 'MAC', 'DU', 'DA', 'EL', 'STE', 'SAINT', 'SANTA', 'ABD']) // prettier-ignore

/** Words for the kind of a trust. */
export const TRUST_SORTS = new Set(['REV', 'REVOCABLE', 'REVOC', 'LIVING', 'LIV', 'LVG', 'IRREVOCABLE', 'IRREV', 'FAMILY', 'FAM', 'JOINT', 'TESTAMENTARY', 'INTER', 'VIVOS', 'LAND', 'QUALIFIED', 'RESIDENCE', 'MARITAL', 'BYPASS', 'EXEMPT', 'CREDIT', 'SHELTER', 'DISCLAIMER', 'DECEDENTS', 'SURVIVORS', 'RESIDUARY', 'REVOCABL', 'SPECIAL', 'NEEDS', 'SUPPLEMENTAL', 'THE', 'AGREEMENT', 'DECLARATION', 'RESTATED', 'AMENDED', 'SEPARATE', 'PROPERTY', 'RLT', 'IRR', 'PERSONAL', 'GST', 'NO', 'ESTATE', 'TRUST', 'TRUSTS', 'TRST', 'TR', 'OF']) // prettier-ignore

/** Vietnamese surnames. People with these names may have the first name Le, and may write the surname first. */
export const VIETNAMESE = new Set(['NGUYEN', 'TRAN', 'PHAM', 'HUYNH', 'HOANG', 'VO', 'VU', 'DANG', 'BUI', 'DO', 'NGO', 'DUONG', 'LY', 'DINH', 'TRUONG', 'LAM', 'TRINH', 'DAO', 'LUONG', 'PHAN', 'LE']) // prettier-ignore

/** Returns whether an upper-case word contains a vowel, so that it can be pronounced. */
export function hasVowel(word: string): boolean {
  return /[AEIOUY]/.test(word)
}
