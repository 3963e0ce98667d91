/** Words up to this long are found within one edit, longer ones within two. */
export const SHORT_WORD = 5

export function editLimit(word: string): 1 | 2 {
  return word.length <= SHORT_WORD ? 1 : 2
}

/** No name; the deletions of what is longer would be thousands. */
const LONGEST_WORD = 30

/**
 * Hashes of a word and of all it becomes when letters are left out, one for short words and up to two for longer ones.
 * Two words within the edit limit of each other share at least one (symmetric deletion; whoever finds it so compares the words).
 */
export function deletionHashes(word: string, limit: 1 | 2 = editLimit(word)): Set<number> {
  const hashes = new Set<number>()
  addDeletions(word, word.length > LONGEST_WORD ? 0 : limit, hashes)
  return hashes
}

function addDeletions(word: string, limit: number, hashes: Set<number>): void {
  hashes.add(hashOf(word))
  if (limit === 0 || word.length < 2) return
  for (let i = 0; i < word.length; i++) {
    addDeletions(word.slice(0, i) + word.slice(i + 1), limit - 1, hashes)
  }
}

// FNV-1a.
function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
