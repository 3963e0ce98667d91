/**
 * How often src/normalize reads labelled addresses and names right, and how fast, beside the packages that one would
 * otherwise take. test/bench/results/normalize.md describes the scoring and has the last figures.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { normalizeAddress } from '../../src/normalize/address.ts'
import type { StreetLine } from '../../src/normalize/address.ts'
import { parseName } from '../../src/normalize/name.ts'
import type { NameOrder, PersonName } from '../../src/normalize/name.ts'
import { commaNames, GIVEN_KINDS } from './comma-names.ts'
import {
  expectedLine,
  lineText,
  nameOf,
  plain,
  boxText,
  suffixOf as streetSuffix,
  directionOf,
  unitText,
} from './labelled-addresses.ts'
import type { ScoredLine } from './labelled-addresses.ts'
import { countyOrder, expectedPeople, samePeople, suffixOf } from './labelled-names.ts'
import type { ScoredPerson } from './labelled-names.ts'
import { loadLabelled } from './labelled.ts'
import type { Labelled } from './labelled.ts'
import { machineLine } from './machine.ts'

export interface Judged {
  text: string
  heldOut: boolean
  right: boolean
  expected: string
  found: string
}

/** Prints every figure; says so where the labelled data is absent. */
export async function run(): Promise<void> {
  console.log(machineLine())
  const addresses = loadLabelled('usaddress_training__labeled.xml', 'AddressString')
  const persons = loadLabelled('probablepeople_person_labeled.xml', 'Name')
  const companies = loadLabelled('probablepeople_company_labeled.xml', 'Name')
  if (addresses === null || persons === null || companies === null) {
    console.log(
      'SKIPPED: the labelled addresses and names are not beside the project (../shared/data/labelled)',
    )
    return
  }
  await Promise.resolve()
  console.log('right of the development part (three quarters), of the held-out quarter, of all')
  print('addresses, every part of the street line (goal 91 %)', judgeAddresses(addresses))
  print('  the line as one string', judgeAddresses(addresses, true))
  print('  parse-address, every part', judgeOthers(addresses, parseAddressLine, false))
  print('  parse-address, the line as one string', judgeOthers(addresses, parseAddressLine, true))
  print('  addresser, the line as one string', judgeOthers(addresses, addresserLine, true))
  const single = persons.filter((labelled) => countyOrder(labelled) !== null)
  print('persons, one with given name and surname (goal 97 %)', judgePersons(single, 'given_first'))
  print('  the same, order not told', judgePersons(single, 'unknown'))
  print('  another-name-parser', judgePersonsOther(single))
  print('couples and fragments too', judgePersons(persons, 'given_first'))
  print('  another-name-parser', judgePersonsOther(persons))
  print('persons in county order (goal 90 %)', judgeCounty(persons))
  print('  the same, order not told', judgeCounty(persons, 'unknown'))
  print('  another-name-parser', judgeCountyOther(persons))
  print('companies typed as companies (goal 95 %)', judgeCompanies(companies, 'unknown'))
  print('  the same, read as given_first', judgeCompanies(companies, 'given_first'))
  print('  the same, read as surname_first', judgeCompanies(companies, 'surname_first'))
  print('persons not typed as companies', judgeNotCompanies(persons))
  printCommaNames()
  const lines = addresses.map(({ text }) => text)
  const names = [...persons, ...companies].filter(({ words }) => words.length > 1).map(({ text }) => text)
  console.log('strings per second of processor time (goal 150,000)')
  printRate('addresses', lines, (text) => normalizeAddress({ line_1: text }))
  printRate('  parse-address', lines, (text) => parseAddress.parseLocation(text), 1)
  printRate('  addresser', lines, addresserLine, 1)
  printRate('names', names, (text) => parseName(text, 'unknown'))
  printRate('  another-name-parser', names, (text) => anotherNameParser(text), 1)
}

const require = createRequire(import.meta.url)
const parseAddress = require('parse-address') as {
  parseLocation(text: string): Record<string, string> | null
}
const addresser = require('addresser') as {
  parseAddress(text: string): { addressLine1?: string; addressLine2?: string }
}
const anotherNameParser = require('another-name-parser') as (
  text: string,
) => Record<'first' | 'middle' | 'last' | 'suffix', string | null>

