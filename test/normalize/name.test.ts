import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseName } from '../../src/normalize/name.ts'
import type { NameOrder, ParsedName, PartyKind } from '../../src/normalize/name.ts'
import { anyLetter } from '../support/any-text.ts'

const peopleOf = ({ people }: ParsedName): string =>
  people
    .map(({ first, middle, last, suffix }) =>
      [first, middle, last, suffix].map((part) => part ?? '-').join(' / '),
    )
    .join(' + ')

// first / middle / last / suffix; '-' for none; '+' between people
test.each<[string, string]>([
  ['ROE JANE', 'JANE / - / ROE / -'],
  ['ROE JANE Q', 'JANE / Q / ROE / -'],
  ['ROE, JANE Q', 'JANE / Q / ROE / -'],
  ['ROE JOHN Q JR', 'JOHN / Q / ROE / JR'],
  ['ROE JR JOHN Q', 'JOHN / Q / ROE / JR'],
  ['ROE, JR, JOHN Q', 'JOHN / Q / ROE / JR'],
  ['ROE JOHN III', 'JOHN / - / ROE / III'],
  ['ROE JOHN MD', 'JOHN / - / ROE / -'],
  ['DE LA CRUZ MARIA', 'MARIA / - / DE LA CRUZ / -'],
  ['VAN DYKE JOHN', 'JOHN / - / VAN DYKE / -'],
  ['VON DER HEIDE ANNA', 'ANNA / - / VON DER HEIDE / -'],
  ['MC DONALD JAMES R', 'JAMES / R / MCDONALD / -'],
  ['O BRIEN JOHN', 'JOHN / - / OBRIEN / -'],
  ["O'BRIEN JOHN", 'JOHN / - / OBRIEN / -'],
  ['GARCIA LOPEZ MARIA', 'MARIA / - / GARCIA LOPEZ / -'],
  ['ROE-DOE MARY ANN', 'MARY / ANN / ROE DOE / -'],
  ['PEÑA JOSÉ', 'JOSE / - / PENA / -'],
  ['ROE JOHN & JANE', 'JOHN / - / ROE / - + JANE / - / ROE / -'],
  ['ROE JOHN A & JANE B', 'JOHN / A / ROE / - + JANE / B / ROE / -'],
  ['ROE, JOHN A & JANE B', 'JOHN / A / ROE / - + JANE / B / ROE / -'],
  ['ROE JOHN & MARY ANN', 'JOHN / - / ROE / - + MARY / ANN / ROE / -'],
  ['ROE JOHN & JONES MARY A', 'JOHN / - / ROE / - + MARY / A / JONES / -'],
  ['ROE JOHN & ROE MARY A', 'JOHN / - / ROE / - + MARY / A / ROE / -'],
  ['ROE JOHN A;JONES MARY', 'JOHN / A / ROE / - + MARY / - / JONES / -'],
  ['ROE JOHN / JONES MARY', 'JOHN / - / ROE / - + MARY / - / JONES / -'],
  ['ROE JOHN & JANE H/W', 'JOHN / - / ROE / - + JANE / - / ROE / -'],
  ['ROE JOHN ET UX', 'JOHN / - / ROE / -'],
  ['ROE JOHN ETVIR', 'JOHN / - / ROE / -'],
  ['ROE JOHN & JANE JTRS', 'JOHN / - / ROE / - + JANE / - / ROE / -'],
  ['ROE JOHN & JANE TENANTS BY THE ENTIRETY', 'JOHN / - / ROE / - + JANE / - / ROE / -'],
  ['ROE JOHN A SINGLE MAN', 'JOHN / - / ROE / -'],
  ['ROE JOHN/GUARDIAN', 'JOHN / - / ROE / -'],
  ['ROE JOHN AS DEVISEE OF MARY ROE', 'JOHN / - / ROE / -'],
  ['ROE JOHN (50%)', 'JOHN / - / ROE / -'],
  ['ROE DE ANDRE L', 'DE ANDRE / L / ROE / -'],
  ['ROE DE SOTO MARIA', 'MARIA / - / ROE DE SOTO / -'],
  ['ROE LA SHAWN K', 'LA SHAWN / K / ROE / -'],
  ['ROE JOHN AKA JACK ROE', 'JOHN / - / ROE / -'],
  ['ROE JOHN, A', 'JOHN / A / ROE / -'],
  ['ROE DOE, J', 'J / - / ROE DOE / -'],
  ['ROE, BSN, RN, JANE', 'JANE / - / ROE / -'],
])('county order %j', (text, people) => {
  const found = parseName(text, 'surname_first')
  expect(found.kind).toBe('individual')
  expect(peopleOf(found)).toBe(people)
})

