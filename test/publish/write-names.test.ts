import { expect, test } from 'vitest'
import { type Columns, TOKEN } from '../../src/lookup/format/columns.ts'
import { deletionHashes } from '../../src/lookup/format/deletions.ts'
import { Dictionary } from '../../src/lookup/format/dictionary.ts'
import { createStore, numbersOf, posting, type Store } from '../../src/lookup/format/store.ts'
import { wordsOf } from '../../src/lookup/format/words.ts'
import { phoneticKey } from '../../src/normalize/phonetic.ts'
import { numberRows, rankRows } from '../../src/publish/number-rows.ts'
import { writeNames } from '../../src/publish/write-names.ts'
import { withFolder } from '../support/folder.ts'
import { emptyPublished } from '../support/published.ts'
import { given, withWarehouse } from '../support/warehouse.ts'

interface Name {
  readonly person: number
  readonly isPrimary: boolean
  readonly parts: readonly [first: string | null, middle: string | null, last: string | null]
}

const FIRST = ['MARIA', 'JOSE LUIS', 'ANN', 'ÅSA', "D'ARCY", 'J', null]
const MIDDLE = [null, 'LEE', 'ANN MARIE', null]
const LAST = ['SMITH', 'DE LA CRUZ', 'O’BRIEN', 'SMITH-JONES', 'ÖZ', 'LEE']

/** Thirty people with a primary name, some with one or two more, and one without any. */
function names(): Name[] {
  const all: Name[] = []
  for (let person = 0; person < 30; person++) {
    const count = person === 7 ? 0 : 1 + (person % 3)
    for (let n = 0; n < count; n++) {
      const seed = person * 5 + n * 3
      all.push({
        person,
        isPrimary: n === 0,
        parts: [FIRST[seed % 7]!, MIDDLE[seed % 4]!, LAST[(seed + n) % 6]!],
      })
    }
  }
  return all
}

const idOf = (person: number): string => `P${String(person).padStart(10, '0')}`

type Written = Pick<Columns, 'person_name_start' | 'name_tokens' | 'word_people' | 'word_partner_start' | 'partner_words' | 'partner_people_start' | 'partner_people'> // prettier-ignore

async function written(body: (columns: Written, words: Dictionary, store: Store) => void): Promise<void> {
  await withWarehouse(async (db) => {
    await withFolder(async (folder) => {
      await emptyPublished(db)
      // Equal completeness and no names of their own: people are numbered by their ids.
      await given(db, 'published.people', Array.from({ length: 30 }, (_, person) => ({ person_id: idOf(person), last_name: 'X' }))) // prettier-ignore
      await given(
        db,
        'published.person_names',
        names().map(({ person, isPrimary, parts: [first_name, middle_name, last_name] }) => ({
          person_id: idOf(person), is_primary: isPrimary, first_name, middle_name, last_name,
        })), // prettier-ignore
      )
      const { signal } = new AbortController()
      await rankRows(db, signal)
      await numberRows(db, signal)
      const store = createStore(folder)
      const columns = await writeNames(db, store, 30, signal)
      body(columns, new Dictionary(columns.word_start, columns.word_text), store)
      await store.root.close()
    })
  })
}

const wordsIn = ({ parts }: Name): string[] => parts.flatMap((part) => wordsOf(part ?? ''))
const allWords = (): string[] => [...new Set(names().flatMap(wordsIn))]

test('the dictionary has every word of every name once, in the order of bytes', async () => {
  await written((_, words) => {
    const expected = allWords().sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(Array.from({ length: words.size }, (__, number) => words.text(number))).toEqual(expected)
  })
})

