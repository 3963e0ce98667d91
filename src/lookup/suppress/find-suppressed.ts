import { setImmediate } from 'node:timers/promises'
import type { Database } from 'lmdb'
import { emailHash, NamedBirthHashes, phoneHash } from '../../normalize/drop-hash.ts'
import { DEAD, packDate } from '../format/birth.ts'
import { HISTORIC, NO_ZIP, TOKEN, withoutFlag } from '../format/columns.ts'
import { addressesOfBuilding, homeRanges, isRowsUnit } from '../search/homes.ts'
import { type AskedLocation, askedLocations } from '../search/locations.ts'
import { askedName, exactName } from '../search/names.ts'
import { peopleOfEmail, peopleOfPhone } from '../phone/people-of-contact.ts'
import { personId } from '../format/person-document.ts'
import { allPhones, emailPeople, phoneNumber, phonePeople } from '../format/phone-document.ts'
import { numberOfId } from '../format/store.ts'
import type { Suppressed } from '../format/suppressed.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import { listedDocument } from '../snapshot/documents.ts'
import { numberOfPerson, type Shard, type Snapshot } from '../snapshot/snapshot.ts'
import { type Bearer, type NameInWords, namesInTexts } from '../format/suppressed-names.ts'

/**
 * An entry of the list of suppressions. `value` depends on the kind. It is a person id, a phone of eleven
 * digits, an e-mail address in lower case, `street|city|state|zip`, or `first name|last name|YYYY-MM-DD|zip`.
 * The kinds `…_hash` have the hash of a phone, e-mail address or name (src/normalize/drop-hash.ts).
 */
export interface Suppression {
  readonly kind: 'person' | 'phone' | 'email' | 'address' | 'name' | 'phone_hash' | 'email_hash' | 'name_hash'
  readonly value: string
  /**
   * For the kind `person`: names, addresses and birth date of the person, which find the person again when
   * the id has changed.
   */
  readonly marks: readonly PersonMark[]
}

/** A name, address and birth date of a person, from the snapshot in which the person was suppressed. */
export interface PersonMark {
  readonly name: string
  readonly address_id: string
  readonly birth_date: string | null
}

/**
 * Returns the people of a snapshot whom a list matches. A list with hashes requires hashing the data of all
 * people; the function yields to other work after each SLICE.
 */
export async function findSuppressed(
  snapshot: Snapshot,
  list: readonly Suppression[],
): Promise<Suppressed | null> {
  if (list.length === 0) return null
  const found = new Found(snapshot, list.length)
  const hashes: Record<HashKind, Map<string, number[]>> = {
    phone_hash: new Map(),
    email_hash: new Map(),
    name_hash: new Map(),
  }
  for (const [at, one] of list.entries()) {
    if (isHash(one.kind)) hashes[one.kind].set(one.value, [...(hashes[one.kind].get(one.value) ?? []), at])
    else {
      if (one.kind === 'phone') found.phones.add(one.value)
      for (const person of new Set(peopleOfEntry(snapshot, one))) found.add(person, at)
    }
    if (at % SLICE === SLICE - 1) await setImmediate()
  }
  for (const shard of snapshot.shards) {
    await addHashedPhones(shard, hashes.phone_hash, found)
    await addHashedEmails(shard, hashes.email_hash, found)
    await addHashedNames(shard, hashes.name_hash, found)
    addNames(shard, found)
  }
  return found
}

type HashKind = 'phone_hash' | 'email_hash' | 'name_hash'
const isHash = (kind: Suppression['kind']): kind is HashKind => kind.endsWith('_hash')

// The number of people that are processed before other work gets a turn: about ten milliseconds.
const SLICE = 2_000

class Found implements Suppressed {
  readonly people: Uint8Array
  readonly ids = new Set<string>()
  readonly phones = new Set<string>()
  readonly names = new Map<string, Bearer[]>()
  readonly counts: number[]
  readonly #snapshot: Snapshot

  constructor(snapshot: Snapshot, listLength: number) {
    this.#snapshot = snapshot
    this.people = new Uint8Array(snapshot.personCount)
    this.counts = Array.from({ length: listLength }, () => 0)
  }

