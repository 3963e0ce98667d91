import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'

const SAMPLE = 'data/sample'
const truth = load('truth.csv')

test('the truth names no record twice, and only people of the world', () => {
  const ids = truth.map(([id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [, cluster] of truth)
    expect(Number(cluster)).toSatisfy((number) => number >= 1 && number <= 3000)
})

test('every voter, contact, donor and death of either day has its person', () => {
  const known = new Set(truth.map(([id]) => id))
  const expected: string[] = []
  for (const day of ['day-1', 'day-2']) {
    for (const line of lines(day, 'us-fl-statewide-voters'))
      expected.push(`us/fl/statewide.voters/voters/${line.split('\t')[1]}`)
    for (const line of lines(day, 'us-fec-contributions'))
      expected.push(`us/fec.contributions/itcont/${line.split('|')[20]}`)
    for (const row of table(day, 'us-lists-deaths', /csv$/))
      expected.push(`us/lists.deaths/deaths/${row['death_id']}`)
    for (const row of table(day, 'us-lists-contacts', /csv$/)) {
      expected.push(`us/lists.contacts/contacts/${row['contact_id']}`)
      if (row['phone_2'] !== '') expected.push(`us/lists.contacts/contacts/${row['contact_id']}:phone_2`)
    }
  }
  expect(expected.length).toBeGreaterThan(3000)
  expect(expected.filter((id) => !known.has(id))).toEqual([])
})

test('every party of a deed that is a person has its person', () => {
  const known = new Set(truth.map(([id]) => id))
  const parties = ['day-1', 'day-2'].flatMap((day) => table(day, 'us-ny-nyc-acris', /parties/))
  // `LAST, FIRST`: only people are written with a comma here.
  const people = parties.filter((row) => /^[A-Z' -]+, [A-Z]+( [A-Z]+)?$/.test(row['NAME']!))
  expect(people.length).toBeGreaterThan(1000)
  for (const row of people) {
    if (/ (INC|CORP)$|, INC/.test(row['NAME']!)) continue
    expect(known).toContain(
      `us/ny/nyc.acris/parties/${row['DOCUMENT ID']}|${row['PARTY TYPE']}|${row['NAME']}#1`,
    )
  }
})

test('several people of one owner field are numbered from one, in the order of their naming', () => {
  const numbers = new Map<string, number[]>()
  for (const [id] of truth) {
    const [, record = '', number = ''] = /^(.*)#(\d+)$/.exec(id) ?? []
    if (record !== '') numbers.set(record, [...(numbers.get(record) ?? []), Number(number)])
  }
  expect([...numbers.values()].some((list) => list.length === 2)).toBe(true)
  for (const list of numbers.values()) expect(list).toEqual(list.map((_, at) => at + 1))
})

test('what a record said on day 1 and not on day 2 stands apart', () => {
  const earlier = load('truth.day-1.csv')
  const final = new Map(truth)
  expect(earlier.length).toBeGreaterThan(0)
  for (const [id, cluster] of earlier) expect(final.get(id)).not.toBe(cluster)
})

function load(name: string): [id: string, cluster: string][] {
  return parse(readFileSync(join(SAMPLE, name), 'utf8'), { from_line: 2 }) as unknown as [string, string][]
}

function read(day: string, source: string, pattern: RegExp): string[] {
  const folder = join(SAMPLE, day, source)
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
}

function lines(day: string, source: string): string[] {
  return read(day, source, /txt$/).flatMap((text) => text.split(/\r?\n/).filter((line) => line !== ''))
}

function table(day: string, source: string, pattern: RegExp): Record<string, string>[] {
  return read(day, source, pattern).flatMap((text) => parse<Record<string, string>>(text, { columns: true }))
}

test('a lead names its true person only where the truth has that person', () => {
  const clusters = new Set(truth.map(([, cluster]) => cluster))
  const leads: string[][] = parse(readFileSync(join(SAMPLE, 'leads.csv'), 'utf8'), { from_line: 2 })
  const named = leads.map((lead) => lead.at(-1)!).filter((cluster) => cluster !== '')
  expect(named.length).toBeGreaterThan(1_500)
  expect(named.filter((cluster) => !clusters.has(cluster))).toEqual([])
})
