import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deletionHashes, Deletions } from '../../src/lookup/format/deletions.ts'
import { createStore } from '../../src/lookup/format/store.ts'

const WORDS = [
  'ANNA',
  'HANNAH',
  'JOHN',
  'JOHNSON',
  'JON',
  'KATHERINE',
  'KATHRYN',
  'SMITH',
  'SMYTH',
  'STEVENSON',
]

test.each([
  ['all that was read is held', undefined],
  ['there is room for some of it', 100],
  ['there is room for nothing', 0],
])(
  'every word is found by each hash of its deletions, however often it is asked for, when %s',
  async (_, most) => {
    const folder = await mkdtemp(join(tmpdir(), 'platbook-deletions-'))
    const store = createStore(folder)
    try {
      const entries = WORDS.flatMap((word, number) =>
        Array.from(deletionHashes(word), (hash) => ({ hash, number })),
      )
      entries.sort((left, right) => left.hash - right.hash || left.number - right.number)
      for (const [bucket, some = []] of Map.groupBy(entries, ({ hash }) => hash >>> 16)) {
        const pairs = Uint32Array.from(some.flatMap(({ hash, number }) => [number, hash]))
        store.deletions.putSync(bucket, Buffer.from(pairs.buffer))
      }
      const deletions = new Deletions(store, most)
      const wordsOf = (hash: number): number[] => {
        const found: number[] = []
        deletions.forWords(hash, (word) => found.push(word))
        return found
      }
      for (let time = 0; time < 2; time++) {
        for (const { hash } of entries)
          expect(wordsOf(hash)).toEqual(
            entries.filter((one) => one.hash === hash).map(({ number }) => number),
          )
        expect(wordsOf(12_345)).toEqual([])
      }
    } finally {
      await store.root.close()
      await rm(folder, { recursive: true })
    }
  },
)