  /** Adds a person by number in the snapshot. `at` is the position of the matching entry in the list. */
  add(person: number, at: number): void {
    this.counts[at]! += 1
    this.people[person] = 1
    this.ids.add(personId(listedDocument(this.#snapshot, person)))
  }
}

/** Yields the people whom an entry without a hash matches, some of them twice. */
function peopleOfEntry(snapshot: Snapshot, { kind, value, marks }: Suppression): Iterable<number> {
  switch (kind) {
    case 'person':
      return peopleOfId(snapshot, value, marks)
    case 'phone':
      return peopleOfPhone(snapshot, value).map(({ person }) => person)
    case 'email':
      return peopleOfEmail(snapshot, value).map(({ person }) => person)
    case 'address':
      return residents(snapshot, value)
    default:
      return inEachShard(snapshot, (index) => namesakes(index, value))
  }
}

/** Yields the people whom `peopleIn` finds in each shard, by number in the snapshot. */
function* inEachShard(
  { shards }: Snapshot,
  peopleIn: (index: Index, shard: number) => Iterable<number>,
): Generator<number> {
  for (const [at, { index, firstPerson }] of shards.entries())
    for (const person of peopleIn(index, at)) yield firstPerson + person
}

function* peopleOfId(snapshot: Snapshot, id: string, marks: readonly PersonMark[]): Generator<number> {
  const number = numberOfPerson(snapshot, id)
  if (number !== null) yield number
  yield* inEachShard(snapshot, (index) => peopleOfMarks(index, marks))
}

function* peopleOfMarks(index: Index, marks: readonly PersonMark[]): Generator<number> {
  const { store, columns } = index
  // The person may have another id after a split, or after the warehouse was rebuilt.
  for (const { name, address_id, birth_date } of marks) {
    const address = numberOfId(store, address_id)
    const asked = askedName({ name })
    if (address === null || asked === null) continue
    const matcher = exactName(index, asked)
    const birth = packDate(birth_date)
    for (const person of peopleOf(index, address, true)) {
      if (matcher.quality(person) > 0 && mayAgree(birth, columns.person_birth[person]! % DEAD)) yield person
    }
  }
}

// Returns whether two packed birth dates may be the same. Compares days when both days are known, else years.
// An unknown date agrees with every date.
function mayAgree(left: number, right: number): boolean {
  if (left === 0 || right === 0) return true
  if (left % 100 > 0 && right % 100 > 0) return left === right
  return Math.trunc(left / 10_000) === Math.trunc(right / 10_000)
}

/** Yields the people who now live at an address. */
function* residents(snapshot: Snapshot, value: string): Generator<number> {
  const [street, city, state, zip] = value.split('|').map((part) => (part === '' ? undefined : part))
  const asked = askedLocations(snapshot.shards, { street, city, state_code: state, zipcode: zip })
  if (asked !== null) yield* inEachShard(snapshot, (index, at) => residentsIn(index, asked[at]!))
}

function* residentsIn(index: Index, asked: AskedLocation): Generator<number> {
  for (const address of addressesOfBuilding(index, asked, homeRanges(index, asked)))
    if (isRowsUnit(index, asked, address)) yield* peopleOf(index, address, false)
}

function* peopleOf({ columns }: Index, address: number, past: boolean): Generator<number> {
  const end = columns.address_person_start[address + 1]!
  for (let i = columns.address_person_start[address]!; i < end; i++) {
    const link = columns.address_people[i]!
    if (link < HISTORIC) yield link
    else if (past) yield link - HISTORIC
  }
}

/** Yields the people with this first and last name and birth date who live or lived in the ZIP. */
function* namesakes(index: Index, value: string): Generator<number> {
  const [first_name = '', last_name = '', birth_date = '', zip = ''] = value.split('|')
  const asked = askedName({ first_name, last_name })
  if (asked === null) return
  const matcher = exactName(index, asked)
  const birth = packDate(birth_date)
  // 0 means an unknown birth date, which many people have.
  if (birth === 0) return
  const { columns } = index
  for (const person of matcher.candidates()) {
    if (columns.person_birth[person]! % DEAD !== birth || matcher.quality(person) === 0) continue
    if (zipsOf(index, person).has(Number(zip))) yield person
  }
}

function zipsOf({ columns }: Index, person: number): Set<number> {
  const zips = new Set<number>()
  const end = columns.person_address_start[person + 1]!
  for (let i = columns.person_address_start[person]!; i < end; i++) {
    const link = columns.person_addresses[i]!
    const address = withoutFlag(link)
    zips.add(columns.place_zip[columns.address_place[address]!]!)
  }
  zips.delete(NO_ZIP)
  return zips
}

async function addHashedPhones(
  { index, firstPerson }: Shard,
  hashes: ReadonlyMap<string, number[]>,
  found: Found,
): Promise<void> {
  if (hashes.size === 0) return
  let count = 0
  for (const phone of allPhones(index.columns)) {
    if (++count % SLICE === 0) await setImmediate()
    const wanted = hashes.get(phoneHash(phone))
    if (wanted === undefined) continue
    found.phones.add(phone)
    for (const { person } of phonePeople(index.columns, phoneNumber(index.columns, phone)))
      for (const at of wanted) found.add(firstPerson + person, at)
  }
}

async function addHashedEmails(
  { index, firstPerson }: Shard,
  hashes: ReadonlyMap<string, number[]>,
  found: Found,
): Promise<void> {
  if (hashes.size === 0) return
  for await (const email of keysOf(index.store.emails)) {
    for (const at of hashes.get(emailHash(email)) ?? [])
      for (const { person } of emailPeople(index.store, email)) found.add(firstPerson + person, at)
  }
}

/** Yields the keys of a tree as text, and yields to other work after each SLICE. */
async function* keysOf(tree: Database<Buffer, Buffer>): AsyncGenerator<string> {
  let after: Buffer | null = null
  for (;;) {
    const from = after === null ? {} : { start: after, exclusiveStart: true }
    const keys: Buffer[] = Array.from(tree.getKeys({ ...from, limit: SLICE }), (key) => Buffer.from(key))
    for (const key of keys) yield key.toString()
    if (keys.length < SLICE) return
    after = keys.at(-1)!
    await setImmediate()
  }
}

async function addHashedNames(
  { index, firstPerson }: Shard,
  hashes: ReadonlyMap<string, number[]>,
  found: Found,
): Promise<void> {
  if (hashes.size === 0) return
  const { columns, personCount } = index
  const named = new NamedBirthHashes()
  for (let person = 0; person < personCount; person++) {
    if (person % SLICE === SLICE - 1) await setImmediate()
    const birth = columns.person_birth[person]! % DEAD
    if (birth % 100 === 0) continue
    const birth_date = String(birth)
    const zips = [...zipsOf(index, person)].map((zip) => String(zip).padStart(5, '0'))
    const wanted = new Set<number>()
    for (const { first, last } of namesOf(index, person)) {
      const name = { first_name: first.join(''), last_name: last.join('') }
      for (const zip of zips)
        for (const at of hashes.get(named.of({ ...name, birth_date, zip })) ?? []) wanted.add(at)
    }
    for (const at of wanted) found.add(firstPerson + person, at)
  }
}

function addNames({ index, firstPerson }: Shard, { people: all, names }: Found): void {
  const people = all.subarray(firstPerson, firstPerson + index.personCount)
  for (let person = people.indexOf(1); person >= 0; person = people.indexOf(1, person + 1)) {
    const states = statesOf(index, person)
    // A name without a middle name counts as the same name, so its key collects the initials of all variants.
    const initialsOf = new Map<string, string>()
    for (const name of namesOf(index, person))
      for (const [key, initials] of namesInTexts(name))
        initialsOf.set(key, (initialsOf.get(key) ?? '') + initials)
    for (const [key, initials] of initialsOf) {
      const bearers = names.get(key)
      if (bearers === undefined) names.set(key, [{ initials, states }])
      else bearers.push({ initials, states })
    }
  }
}

function statesOf({ columns }: Index, person: number): Set<number> {
  const states = new Set<number>()
  const end = columns.person_address_start[person + 1]!
  for (let i = columns.person_address_start[person]!; i < end; i++)
    states.add(columns.place_state[columns.address_place[withoutFlag(columns.person_addresses[i]!)]!]!)
  states.delete(0)
  return states
}

/** Yields each of a person's names that has both a first and a last name. */
function* namesOf({ columns, words }: Index, person: number): Generator<NameInWords> {
  const { name_tokens, person_name_start } = columns
  const end = person_name_start[person + 1]!
  for (let from = person_name_start[person]!; from < end;) {
    let to = from
    const first: string[] = []
    const last: string[] = []
    let initials = ''
    do {
      const token = name_tokens[to]!
      const role = (token & TOKEN.ROLES) >>> 0
      if (role === TOKEN.FIRST) first.push(words.text(token & TOKEN.WORD))
      else if (role === TOKEN.LAST) last.push(words.text(token & TOKEN.WORD))
      else if (role === TOKEN.MIDDLE) initials += words.text(token & TOKEN.WORD).charAt(0)
      to++
    } while (to < end && name_tokens[to]! < TOKEN.NEW_NAME)
    if (first.length > 0 && last.length > 0) yield { first, last, initials }
    from = to
  }
}