test("a person's tokens are the words of their names, the primary name first, with role and flags", async () => {
  await written(({ person_name_start: start, name_tokens: tokens }, words) => {
    for (let person = 0; person < 30; person++) {
      const own = names().filter((name) => name.person === person)
      const expected = own.map(({ isPrimary, parts }) =>
        parts.flatMap((part, role) =>
          wordsOf(part ?? '').map((word) => `${role + 1} ${isPrimary ? 'primary ' : ''}${word}`),
        ),
      )
      const found: string[][] = []
      for (let at = start[person]!; at < start[person + 1]!; at++) {
        const token = tokens[at]!
        if (token >= TOKEN.NEW_NAME) found.push([])
        const role = (token & TOKEN.ROLES) >>> 28
        found
          .at(-1)!
          .push(`${role} ${(token & TOKEN.PRIMARY) === 0 ? '' : 'primary '}${words.text(token & TOKEN.WORD)}`)
      }
      expect(found[0] ?? []).toEqual(expected[0] ?? [])
      expect(found.slice(1).map((name) => name.join()).sort()).toEqual(expected.slice(1).map((name) => name.join()).sort()) // prettier-ignore
    }
  })
})

test('each word has the people who bear it, ascending, and their number', async () => {
  await written(({ word_people }, words, store) => {
    for (let word = 0; word < words.size; word++) {
      const expected = [...new Set(names().filter((name) => wordsIn(name).includes(words.text(word))).map(({ person }) => person))] // prettier-ignore
      expect([...posting(store.words.getBinaryFast(word))], words.text(word)).toEqual(expected)
      expect(word_people[word]).toBe(expected.length)
    }
  })
})

test('each two words of one name stand once, under the word that is used less often, with their people', async () => {
  await written((columns, words) => {
    const uses = new Map<string, number>()
    for (const name of names()) for (const word of wordsIn(name)) uses.set(word, (uses.get(word) ?? 0) + 1)
    const expected = new Map<string, Set<number>>()
    for (const name of names()) {
      const own = wordsIn(name)
      for (const [at, one] of own.entries()) {
        for (const other of own.slice(at + 1)) {
          const order = uses.get(one)! - uses.get(other)! || words.find(one) - words.find(other)
          const [rare, common] = order < 0 ? [one, other] : [other, one]
          const key = `${rare} ${common}`
          expected.set(key, (expected.get(key) ?? new Set()).add(name.person))
        }
      }
    }
    const found = new Map<string, Set<number>>()
    for (let word = 0; word < words.size; word++) {
      const partners = columns.partner_words.subarray(
        columns.word_partner_start[word],
        columns.word_partner_start[word + 1],
      )
      expect([...partners]).toEqual([...new Set(partners)].sort((a, b) => a - b))
      for (const [at, partner] of partners.entries()) {
        const pair = columns.word_partner_start[word]! + at
        const people = columns.partner_people.subarray(
          columns.partner_people_start[pair],
          columns.partner_people_start[pair + 1],
        )
        expect([...people]).toEqual([...new Set(people)].sort((a, b) => a - b))
        found.set(`${words.text(word)} ${words.text(partner)}`, new Set(people))
      }
    }
    expect(found).toEqual(expected)
  })
})

test('each phonetic key has its words, and each deletion hash the words that it comes from', async () => {
  await written((_, words, store) => {
    const texts = Array.from({ length: words.size }, (__, number) => words.text(number))
    const bySound = Map.groupBy(texts.keys(), (number) => phoneticKey(texts[number]!))
    for (const [sound, numbers] of bySound) {
      if (sound === '') continue
      expect([...numbersOf(store.sounds.getBinaryFast(Buffer.from(sound))!)], sound).toEqual(numbers)
    }
    expect(Array.from(store.sounds.getKeys(), String).sort()).toEqual([...bySound.keys()].filter((sound) => sound !== '').sort()) // prettier-ignore
    const expected = texts.flatMap((word, number) =>
      [...deletionHashes(word)].map((hash) => `${hash} ${number}`),
    )
    const found: string[] = []
    for (const bucket of store.deletions.getKeys()) {
      const entries = numbersOf(store.deletions.getBinaryFast(bucket)!).slice()
      for (let at = 0; at < entries.length; at += 2) {
        expect(entries[at + 1]! >>> 16).toBe(bucket)
        if (at > 0) expect(entries[at - 1]).toBeLessThanOrEqual(entries[at + 1]!)
        found.push(`${entries[at + 1]!} ${entries[at]!}`)
      }
    }
    expect(found.sort()).toEqual(expected.sort())
  })
})
