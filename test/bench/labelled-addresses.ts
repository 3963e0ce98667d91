import { ORDINALS, streetWord } from '../../src/normalize/street-words.ts'
import type { Labelled } from './labelled.ts'

/** A street line in parts, each in one spelling (USPS abbreviations, no punctuation), '' where there is none. */
export interface ScoredLine {
  number: string
  pre: string
  name: string
  suffix: string
  post: string
  /** Unit words in the order of the alphabet: 'APT 4', '4' where no word says what it is. */
  unit: string
  box: string
  cross: string
}

const NUMBER = new Set(['AddressNumberPrefix', 'AddressNumber', 'AddressNumberSuffix'])
const NAME = new Set(['StreetNamePreModifier', 'StreetNamePreType', 'StreetName', 'StreetNamePostModifier'])
const UNIT = new Set(['OccupancyType', 'OccupancyIdentifier', 'SubaddressType', 'SubaddressIdentifier'])
const ROUTE = new Set(['USPSBoxGroupID'])

/** What the labels say; null where they name neither a street nor a box. */
export function expectedLine(labelled: Labelled): ScoredLine | null {
  const { words } = labelled
  const corner = words.findIndex(({ label }) => label === 'IntersectionSeparator')
  const first = corner < 0 ? words : words.slice(0, corner)
  const street = streetOf(first)
  const box = wordsOf(words, (label) => label === 'USPSBoxID')
  const route = wordsOf(words, (label) => ROUTE.has(label))
  if (street.name === '' && box.length === 0 && route.length === 0) return null
  const other = corner < 0 ? null : streetOf(words.slice(corner + 1))
  return {
    number: squeeze(wordsOf(words, (label) => NUMBER.has(label))),
    ...street,
    unit: unitText(wordsOf(words, (label) => UNIT.has(label))),
    box: boxText([...route, ...box]),
    cross: other === null ? '' : lineText({ ...EMPTY, ...other }),
  }
}

const EMPTY: ScoredLine = {
  number: '',
  pre: '',
  name: '',
  suffix: '',
  post: '',
  unit: '',
  box: '',
  cross: '',
}

function streetOf(words: Labelled['words']): Pick<ScoredLine, 'pre' | 'name' | 'suffix' | 'post'> {
  const suffixes = words.filter(({ label }) => label === 'StreetNamePostType')
  const last = suffixes.at(-1)
  return {
    pre: directionOf(wordsOf(words, (label) => label === 'StreetNamePreDirectional')),
    // Of several suffixes the last is the suffix, the others belong to the name (Publication 28, 234.2).
    name: nameOf(
      words
        .filter((word) => NAME.has(word.label) || (word.label === 'StreetNamePostType' && word !== last))
        .map(({ word }) => word),
    ),
    suffix: last === undefined ? '' : suffixOf(last.word),
    post: directionOf(wordsOf(words, (label) => label === 'StreetNamePostDirectional')),
  }
}

function wordsOf(words: Labelled['words'], keep: (label: string) => boolean): string[] {
  return words.filter(({ label }) => keep(label)).map(({ word }) => word)
}

/** Upper case, letters and figures only. */
export function plain(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '')
}

export function squeeze(words: string[]): string {
  return words.map(plain).join('')
}

export function nameOf(words: string[]): string {
  return words
    .map(plain)
    .filter((word) => word !== '')
    .join(' ')
}

export function suffixOf(word: string): string {
  return streetWord(plain(word))?.suffix ?? plain(word)
}

export function directionOf(words: string[]): string {
  return words.map((word) => streetWord(plain(word))?.directional ?? plain(word)).join('')
}

/** Units in one spelling. Designators are abbreviated, ordinals are figures, marks without meaning are out. */
export function unitText(words: string[]): string {
  const parts: string[] = []
  for (const word of words.flatMap((text) => text.toUpperCase().split(/[^A-Z0-9]+/)).flatMap(unglued)) {
    if (word === '' || word === 'NO') continue
    if (word === 'ST') parts.push('STE') // 'st. 310' behind a street
    if (word === 'ST') continue
    const figures = (ORDINALS.get(word) ?? word).replace(/^(\d+)(ST|ND|RD|TH)$/, '$1')
    parts.push(streetWord(word)?.unit ?? figures)
  }
  return parts.sort().join('')
}

// 'UNIT508' is 'UNIT 508'.
function unglued(word: string): string[] {
  const [, letters = '', number = ''] = /^([A-Z]{3,})(\d.*)$/.exec(word) ?? []
  return streetWord(letters)?.unit == null ? [word] : [letters, number]
}

/** The numbers of a route and a box: what kind of route it is ('RR', 'HC', 'RFD') the labels say in many ways. */
export function boxText(words: string[]): string {
  return words.map((word) => plain(word).replace(/^(NO|RR(?=\d))?0*(?=.)/, '')).join('')
}

/** The parts in a row, as one string. */
export function lineText(line: ScoredLine): string {
  return [line.number, line.pre, line.name, line.suffix, line.post, line.cross, line.box, line.unit]
    .filter((part) => part !== '')
    .join(' ')
}