export function judgeAddresses(all: Labelled[], whole = false): Judged[] {
  return judge(all, (labelled) => {
    const expected = expectedLine(labelled)
    if (expected === null) return null
    return compareLines(expected, scored(normalizeAddress({ line_1: labelled.text })), whole)
  })
}

function judgeOthers(all: Labelled[], parse: (text: string) => ScoredLine, whole: boolean): Judged[] {
  return judge(all, (labelled) => {
    const expected = expectedLine(labelled)
    return expected === null ? null : compareLines(expected, parse(labelled.text), whole)
  })
}

function compareLines(
  expected: ScoredLine,
  found: ScoredLine,
  whole: boolean,
): Omit<Judged, 'text' | 'heldOut'> {
  const keys = ['number', 'pre', 'name', 'suffix', 'post', 'unit', 'box', 'cross'] as const
  const right = whole
    ? plain(lineText(expected)) === plain(lineText(found))
    : keys.every((key) => plain(expected[key]) === plain(found[key]))
  return { right, expected: shown(expected), found: shown(found) }
}

function shown(line: ScoredLine): string {
  return Object.entries(line)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')
}

function scored(line: StreetLine): ScoredLine {
  const onRoute = line.kind === 'rural_route' || line.kind === 'military'
  const boxed = onRoute || line.unit_type === 'BOX'
  return {
    number: plain(line.house_number ?? ''),
    pre: line.pre_directional ?? '',
    name: onRoute ? '' : nameOf((line.street_name ?? '').split(' ')),
    suffix: line.street_suffix ?? '',
    post: line.post_directional ?? '',
    unit: boxed ? '' : unitText([line.building ?? '', line.unit_type ?? '', line.unit_number ?? '']),
    box: boxed
      ? boxText([(onRoute ? line.street_name : line.building)?.split(' ')[1] ?? '', line.unit_number ?? ''])
      : boxText([line.po_box ?? '']),
    cross: crossOf(line.cross_street),
  }
}

// One spelling for the other street of a corner, as the labels' side has it.
function crossOf(text: string | null): string {
  return text === null ? '' : text.split(' ').map(plain).join(' ')
}

function parseAddressLine(text: string): ScoredLine {
  const found = parseAddress.parseLocation(text) ?? {}
  return {
    number: plain(found['number'] ?? ''),
    pre: directionOf([found['prefix'] ?? found['prefix1'] ?? ''].filter((word) => word !== '')),
    name: nameOf((found['street'] ?? found['street1'] ?? '').split(' ')),
    suffix: streetSuffix(found['type'] ?? found['type1'] ?? ''),
    post: directionOf([found['suffix'] ?? ''].filter((word) => word !== '')),
    unit: /box/i.test(found['sec_unit_type'] ?? '')
      ? ''
      : unitText([found['sec_unit_type'] ?? '', found['sec_unit_num'] ?? '']),
    box: /box/i.test(found['sec_unit_type'] ?? '') ? boxText([found['sec_unit_num'] ?? '']) : '',
    cross: plain(
      [found['prefix2'], found['street2'], streetSuffix(found['type2'] ?? ''), found['suffix2']].join(''),
    ),
  }
}

function addresserLine(text: string): ScoredLine {
  const empty = { number: '', pre: '', name: '', suffix: '', post: '', unit: '', box: '', cross: '' }
  try {
    const { addressLine1 = '', addressLine2 = '' } = addresser.parseAddress(text)
    const words = addressLine1.replace(/^P\.?O\.? ?BOX/i, '').split(' ')
    const name = words.map((word, i) =>
      i === words.length - 1 ? streetSuffix(word) : (i > 0 && directionOf([word])) || plain(word),
    )
    return { ...empty, name: name.join(' '), unit: unitText([addressLine2]) }
  } catch {
    return empty
  }
}

function severalWords(labelled: Labelled): boolean {
  return labelled.words.length > 1
}

export function judgePersons(all: Labelled[], order: NameOrder): Judged[] {
  return judge(all.filter(severalWords), (labelled) =>
    compare(expectedPeople(labelled), ours(labelled.text, order)),
  )
}

function judgePersonsOther(all: Labelled[]): Judged[] {
  return judge(all.filter(severalWords), (labelled) =>
    compare(expectedPeople(labelled), theirs(labelled.text)),
  )
}

export function judgeCounty(all: Labelled[], order: NameOrder = 'surname_first'): Judged[] {
  return judge(all, (labelled) => {
    const text = countyOrder(labelled)
    return text === null ? null : compare(expectedPeople(labelled), ours(text, order))
  })
}

