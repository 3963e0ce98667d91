import { GrowingIntegers } from '../records/growing.ts'
import { ADDRESS_WIDTH, LIST_SLOTS, type Mentions, type PlainMentions, SLOT } from '../records/mentions.ts'
import type { Sizes, SourcelessMentions } from './state-file.ts'
import { NameKeys } from '../records/text-pool.ts'
import { type PlainTexts, sharedCopy, textAt, type TextPool } from '../records/texts.ts'

/**
 * Puts mentions of a night behind those that are there, into the room that the arrays of `old` have behind `sizes`. `fresh` must have been
 * read with the same attributes.
 */
export function appendMentions(old: SourcelessMentions, sizes: Sizes, fresh: PlainMentions): Mentions {
  const { texts, idOf } = appendTexts(old.texts, sizes, fresh.texts)
  const { width, rows, ranks, lists, addresses, emailNames } = old
  rows.set(fresh.rows, sizes.count * width)
  ranks.set(fresh.ranks, sizes.count)
  lists.set(fresh.lists, sizes.lists)
  const addressStart = sizes.addresses * ADDRESS_WIDTH
  for (let k = 0; k < fresh.addresses.length; k++) addresses[addressStart + k] = idOf[fresh.addresses[k]!]!
  const count = sizes.count + fresh.count
  for (let i = sizes.count; i < count; i++) {
    const row = i * width
    for (const slot of [SLOT.first, SLOT.middle, SLOT.last, SLOT.suffix])
      rows[row + slot] = idOf[rows[row + slot]!]!
    for (let slot = SLOT.attributes; slot < SLOT.attributes + old.attributes.length; slot++)
      rows[row + slot] = idOf[rows[row + slot]!]!
    for (const slot of LIST_SLOTS) {
      if (rows[row + slot] === 0) continue
      rows[row + slot]! += sizes.lists
      const place = rows[row + slot]!
      for (let k = place + 1; k <= place + lists[place]!; k++)
        lists[k] = slot === SLOT.addresses ? lists[k]! + sizes.addresses : idOf[lists[k]!]!
    }
  }
  for (let text = 1; text < fresh.texts.count; text++) {
    if (fresh.emailNames[text] !== 0) emailNames[idOf[text]!] = idOf[fresh.emailNames[text]!]!
  }
  return {
    count,
    width,
    rows,
    ranks,
    lists: lists.subarray(0, sizes.lists + fresh.lists.length),
    addresses: addresses.subarray(0, addressStart + fresh.addresses.length),
    emailNames: emailNames.subarray(0, texts.count),
    texts,
    attributes: old.attributes,
    sources: fresh.sources,
  }
}

/** One pool of two: texts of the first keep their ids, `idOf` gives those of the second. Only names that are new need keys. */
function appendTexts(old: TextPool, sizes: Sizes, fresh: PlainTexts): { texts: TextPool; idOf: Int32Array } {
  const idOf = knownTexts(old, fresh)
  const keys = new NameKeys(old)
  const others = new GrowingIntegers()
  others.append(old.others)
  let count = sizes.texts
  let length = sizes.bytes
  for (let text = 1; text < fresh.count; text++) {
    if (idOf[text] !== 0) continue
    const id = count++
    idOf[text] = id
    const letters = fresh.bytes.subarray(fresh.starts[text], fresh.starts[text + 1])
    old.bytes.set(letters, length)
    length += letters.length
    old.starts[id + 1] = length
    old.hash[id] = fresh.hash[text]!
    old.letters[id] = fresh.letters[text]!
    if (text < fresh.nameCount) for (const other of keys.give(id, textAt(fresh, text))) others.push(other)
    old.otherStarts[id + 1] = others.length
  }
  const allOthers = sharedCopy(Int32Array, others.view())
  const texts = {
    count,
    bytes: old.bytes.subarray(0, length),
    starts: old.starts.subarray(0, count + 1),
    hash: old.hash.subarray(0, count),
    letters: old.letters.subarray(0, count),
    sound: old.sound.subarray(0, count),
    startSound: old.startSound.subarray(0, count),
    nickname: old.nickname.subarray(0, count),
    known: old.known.subarray(0, count),
    otherStarts: old.otherStarts.subarray(0, count + 1),
    others: allOthers,
  }
  return { texts, idOf }
}

// Fresh texts are few: their hashes go into a table, and one pass over the others' finds which are known.
function knownTexts(old: TextPool, fresh: PlainTexts): Int32Array {
  const idOf = new Int32Array(fresh.count)
  let size = 1 << 10
  while (size < fresh.count * 4) size *= 2
  const slots = new Int32Array(size)
  for (let text = 1; text < fresh.count; text++) {
    let slot = fresh.hash[text]! & (size - 1)
    while (slots[slot] !== 0) slot = (slot + 1) & (size - 1)
    slots[slot] = text
  }
  const { hash: hashes, count } = old
  for (let id = 1; id < count; id++) {
    const hash = hashes[id]!
    let slot = hash & (size - 1)
    for (let text = slots[slot]!; text !== 0; text = slots[slot]!) {
      if (fresh.hash[text] === hash && isSame(old, id, fresh, text)) {
        idOf[text] = id
        break
      }
      slot = (slot + 1) & (size - 1)
    }
  }
  return idOf
}

// A city and a name that are written alike are two texts: only names have a sound.
function isSame(old: TextPool, id: number, fresh: PlainTexts, text: number): boolean {
  const length = old.starts[id + 1]! - old.starts[id]!
  if (length !== fresh.starts[text + 1]! - fresh.starts[text]!) return false
  if ((old.sound[id] !== 0) !== text < fresh.nameCount) return false
  const a = old.starts[id]!
  const b = fresh.starts[text]!
  for (let k = 0; k < length; k++) if (old.bytes[a + k] !== fresh.bytes[b + k]) return false
  return true
}