test.each<[string, string]>([
  ['Jane Roe', 'JANE / - / ROE / -'],
  ['Jane Q. Roe', 'JANE / Q / ROE / -'],
  ['La Shawn K. Roe', 'LA SHAWN / K / ROE / -'],
  ['Jo Anne Roe', 'JO ANNE / - / ROE / -'],
  ['J. Quincy Roe', 'J / QUINCY / ROE / -'],
  ['Roe, Jane Q.', 'JANE / Q / ROE / -'],
  ['Roe, Jr., John', 'JOHN / - / ROE / JR'],
  ['Dr. Jane Roe, MD', 'JANE / - / ROE / -'],
  ['Jane Roe, Ph.D.', 'JANE / - / ROE / -'],
  ['Mr. and Mrs. John Roe', 'JOHN / - / ROE / -'],
  ['Dr. Roe & Dr. Doe', '- / - / ROE / - + - / - / DOE / -'],
  ['John and Jane Roe', 'JOHN / - / ROE / - + JANE / - / ROE / -'],
  ['John A & Jane B Roe', 'JOHN / A / ROE / - + JANE / B / ROE / -'],
  ['John Roe and Mary Jones', 'JOHN / - / ROE / - + MARY / - / JONES / -'],
  ['Robert "Bob" Roe Sr.', 'ROBERT / - / ROE / SR'],
  ["Robert 'Bob' Roe", 'ROBERT / - / ROE / -'],
  ['Robert (Bob) Roe', 'ROBERT / - / ROE / -'],
  ['Elizabeth van der Berg', 'ELIZABETH / - / VAN DER BERG / -'],
  ["Mary O'Hara", 'MARY / - / OHARA / -'],
  ['State Senator Jane Roe', 'JANE / - / ROE / -'],
  ['John Roe 2nd', 'JOHN / - / ROE / II'],
  ['Thanh Le', 'THANH / - / LE / -'],
  ['Jane Q, Roe', 'JANE / Q / ROE / -'],
  ['Van Dyke, J', 'J / - / VAN DYKE / -'],
  ['Qianwen Roe', 'QIANWEN / - / ROE / -'],
  ['Mary Kowalchevski', 'MARY / - / KOWALCHEVSKI / -'],
])('given names first %j', (text, people) => {
  const found = parseName(text, 'given_first')
  expect(found.kind).toBe('individual')
  expect(peopleOf(found)).toBe(people)
})

test.each<[string, string]>([
  ['SMITH JOHN A', 'JOHN / A / SMITH / -'],
  ['JOHN A SMITH', 'JOHN / A / SMITH / -'],
  ['ROBERT JOHNSON', 'ROBERT / - / JOHNSON / -'],
  ['JOHNSON ROBERT', 'ROBERT / - / JOHNSON / -'],
])('where the order is not known, frequency tells it: %j', (text, people) => {
  expect(peopleOf(parseName(text, 'unknown'))).toBe(people)
})

test.each<[string, PartyKind]>([
  ['ACME HOLDINGS LLC', 'llc'],
  ['ACME HOLDINGS L.L.C.', 'llc'],
  ['ACME HOLDINGS L L C', 'llc'],
  ['ACME WIDGETS INC', 'corporation'],
  ['ROE & DOE PA', 'corporation'],
  ['ROE FAMILY LP', 'partnership'],
  ['DOE BROTHERS PARTNERSHIP', 'partnership'],
  ['FIRST EXAMPLE BANK NA', 'bank'],
  ['EXAMPLE BANK OF AUSTIN', 'bank'],
  ['EXAMPLE TEACHERS CREDIT UNION', 'bank'],
  ['CITY OF AUSTIN', 'government'],
  ['TRAVIS COUNTY', 'government'],
  ['EXAMPLE INDEPENDENT SCHOOL DISTRICT', 'government'],
  ['UNITED STATES OF AMERICA', 'government'],
  ['OAK HILL HOMEOWNERS ASSOCIATION', 'association'],
  ['ST FRANCIS CHURCH', 'association'],
  ['FIRST BAPTIST CHURCH OF EXAMPLE', 'association'],
  ['CITIZENS FOR ROE', 'association'],
  ['ROE FAMILY TRUST', 'trust'],
  ['ROE JOHN TRUSTEE', 'trust'],
  ['ROE JANE EST', 'estate'],
  ['ESTATE OF JANE ROE', 'estate'],
  ['ROE PLUMBING', 'entity'],
  ["JANE'S ON MAIN", 'entity'],
  ['BARON & BUDD', 'entity'],
  ['OAK HILL REAL ESTATE', 'entity'],
  ['JOHN ROE GLAZIERS', 'entity'],
  ['DAVID JOHN ROE CABINET', 'entity'],
  ['ROE DEFOLIATION', 'entity'],
  ['R & T ASPHALT', 'entity'],
  ['TONYS PLACE', 'entity'],
  ['LOS CABOS', 'entity'],
  ['HAWTHORN ST', 'entity'],
  ['WELLS FARGO', 'entity'],
  ['ROE-DOE-LITTLE', 'entity'],
  ['WELLS FARRAH', 'individual'],
  ['ROE STONE', 'individual'],
  ['JOHN CHURCH', 'individual'],
  ['XU ZHIGANG', 'individual'],
  ['', 'unknown'],
  ['& ; /', 'unknown'],
])('%j is of kind %s', (text, kind) => {
  expect(parseName(text, 'surname_first').kind).toBe(kind)
})

