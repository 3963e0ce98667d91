import { expect, test } from 'vitest'
import { censusNames, nameFrequency } from '../../src/normalize/name-frequencies.ts'
import { referenceRows } from '../../src/normalize/reference.ts'

test('every name of the Census has its counts, and no other word has any', () => {
  const rows = referenceRows('names.csv')
  expect([...censusNames()]).toEqual(rows.map(([name]) => name))
  const wrong = rows.filter(([name, ...counts]) => {
    const found = nameFrequency(name!)
    const [surname, female, male] = counts.map((text) =>
      text === '' ? 0 : text === '0' ? 0.2 : Number(text),
    )
    return found?.surname !== surname || found?.female !== female || found?.male !== male
  })
  expect(wrong).toEqual([])
  expect(rows.filter(([name]) => nameFrequency(`${name}QQ`) !== undefined)).toEqual([])
  expect(['', ' ', 'smith', 'SMITH ', 'PEÑA'].map(nameFrequency)).toEqual(Array(5).fill(undefined))
})

test('a given name is likelier a first name than a surname, and the other way round', () => {
  expect(nameFrequency('JENNIFER')!.firstScore).toBeGreaterThan(1)
  expect(nameFrequency('SMITH')!.firstScore).toBeLessThan(-1)
  expect(nameFrequency('SMITH')!.given).toBeGreaterThanOrEqual(0.03)
})
