import { ADDRESS_WIDTH, LIST_SLOTS, type Records, SLOT } from '../records/records.ts'
import { shared, type TextPool } from '../records/texts.ts'

/**
 * Returns the records of `old` followed by the records of `added`, in new arrays. Old records and texts keep their numbers. Both arguments
 * must have the same attributes. The result has the sources of `added`, which include all sources of `old`.
 */
export function appendRecords(old: Omit<Records, 'sources'>, added: Records): Records {
  const { texts, idOf } = appendTexts(old.texts, added.texts)
  const { width, attributes } = old
  const rows = joined(Int32Array, old.rows, added.rows)
  const lists = joined(Int32Array, old.lists, added.lists)
  const addresses = joined(Int32Array, old.addresses, added.addresses)
  for (let k = old.addresses.length; k < addresses.length; k++) addresses[k] = idOf[addresses[k]!]!
  const firstAddress = old.addresses.length / ADDRESS_WIDTH
  for (let row = old.rows.length; row < rows.length; row += width) {
    for (const slot of [SLOT.first, SLOT.middle, SLOT.last, SLOT.suffix])
      rows[row + slot] = idOf[rows[row + slot]!]!
    for (let slot = SLOT.attributes; slot < SLOT.attributes + attributes.length; slot++)
      rows[row + slot] = idOf[rows[row + slot]!]!
    for (const slot of LIST_SLOTS) {
      if (rows[row + slot] === 0) continue
      const place = (rows[row + slot]! += old.lists.length)
      for (let k = place + 1; k <= place + lists[place]!; k++)
        lists[k] = slot === SLOT.addresses ? lists[k]! + firstAddress : idOf[lists[k]!]!
    }
  }
  const emailNames = shared(Int32Array, texts.count)
  emailNames.set(old.emailNames)
  for (let text = 1; text < added.texts.count; text++) {
    if (added.emailNames[text] !== 0) emailNames[idOf[text]!] = idOf[added.emailNames[text]!]!
  }
  return {
    count: old.count + added.count,
    width,
    rows,
    ranks: joined(Float64Array, old.ranks, added.ranks),
    lists,
    addresses,
    emailNames,
    texts,
    attributes,
    sources: added.sources,
  }
}

/** Joins two pools. Texts of `old` keep their ids. `idOf` has the new id of each text of `added`. */
function appendTexts(old: TextPool, added: TextPool): { texts: TextPool; idOf: Int32Array } {
  const idOf = knownTexts(old, added)
  const isNew = (text: number): boolean => idOf[text]! >= old.count
  let count = old.count
  let bytes = old.bytes.length
  let others = old.others.length
  for (let text = 1; text < added.count; text++) {
    if (idOf[text] !== 0) continue
    idOf[text] = count++
    bytes += added.starts[text + 1]! - added.starts[text]!
    others += added.otherStarts[text + 1]! - added.otherStarts[text]!
  }
  const texts = {
    count,
    bytes: grown(Uint8Array, old.bytes, bytes),
    starts: grown(Int32Array, old.starts, count + 1),
    hash: grown(Int32Array, old.hash, count),
    sound: grown(Int32Array, old.sound, count),
    startSound: grown(Int32Array, old.startSound, count),
    nickname: grown(Int32Array, old.nickname, count),
    otherStarts: grown(Int32Array, old.otherStarts, count + 1),
    others: grown(Int32Array, old.others, others),
    known: grown(Uint8Array, old.known, count),
    letters: grown(Int32Array, old.letters, count),
  }
  for (let text = 1; text < added.count; text++) {
    if (!isNew(text)) continue
    const id = idOf[text]!
    const letters = added.bytes.subarray(added.starts[text], added.starts[text + 1])
    texts.bytes.set(letters, texts.starts[id])
    texts.starts[id + 1] = texts.starts[id]! + letters.length
    const names = added.others.subarray(added.otherStarts[text], added.otherStarts[text + 1])
    texts.others.set(names, texts.otherStarts[id])
    texts.otherStarts[id + 1] = texts.otherStarts[id]! + names.length
    for (const key of ['hash', 'sound', 'startSound', 'nickname', 'known', 'letters'] as const)
      texts[key][id] = added[key][text]!
  }
  return { texts, idOf }
}

/**
 * Returns the id in `old` of each text of `added`, or 0 for a new text. The hash table holds the few added texts, and one pass looks up every
 * old text in it.
 */
function knownTexts(old: TextPool, added: TextPool): Int32Array {
  const idOf = new Int32Array(added.count)
  const byHash = new Map<number, number[]>()
  for (let text = 1; text < added.count; text++) {
    const same = byHash.get(added.hash[text]!)
    if (same === undefined) byHash.set(added.hash[text]!, [text])
    else same.push(text)
  }
  for (let id = 1; id < old.count; id++) {
    const text = byHash.get(old.hash[id]!)?.find((one) => isSame(old, id, added, one))
    if (text !== undefined) idOf[text] = id
  }
  return idOf
}

// A city and a name with the same letters are two texts. `sound` is 0 for a city.
function isSame(old: TextPool, id: number, added: TextPool, text: number): boolean {
  if ((old.sound[id] === 0) !== (added.sound[text] === 0)) return false
  const a = old.bytes.subarray(old.starts[id], old.starts[id + 1])
  const b = added.bytes.subarray(added.starts[text], added.starts[text + 1])
  return a.length === b.length && a.every((byte, k) => byte === b[k])
}

/** Copies an array into a longer shared array. */
function grown<T extends Int32Array | Uint8Array>(
  Kind: { new (buffer: SharedArrayBuffer): T; readonly BYTES_PER_ELEMENT: number },
  array: T,
  length: number,
): T {
  const found = shared<T>(Kind, length)
  found.set(array)
  return found
}

function joined<T extends Int32Array | Float64Array>(
  Kind: { new (buffer: SharedArrayBuffer): T; readonly BYTES_PER_ELEMENT: number },
  one: T,
  other: T,
): T {
  const all = shared<T>(Kind, one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}