test.each<[string, NameOrder, string]>([
  ['ROE JOHN A TRUSTEE', 'surname_first', 'JOHN / A / ROE / -'],
  ['ROE JOHN A & JANE TRS', 'surname_first', 'JOHN / A / ROE / - + JANE / - / ROE / -'],
  ['ROE JOHN A REVOCABLE TRUST', 'surname_first', 'JOHN / A / ROE / -'],
  ['The John A Roe Living Trust', 'given_first', 'JOHN / A / ROE / -'],
  ['ESTATE OF MARY JONES', 'surname_first', 'MARY / - / JONES / -'],
  ['JONES MARY EST', 'surname_first', 'MARY / - / JONES / -'],
  ['ROE FAMILY TRUST', 'surname_first', ''],
  ['OAK HILL LAND TRUST 1234', 'surname_first', ''],
])('the people that %j names', (text, order, people) => {
  expect(peopleOf(parseName(text, order))).toBe(people)
})

test.each<[string, string]>([
  ['GOODS,MARSHALL', 'MARSHALL / - / GOODS / -'],
  ['WIDE, ROBERT R', 'ROBERT / R / WIDE / -'],
  ['WIDE ROBERT R', 'ROBERT / R / WIDE / -'],
  ['STREET,ANTHONY', 'ANTHONY / - / STREET / -'],
  ['CHURCH, MARY', 'MARY / - / CHURCH / -'],
  ['BANKS JOHN A', 'JOHN / A / BANKS / -'],
  ['SPORTS JR, GEORGE', 'GEORGE / - / SPORTS / JR'],
  ['SPORTS, GEORGE MD', 'GEORGE / - / SPORTS / -'],
  ['GOODS, MARSHALL & ANN', 'MARSHALL / - / GOODS / - + ANN / - / GOODS / -'],
  ['KIDNEY JOHN S & KIDNEY JANE MARY', 'JOHN / S / KIDNEY / - + JANE / MARY / KIDNEY / -'],
  ['GOODS, ANN B & WIDE, CARL', 'ANN / B / GOODS / - + CARL / - / WIDE / -'],
])('a surname that is a trade or a place elsewhere: %j', (text, people) => {
  const found = parseName(text, 'surname_first')
  expect(found.kind).toBe('individual')
  expect(peopleOf(found)).toBe(people)
})

test.each<[string, PartyKind]>([
  ['ROE PLUMBING, INC', 'corporation'],
  ['PLUMBING, ROE', 'entity'],
  ['TRUST, ROE FAMILY', 'trust'],
  ['TRUST, JOHN ROE', 'trust'],
  ['CHURCH OF EXAMPLE, THE', 'association'],
  ['GOODS, MARSHALL INC', 'corporation'],
  ['GOODS, MARSHALL, P A', 'corporation'],
  ['GOODS MARSHALL L L C', 'llc'],
  ['GOODS, MARSHALL & SONS', 'entity'],
  ['GOODS, MARSHALL TRUSTEE', 'trust'],
  ['GOODS, MARSHALL EST', 'estate'],
  ['SPORTS GEORGE', 'entity'],
])('a comma alone makes nobody a person: %j', (text, kind) => {
  expect(parseName(text, 'surname_first').kind).toBe(kind)
})

