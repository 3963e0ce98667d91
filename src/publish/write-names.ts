import type { DuckDBConnection } from '@duckdb/node-api'
import { TOKEN } from '../lookup/format/columns.ts'
import { deletionHashes } from '../lookup/format/deletions.ts'
import type { Store } from '../lookup/format/store.ts'
import { wordsSql } from '../lookup/format/words.ts'
import { phoneticKey } from '../normalize/phonetic.ts'
import { execute } from '../warehouse/query.ts'
import { readTexts, textsAsColumns } from './dictionaries.ts'
import { PostingWriter } from './posting-writer.ts'
import { rowChunks } from './row-batches.ts'
import { GrowingIntegers } from '../arrays.ts'

/**
 * Writes what searches find names by: the words of every name, the people of each word, pairs of words,
 * phonetic keys and deletions.
 */
export async function writeNames(
  db: DuckDBConnection,
  store: Store,
  personCount: number,
  signal: AbortSignal,
) {
  for (const statement of TABLES) await execute(db, statement)
  const columns = await nameTokens(db, personCount, signal)
  const word_people = await writeWordPostings(db, store, signal)
  const pairs = await pairColumns(db, word_people.length, signal)
  const words = await readTexts(db, 'select word from name_words order by word_no', signal)
  const dictionary = textsAsColumns(words)
  writeSounds(store, words)
  writeDeletions(store, words)
  for (const name of ['names', 'name_tokens', 'name_words']) await execute(db, `drop table temp.${name}`)
  return { ...columns, ...pairs, word_people, word_start: dictionary.start, word_text: dictionary.text }
}

const tokens = (role: number, column: string): string => `
  select person_no, name_no, is_primary, ${role} as role, unnest(words) as word, generate_subscripts(words, 1) as position
  from (select person_no, name_no, is_primary, ${wordsSql(column)} as words from names)`

const TABLES = [
  `create or replace temp table names as
   select people.person_no, coalesce(names.is_primary, false) as is_primary,
     row_number() over (order by people.person_no, coalesce(names.is_primary, false) desc, names.last_name, names.first_name,
       names.middle_name, names.name_suffix)::integer as name_no,
     names.first_name, names.middle_name, names.last_name
   from published.person_names as names
   join numbered_people as people using (person_id)`,
  `create or replace temp table name_tokens as
   ${tokens(1, 'first_name')} union all ${tokens(2, 'middle_name')} union all ${tokens(3, 'last_name')}`,
  `create or replace temp table name_words as
   select word, (row_number() over (order by word) - 1)::integer as word_no from (select distinct word from name_tokens)`,
  `create or replace temp table name_tokens as
   select person_no, name_no, is_primary, role, position::integer as position, word_no from name_tokens join name_words using (word)
   order by name_no, role, position`,
]

async function nameTokens(db: DuckDBConnection, personCount: number, signal: AbortSignal) {
  const start = new Uint32Array(personCount + 1)
  const list = new GrowingIntegers(personCount * 4)
  let previous = -1
  const select = `select person_no, name_no, is_primary::integer, role, word_no from name_tokens order by name_no, role, position`
  for await (const rows of rowChunks(db, select, signal)) {
    for (let row = 0; row < rows.count; row++) {
      const name = rows.integers(1, row)
      const flags =
        (name === previous ? 0 : TOKEN.NEW_NAME) +
        (rows.integers(2, row) === 1 ? TOKEN.PRIMARY : 0) +
        rows.integers(3, row) * TOKEN.FIRST
      list.push(flags + rows.integers(4, row))
      previous = name
      start[rows.integers(0, row) + 1]!++
    }
  }
  for (let person = 0; person < personCount; person++) start[person + 1]! += start[person]!
  return { person_name_start: start, name_tokens: list.unsigned().slice() }
}

/** Writes the people of each word, and returns how many people each word has. */
async function writeWordPostings(
  db: DuckDBConnection,
  store: Store,
  signal: AbortSignal,
): Promise<Uint32Array<ArrayBuffer>> {
  const counts: number[] = []
  const select = 'select distinct word_no, person_no from name_tokens order by word_no, person_no'
  const postings = new PostingWriter<number>(store, (word, value) => {
    store.words.putSync(word, value, { append: true })
    counts[word] = value.length / 4
  })
  for await (const rows of rowChunks(db, select, signal)) {
    postings.addAll(rows.count, (row) => rows.integers(0, row), (row) => rows.integers(1, row)) // prettier-ignore
  }
  postings.end()
  return Uint32Array.from(counts)
}

async function pairColumns(db: DuckDBConnection, wordCount: number, signal: AbortSignal) {
  const select = `
    with counted as (select word_no, count(*) as uses from name_tokens group by word_no)
    select distinct
      case when (l_count.uses, l.word_no) < (r_count.uses, r.word_no) then l.word_no else r.word_no end as rare,
      case when (l_count.uses, l.word_no) < (r_count.uses, r.word_no) then r.word_no else l.word_no end as common,
      l.person_no
    from name_tokens as l
    join name_tokens as r on r.name_no = l.name_no and (r.role > l.role or (r.role = l.role and r.position > l.position))
    join counted as l_count on l_count.word_no = l.word_no
    join counted as r_count on r_count.word_no = r.word_no
    order by rare, common, l.person_no`
  const word_partner_start = new Uint32Array(wordCount + 1)
  const words = new GrowingIntegers()
  const starts = new GrowingIntegers()
  const people = new GrowingIntegers()
  let last = { rare: -1, common: -1 }
  for await (const rows of rowChunks(db, select, signal)) {
    for (let row = 0; row < rows.count; row++) {
      const pair = { rare: rows.integers(0, row), common: rows.integers(1, row) }
      if (pair.rare !== last.rare || pair.common !== last.common) {
        word_partner_start[pair.rare + 1]!++
        words.push(pair.common)
        starts.push(people.length)
        last = pair
      }
      people.push(rows.integers(2, row))
    }
  }
  starts.push(people.length)
  for (let word = 0; word < wordCount; word++) word_partner_start[word + 1]! += word_partner_start[word]!
  return {
    word_partner_start,
    partner_words: words.unsigned().slice(),
    partner_people_start: starts.unsigned().slice(),
    partner_people: people.unsigned().slice(),
  }
}

function writeSounds(store: Store, words: readonly string[]): void {
  const bySound = Map.groupBy(words.keys(), (number) => phoneticKey(words[number]!))
  bySound.delete('')
  store.root.transactionSync(() => {
    for (const sound of [...bySound.keys()].sort()) {
      store.sounds.putSync(Buffer.from(sound), Buffer.from(Uint32Array.from(bySound.get(sound)!).buffer), {
        append: true,
      })
    }
  })
}

// Writes the words of each deletion hash. An entry is a number of 64 bits with the hash in its upper half and the
// word number in its lower half, so sorting the numbers sorts the entries by hash.
function writeDeletions(store: Store, words: readonly string[]): void {
  const list = new GrowingIntegers(words.length * 32)
  for (const [number, word] of words.entries()) {
    for (const hash of deletionHashes(word)) {
      list.push(number)
      list.push(hash)
    }
  }
  const halves = list.unsigned()
  const { length } = halves
  new BigUint64Array(halves.buffer, 0, length / 2).sort()
  store.root.transactionSync(() => {
    for (let start = 0; start < length;) {
      const bucket = halves[start + 1]! >>> 16
      let end = start
      while (end < length && halves[end + 1]! >>> 16 === bucket) end += 2
      store.deletions.putSync(bucket, Buffer.from(halves.slice(start, end).buffer), { append: true })
      start = end
    }
  })
}
