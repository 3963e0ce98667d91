import { expect, test } from 'vitest'
import { NOTHING_SIMILAR, type SimilarWords } from '../../src/lookup/snapshot/similar-words.ts'
import { WordQualities } from '../../src/lookup/snapshot/word-qualities.ts'

const similar = (hundredths: Record<number, number>): SimilarWords => ({
  ...NOTHING_SIMILAR,
  words: Uint32Array.from(Object.keys(hundredths), Number),
  hundredths: Uint8Array.from(Object.values(hundredths)),
})

test('what stands for the words of one query is forgotten when another asks, and known again when the first comes back', () => {
  const qualities = new WordQualities(6)
  const jane = [similar({ 0: 100, 3: 80 }), similar({ 2: 65 })]
  const ann = [similar({ 3: 90 }), NOTHING_SIMILAR, similar({ 5: 70 })]
  for (let round = 0; round < 2; round++) {
    expect(qualities.of(jane).slice(0, 2).map((table) => [...table])).toEqual([[100, 0, 0, 80, 0, 0], [0, 0, 65, 0, 0, 0]]) // prettier-ignore
    expect(qualities.of(ann).map((table) => [...table])).toEqual([[0, 0, 0, 90, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 70]]) // prettier-ignore
  }
})

test('words that nothing stands for share one table, which the words of other queries leave empty', () => {
  const qualities = new WordQualities(4)
  qualities.of([similar({ 1: 90 }), similar({ 2: 80 })])
  const [one, other] = qualities.of([NOTHING_SIMILAR, NOTHING_SIMILAR])
  expect(one).toBe(other)
  qualities.of([similar({ 1: 90 }), NOTHING_SIMILAR, similar({ 3: 70 })])
  expect([...one!]).toEqual([0, 0, 0, 0])
})
