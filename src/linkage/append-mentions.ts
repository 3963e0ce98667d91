import { ADDRESS_WIDTH, LIST_SLOTS, type Mentions, SLOT } from './mentions.ts'
import { appended, shared, type TextPool } from './texts.ts'

/** Mentions of a night behind those that are there; `fresh` must have been read with the same attributes. */
export function appendMentions(old: Mentions, fresh: Mentions): Mentions {
  const { texts, idOf } = appendTexts(old.texts, fresh.texts)
  const { width } = old
  const firstAddress = old.addresses.length / ADDRESS_WIDTH
  const rows = appended(old.rows, fresh.rows)
  const lists = appended(old.lists, fresh.lists)
  const addresses = appended(old.addresses, fresh.addresses)
  for (let k = old.addresses.length; k < addresses.length; k++) addresses[k] = idOf[addresses[k]!]!
  for (let i = old.count; i < old.count + fresh.count; i++) {
    const row = i * width
    for (const slot of [SLOT.first, SLOT.middle, SLOT.last, SLOT.suffix])
      rows[row + slot] = idOf[rows[row + slot]!]!
    for (let slot = SLOT.attributes; slot < SLOT.attributes + old.attributes.length; slot++)
      rows[row + slot] = idOf[rows[row + slot]!]!
    for (const slot of LIST_SLOTS) {
      rows[row + slot]! += old.lists.length
      const start = rows[row + slot]!
      for (let k = start; k < start + rows[row + slot + 1]!; k++)
        lists[k] = slot === SLOT.addresses ? lists[k]! + firstAddress : idOf[lists[k]!]!
    }
  }
  const emailNames = shared(Int32Array, texts.count)
  emailNames.set(old.emailNames)
  for (let text = 1; text < fresh.texts.count; text++) {
    if (fresh.emailNames[text] !== 0) emailNames[idOf[text]!] = idOf[fresh.emailNames[text]!]!
  }
  return {
    count: old.count + fresh.count,
    width,
    rows,
    ranks: appendedFloats(old.ranks, fresh.ranks),
    lists,
    addresses,
    emailNames,
    texts,
    attributes: old.attributes,
    sources: fresh.sources,
  }
}

/** One pool of two: texts of the first keep their ids, `idOf` gives those of the second. */
function appendTexts(old: TextPool, fresh: TextPool): { texts: TextPool; idOf: Int32Array } {
  const idOf = knownTexts(old, fresh)
  const added: number[] = []
  let length = old.bytes.length
  for (let text = 1; text < fresh.count; text++) {
    if (idOf[text] !== 0) continue
    idOf[text] = old.count + added.length
    added.push(text)
    length += fresh.starts[text + 1]! - fresh.starts[text]!
  }
  const count = old.count + added.length
  const bytes = shared(Uint8Array, length)
  bytes.set(old.bytes)
  const starts = shared(Int32Array, count + 1)
  starts.set(old.starts)
  added.forEach((text, k) => {
    const at = starts[old.count + k]!
    bytes.set(fresh.bytes.subarray(fresh.starts[text], fresh.starts[text + 1]), at)
    starts[old.count + k + 1] = at + fresh.starts[text + 1]! - fresh.starts[text]!
  })
  const copied = (kind: 'hash' | 'sound' | 'startSound' | 'nickname' | 'letters'): Int32Array => {
    const column = shared(Int32Array, count)
    column.set(old[kind].subarray(0, old.count))
    added.forEach((text, k) => (column[old.count + k] = fresh[kind][text]!))
    return column
  }
  const known = shared(Uint8Array, count)
  known.set(old.known.subarray(0, old.count))
  added.forEach((text, k) => (known[old.count + k] = fresh.known[text]!))
  const texts = {
    count,
    bytes,
    starts,
    known,
    hash: copied('hash'),
    letters: copied('letters'),
    sound: copied('sound'),
    startSound: copied('startSound'),
    nickname: copied('nickname'),
    ...otherNames(old, fresh, idOf, count),
  }
  // What was a city until tonight may be somebody's name from now on.
  for (let text = 1; text < fresh.count; text++) {
    const id = idOf[text]!
    if (id >= old.count || fresh.sound[text] === 0) continue
    texts.sound[id] = fresh.sound[text]!
    texts.startSound[id] = fresh.startSound[text]!
    texts.nickname[id] = fresh.nickname[text]!
    texts.known[id] = fresh.known[text]!
  }
  return { texts, idOf }
}

// Fresh texts are few: their hashes go into a table, and one pass over the others' finds which are known.
function knownTexts(old: TextPool, fresh: TextPool): Int32Array {
  const idOf = new Int32Array(fresh.count)
  let size = 1 << 10
  while (size < fresh.count * 4) size *= 2
  const slots = new Int32Array(size)
  for (let text = 1; text < fresh.count; text++) {
    let slot = fresh.hash[text]! & (size - 1)
    while (slots[slot] !== 0) slot = (slot + 1) & (size - 1)
    slots[slot] = text
  }
  for (let id = 1; id < old.count; id++) {
    const hash = old.hash[id]!
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

function isSame(old: TextPool, id: number, fresh: TextPool, text: number): boolean {
  const length = old.starts[id + 1]! - old.starts[id]!
  if (length !== fresh.starts[text + 1]! - fresh.starts[text]!) return false
  const [a, b] = [old.starts[id]!, fresh.starts[text]!]
  for (let k = 0; k < length; k++) if (old.bytes[a + k] !== fresh.bytes[b + k]) return false
  return true
}

function otherNames(
  old: TextPool,
  fresh: TextPool,
  idOf: Int32Array,
  count: number,
): Pick<TextPool, 'otherStarts' | 'others'> {
  const freshOf = new Int32Array(count)
  for (let text = 1; text < fresh.count; text++) freshOf[idOf[text]!] = text
  const otherStarts = shared(Int32Array, count + 1)
  const found: number[] = []
  const put = ({ otherStarts: starts, others }: TextPool, text: number): void => {
    for (let k = starts[text]!; k < starts[text + 1]!; k++) found.push(others[k]!)
  }
  for (let id = 1; id < count; id++) {
    otherStarts[id] = found.length
    if (id < old.count && old.otherStarts[id] !== old.otherStarts[id + 1]) put(old, id)
    else if (freshOf[id] !== 0) put(fresh, freshOf[id]!)
  }
  otherStarts[count] = found.length
  const others = shared(Int32Array, found.length)
  others.set(found)
  return { otherStarts, others }
}

function appendedFloats(one: Float64Array, other: Float64Array): Float64Array {
  const both = shared(Float64Array, one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