function judgeCountyOther(all: Labelled[]): Judged[] {
  return judge(all, (labelled) => {
    const text = countyOrder(labelled)
    return text === null ? null : compare(expectedPeople(labelled), theirs(text))
  })
}

export function judgeCompanies(all: Labelled[], order: NameOrder): Judged[] {
  return judge(all, ({ text }) => {
    const { kind } = parseName(text, order)
    return { right: kind !== 'individual' && kind !== 'unknown', expected: 'a company', found: kind }
  })
}

export function judgeNotCompanies(all: Labelled[]): Judged[] {
  return judge(all.filter(severalWords), ({ text }) => {
    const { kind } = parseName(text, 'unknown')
    return { right: kind === 'individual', expected: 'a person', found: kind }
  })
}

function compare(expected: ScoredPerson[], found: ScoredPerson[]): Omit<Judged, 'text' | 'heldOut'> {
  return { right: samePeople(expected, found), expected: peopleText(expected), found: peopleText(found) }
}

function peopleText(people: ScoredPerson[]): string {
  return people.map(({ first, middle, last, suffix }) => [first, middle, last, suffix].join('.')).join(' & ')
}

function ours(text: string, order: NameOrder): ScoredPerson[] {
  return parseName(text, order).people.map(scoredPerson)
}

function theirs(text: string): ScoredPerson[] {
  return [scoredPerson(anotherNameParser(text))]
}

function scoredPerson(person: Pick<PersonName, 'first' | 'middle' | 'last' | 'suffix'>): ScoredPerson {
  const suffix = suffixOf(plain(person.suffix ?? ''))
  return {
    first: plain(person.first ?? ''),
    middle: plain(person.middle ?? ''),
    last: plain(person.last ?? ''),
    suffix: GENERATIONS.has(suffix) ? suffix : '',
  }
}

// The other package also calls degrees a suffix; they are not held against it.
const GENERATIONS = new Set(['JR', 'SR', 'I', 'II', 'III', 'IV', 'V', 'VI'])

function judge(
  all: Labelled[],
  verdict: (labelled: Labelled) => Omit<Judged, 'text' | 'heldOut'> | null,
): Judged[] {
  const judged: Judged[] = []
  for (const labelled of all) {
    const found = verdict(labelled)
    if (found !== null) judged.push({ text: labelled.text, heldOut: labelled.heldOut, ...found })
  }
  return judged
}

function print(what: string, judged: Judged[]): void {
  const development = judged.filter(({ heldOut }) => !heldOut)
  const heldOut = judged.filter((item) => item.heldOut)
  console.log(
    `${what.padEnd(58)} ${share(development)} ${share(heldOut)} ${share(judged)}  of ${judged.length}`,
  )
}

function share(judged: Judged[]): string {
  const right = judged.filter((item) => item.right).length
  return `${((100 * right) / Math.max(1, judged.length)).toFixed(1).padStart(5)} %`
}

// Invented people as rolls write them, SURNAME,GIVEN: how many are typed as people.
function printCommaNames(): void {
  const people = commaNames(60_000, 20)
  const kinds = ['all', ...GIVEN_KINDS] as const
  console.log(`SURNAME,GIVEN typed as people (goal 99.8 %), of ${people.length}`)
  for (const kind of kinds) {
    const asked = people.filter(({ given }) => kind === 'all' || given === kind)
    const right = asked.filter(({ text }) => parseName(text, 'surname_first').kind === 'individual')
    console.log(`  given names: ${kind}`.padEnd(58), `${((100 * right.length) / asked.length).toFixed(2)} %`)
  }
}

// Four rounds after one to warm up; the best is shown. Processor time, so that what else runs on the machine and the
// collector's own threads count as what they are.
function printRate(what: string, texts: string[], parse: (text: string) => unknown, rounds = 20): void {
  let best = 0
  for (let attempt = 0; attempt < 5; attempt++) {
    const start = process.cpuUsage()
    for (let round = 0; round < rounds; round++) for (const text of texts) parse(text)
    const { user, system } = process.cpuUsage(start)
    if (attempt > 0) best = Math.max(best, (rounds * texts.length * 1e6) / (user + system))
  }
  console.log(`${what.padEnd(58)} ${Math.round(best).toLocaleString('en-US').padStart(9)}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await run()
