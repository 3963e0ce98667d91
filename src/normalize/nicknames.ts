import { nameFrequency } from './name-frequencies.ts'
import { referenceRows } from './reference.ts'

const NONE: readonly string[] = []
const NICKNAMES = new Map<string, string[]>()
const FORMALS = new Map<string, string[]>()
for (const [formal, nicknames] of referenceRows('nicknames.csv')) {
  for (const nickname of nicknames!.split(' ')) {
    add(NICKNAMES, formal!, nickname)
    add(FORMALS, nickname, formal!)
  }
}
// Formal names of nicknames for which the frequency would choose another one. Computed classes are added.
const CLASSES = new Map<string, string>([
  ['BARB', 'BARBARA'],
  ['BETTY', 'ELIZABETH'],
  ['LARRY', 'LAWRENCE'],
  ['LIZ', 'ELIZABETH'],
  ['PEGGY', 'MARGARET'],
  ['TED', 'THEODORE'],
  ['TONY', 'ANTHONY'],
])

/**
 * Returns one name for a first name and its nicknames: 'BILL', 'WILL' and 'WILLIAM' all give 'WILLIAM'. A nickname of
 * several names ('AL') gives the most frequent one. A name without nicknames gives itself.
 */
export function nicknameClass(first: string): string {
  let found = CLASSES.get(first)
  if (found === undefined && !FORMALS.has(first)) return first
  if (found === undefined) {
    const formal = mostFrequentFormal(first)
    found = formal === first ? first : nicknameClass(formal)
    CLASSES.set(first, found)
  }
  return found
}

/**
 * Returns the other names that a person with this first name may use: nicknames of a formal name, formal names of a
 * nickname.
 */
export function nicknamesOf(first: string): readonly string[] {
  let others = OTHERS.get(first)
  if (others === undefined) {
    if (!NICKNAMES.has(first) && !FORMALS.has(first)) return NONE
    OTHERS.set(first, (others = othersOf(first)))
  }
  return others
}

// Only names of the table are stored, so the map cannot grow without end.
const OTHERS = new Map<string, string[]>()

function othersOf(first: string): string[] {
  const others = new Set([...(NICKNAMES.get(first) ?? NONE), ...(FORMALS.get(first) ?? NONE)])
  for (const formal of FORMALS.get(first) ?? NONE)
    for (const other of NICKNAMES.get(formal) ?? NONE) if (!oppositeSex(first, other)) others.add(other)
  others.delete(first)
  return [...others].sort()
}

// Returns the formal name that most people with the nickname have. Frequent formal names win; those that begin alike
// (TED, THEODORE) or rhyme (BILL, WILLIAM) count more. A woman's name never gives a man's name: ERIN is listed under
// AARON. A name that is more frequent than its formal name gives itself: LEE is listed under SHIRLEY.
function mostFrequentFormal(name: string): string {
  let best = name
  let bestWeight = total(name)
  for (const formal of FORMALS.get(name) ?? NONE) {
    const weight = total(formal) * likeness(name, formal)
    if (weight > bestWeight && !oppositeSex(name, formal)) {
      best = formal
      bestWeight = weight
    }
  }
  return best
}

function likeness(name: string, formal: string): number {
  if (name[0] === formal[0]) return 1
  return name.slice(1, 3) === formal.slice(1, 3) ? 0.5 : 0.25
}

function total(name: string): number {
  const frequency = nameFrequency(name)
  return (frequency?.female ?? 0) + (frequency?.male ?? 0)
}

/**
 * Returns from 0 to 1 how likely one person uses two names that `nicknamesOf` lists for each other. ERIN and AARON give
 * 0.
 */
export function nicknameFit(left: string, right: string): number {
  if (oppositeSex(left, right)) return left.startsWith(right) || right.startsWith(left) ? LEAST_FIT : 0
  const isListed =
    NICKNAMES.get(left)?.includes(right) === true || NICKNAMES.get(right)?.includes(left) === true
  // A short form that the Census does not list (LIAM) gets no lower fit.
  const areBothListed = FORMALS.has(left) && FORMALS.has(right)
  return (isListed || !areBothListed ? 1 : SHARED_FORMAL_FIT) * sexFit(left, right)
}

/**
 * Returns the probability that both names belong to one sex, at least 0.1. BOBBIE is a woman's name four times in five,
 * so BOBBIE and ROBERT give 0.2.
 */
function sexFit(left: string, right: string): number {
  const a = nameFrequency(left)
  const b = nameFrequency(right)
  if (a === undefined || b === undefined) return 1
  const [man, other] = [a.male / (a.male + a.female || 1), b.male / (b.male + b.female || 1)]
  return Math.max(LEAST_FIT, man * other + (1 - man) * (1 - other))
}

/** The fit of names of different sexes where one begins with the other: SAM and SAMANTHA. */
const LEAST_FIT = 0.1
/** The fit of two nicknames of one formal name: WILLIE and MINNIE for WILHELMINA. */
const SHARED_FORMAL_FIT = 0.3

/** Returns whether one name is nearly always a woman's and the other nearly always a man's. */
export function oppositeSex(left: string, right: string): boolean {
  const a = nameFrequency(left)
  const b = nameFrequency(right)
  if (a === undefined || b === undefined) return false
  return (a.female > 9 * a.male && b.male > 9 * b.female) || (a.male > 9 * a.female && b.female > 9 * b.male)
}

function add(map: Map<string, string[]>, key: string, value: string): void {
  const values = map.get(key)
  if (values === undefined) map.set(key, [value])
  else if (!values.includes(value)) values.push(value)
}