test('what a field says beside names', () => {
  expect(parseName('ROE JOHN ET AL', 'surname_first').has_et_al).toBe(true)
  expect(parseName('ROE JOHN ETAL', 'surname_first').has_et_al).toBe(true)
  expect(parseName('ROE JOHN TRS', 'surname_first').is_trustee).toBe(true)
  expect(parseName('ROE JOHN (LE)', 'given_first').is_life_estate).toBe(true)
  expect(parseName('ROE JOHN LE', 'surname_first').is_life_estate).toBe(true)
  expect(parseName('ROE JOHN LIFE ESTATE', 'surname_first').is_life_estate).toBe(true)
  expect(parseName('ROE JOHN % ACME HOLDINGS LLC', 'surname_first').care_of).toBe('Acme Holdings LLC')
  expect(parseName('C/O JANE ROE', 'surname_first')).toMatchObject({ people: [], care_of: 'Jane Roe' })
})

test('a business shown and matched', () => {
  expect(parseName('ACME WIDGETS OF AUSTIN, L.L.C.', 'unknown')).toMatchObject({
    organisation: 'Acme Widgets of Austin LLC',
    organisation_key: 'ACME WIDGETS AUSTIN',
  })
  expect(parseName('The Acme Mgmt Co., Inc.', 'unknown').organisation_key).toBe(
    parseName('ACME MANAGEMENT COMPANY', 'unknown').organisation_key,
  )
})

test('a trade name is the business, its owner a person', () => {
  const found = parseName('ROE JANE DBA ROE PLUMBING', 'surname_first')
  expect(found).toMatchObject({ kind: 'entity', organisation: 'Roe Plumbing' })
  expect(peopleOf(found)).toBe('JANE / - / ROE / -')
})

const shown = (text: string): string | undefined => parseName(text, 'surname_first').people[0]?.display

test('names are shown as people write them', () => {
  expect(shown("O'BRIEN JOHN A JR")).toBe("John A O'Brien Jr")
  expect(shown('MCDONALD MARY ANN')).toBe('Mary Ann McDonald')
  expect(shown('ROE-DOE JANE III')).toBe('Jane Roe-Doe III')
})

test('parts of a name come in fields of their own', () => {
  expect(parseName("O'BRIEN\tMary Ann\tQ.\tJr", 'parts').people).toEqual([
    { first: 'MARY ANN', middle: 'Q', last: 'OBRIEN', suffix: 'JR', display: "Mary Ann Q O'Brien Jr" },
  ])
  expect(parseName('Roe Jr\tJohn\t\t', 'parts').people[0]).toMatchObject({
    last: 'ROE',
    suffix: 'JR',
    middle: null,
  })
  expect(parseName('Church\tJane\t\t', 'parts').kind).toBe('individual')
  expect(parseName('\t\t\t', 'parts')).toMatchObject({ kind: 'unknown', people: [] })
})

const ORDERS: NameOrder[] = ['surname_first', 'given_first', 'unknown', 'parts']

test('whatever is typed, reading a name gives an answer', () => {
  const words = fc.constantFrom('ROE', 'JANE', 'A', '&', ',', '/', '%', 'ET', 'AL', 'TRUST', 'OF', 'EST', 'JR', 'DR', '(', ')', '"', "'", 'LLC', 'C/O', 'DBA', 'LE', '.', 'O', 'MC', 'DE') // prettier-ignore
  const typed = fc.oneof(
    fc.string({ unit: anyLetter }),
    fc.array(words, { maxLength: 8 }).map((list) => list.join(' ')),
  )
  fc.assert(
    fc.property(typed, fc.constantFrom(...ORDERS), (text, order) => {
      const found = parseName(text, order)
      for (const person of found.people) expect(person.display).not.toBe('')
      if (found.kind === 'individual') expect(found.people.length).toBeGreaterThan(0)
    }),
    { numRuns: 1500 },
  )
})

test('case and spaces do not tell names apart, and a shown name reads as itself', () => {
  const first = fc.constantFrom('John', 'Mary', 'Zhigang', 'Ana', 'Robert')
  const middle = fc.constantFrom('', 'Q', 'Lee', 'Ann')
  const last = fc.constantFrom(
    'Roe',
    'Smith',
    "O'Brien",
    'De La Cruz',
    'McDonald',
    'Van Dyke',
    'Garcia',
    'Roe-Doe',
  )
  const suffix = fc.constantFrom('', 'Jr', 'III')
  fc.assert(
    fc.property(
      first,
      middle,
      last,
      suffix,
      fc.constantFrom(' ', '  '),
      (...[given, between, surname, end, space]) => {
        const text = [given, between, surname, end].filter((part) => part !== '').join(' ')
        const found = parseName(text, 'given_first')
        expect(parseName(text.toUpperCase().replaceAll(' ', space), 'given_first')).toEqual(found)
        expect(parseName(text.toLowerCase(), 'given_first')).toEqual(found)
        expect(parseName(found.people[0]!.display, 'given_first')).toEqual(found)
      },
    ),
  )
})
