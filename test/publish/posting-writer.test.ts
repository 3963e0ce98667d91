import { expect, test } from 'vitest'
import { createStore, numbersOf } from '../../src/lookup/format/store.ts'
import { PostingWriter } from '../../src/publish/posting-writer.ts'
import { withFolder } from '../support/folder.ts'

test('a key keeps all of its numbers in their order, however many they are and in whatever parts they arrive', async () => {
  await withFolder(async (folder) => {
    const store = createStore(folder)
    const many = Array.from({ length: 5_000 }, (_, index) => index * 3)
    const written: [string, number[]][] = []
    const writer = new PostingWriter<string>(store, (key, value) =>
      written.push([key, [...numbersOf(value)]]),
    )
    const rows: [string, number][] = [
      ['ASH', 7],
      ...many.map((number): [string, number] => ['OAK', number]),
      ['YEW', 1],
      ['YEW', 2],
    ]
    for (const part of [rows.slice(0, 1_500), rows.slice(1_500)]) {
      writer.addAll(
        part.length,
        (row) => part[row]![0],
        (row) => part[row]![1],
      )
    }
    writer.end()
    await store.root.close()
    expect(written).toEqual([
      ['ASH', [7]],
      ['OAK', many],
      ['YEW', [1, 2]],
    ])
  })
})
