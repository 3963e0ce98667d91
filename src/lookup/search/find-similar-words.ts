import { nicknamesOf } from '../../normalize/nicknames.ts'
import { phoneticKey } from '../../normalize/phonetic.ts'
import { damerauLevenshtein, jaroWinkler } from '../../normalize/similarity.ts'
import { editLimit, forDeletionHashes } from '../format/deletions.ts'
import { pairsOf } from '../snapshot/word-pairs.ts'
import type { SimilarWords } from '../snapshot/similar-words.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { Workspace } from '../snapshot/workspace.ts'

import { NOBODY, numbersOf } from '../format/store.ts'

/** The quality of each kind of similarity between two words, from 0 to 1. Tables store whole hundredths. */
export const WORD_QUALITY = {
  same: 1,
  nickname: 0.9,
  sound: 0.8,
  one_edit: 0.8,
  initial: 0.7,
  two_edits: 0.65,
} as const

// The lowest Jaro-Winkler similarity at which two words with the same phonetic key count as similar. Double
// Metaphone alone gives JOHN, JANE, JEAN and JUAN the same key. JON and JANE have a similarity of 0.750,
// KATHRYN and CATHERINE 0.757.
export const ALIKE = 0.755

/**
 * Returns the words of the dictionary that a searched word may stand for. These are nicknames, words that
 * sound alike, words with one or two typos, and initials.
 */
export function similarWords(index: Index, workspace: Workspace, word: string): SimilarWords {
  return workspace.similar.get(word, () => {
    const { columns } = index
    const { qualities, initials } = neighbours(index, workspace, word)
    const words = Uint32Array.from(qualities.keys()).sort()
    const hundredths = Uint8Array.from(words, (number) => Math.round(100 * qualities.get(number)!))
    const peopleCount = words.reduce((sum, number) => sum + columns.word_people[number]!, 0)
    return { words, hundredths, pairs: pairsOf(columns, words), peopleCount, initials }
  })
}

interface Neighbours {
  readonly qualities: ReadonlyMap<number, number>
  readonly initials: SimilarWords['initials']
}

function neighbours(index: Index, workspace: Workspace, word: string): Neighbours {
  const { words } = index
  const qualities = new Map<number, number>()
  const add = (number: number, quality: number): void => {
    if (number >= 0 && (qualities.get(number) ?? 0) < quality) qualities.set(number, quality)
  }
  add(words.find(word), WORD_QUALITY.same)
  if (word.length === 1) return { qualities, initials: words.prefix(word) }
  for (const nickname of nicknamesOf(word)) add(words.find(nickname), WORD_QUALITY.nickname)
  addSounds(index, word, add)
  addMistyped(index, workspace, word, add)
  add(words.find(word[0]!), WORD_QUALITY.initial)
  return { qualities, initials: null }
}

type Add = (number: number, quality: number) => void

function addSounds({ store, words }: Index, word: string, add: Add): void {
  const sound = phoneticKey(word)
  if (sound === '') return
  const bytes = store.sounds.getBinaryFast(Buffer.from(sound))
  // Reads the value without a copy, because nothing in the loop reads the store.
  for (const number of bytes === undefined ? NOBODY : numbersOf(bytes)) {
    if (jaroWinkler(word, words.text(number)) > ALIKE) add(number, WORD_QUALITY.sound)
  }
}

function addMistyped(index: Index, workspace: Workspace, word: string, add: Add): void {
  forMistyped(index, workspace, word, editLimit(word), (number, edits) =>
    add(number, edits === 1 ? WORD_QUALITY.one_edit : WORD_QUALITY.two_edits),
  )
}

/**
 * Calls `add` with every word that is at most `limit` edits away from `word`. Words that `mayBe` rejects are
 * not compared; it must accept every word within the limit.
 */
export function forMistyped(
  { words }: Index,
  { deletions }: Workspace,
  word: string,
  limit: 1 | 2,
  add: (number: number, edits: 1 | 2) => void,
  mayBe: (number: number) => boolean = () => true,
): void {
  const compared = new Set<number>()
  const compare = (number: number): void => {
    if (!mayBe(number) || compared.has(number)) return
    compared.add(number)
    const edits = limit === 1 ? (words.isOneEditAway(number, word) ? 1 : 0) : damerauLevenshtein(word, words.text(number), limit) // prettier-ignore
    if (edits === 1 || (edits === 2 && limit === 2)) add(number, edits)
  }
  forDeletionHashes(word, limit, (hash) => deletions.forWords(hash, compare))
}
