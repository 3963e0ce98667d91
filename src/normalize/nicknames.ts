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
// Where frequency alone would choose what hardly anybody means.
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
 * One name that stands for a first name and its nicknames: 'BILL', 'WILL' and 'WILLIAM' all give 'WILLIAM'.
 * A name that several formal names share ('AL') goes with the most frequent; names without any give themselves.
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

/** Every other name that the same person may go by: the nicknames of a formal name, the formal names of a nickname. */
export function nicknamesOf(first: string): readonly string[] {
  let others = OTHERS.get(first)
  if (others === undefined) {
    if (!NICKNAMES.has(first) && !FORMALS.has(first)) return NONE
    OTHERS.set(first, (others = othersOf(first)))
  }
  return others
}

// Only names of the table are kept, so this has an end.
const OTHERS = new Map<string, string[]>()

function othersOf(first: string): string[] {
  const others = new Set([...(NICKNAMES.get(first) ?? NONE), ...(FORMALS.get(first) ?? NONE)])
  for (const formal of FORMALS.get(first) ?? NONE)
    for (const other of NICKNAMES.get(formal) ?? NONE) if (!oppositeSex(first, other)) others.add(other)
  others.delete(first)
  return [...others].sort()
}

// The formal name that most bearers of the nickname will have: the most frequent one, where a name that begins alike
// (TED, THEODORE) or rhymes (BILL, WILLIAM) counts for more. A woman's name is never led to a man's: ERIN is listed
// under AARON. A name that is itself more frequent stays as it is: LEE is listed under SHIRLEY.
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

/** How likely, to 1, one person goes by two names of which `nicknamesOf` gives one for the other. 0: ERIN is listed under AARON. */
export function nicknameFit(left: string, right: string): number {
  if (oppositeSex(left, right)) return left.startsWith(right) || right.startsWith(left) ? SAM_OF_SAMANTHA : 0
  const isListed =
    NICKNAMES.get(left)?.includes(right) === true || NICKNAMES.get(right)?.includes(left) === true
  // Short forms (LIAM) are no less likely for not being listed.
  const areBothListed = FORMALS.has(left) && FORMALS.has(right)
  return (isListed || !areBothListed ? 1 : OF_A_THIRD) * sexFit(left, right)
}

/** BOBBIE is a woman four times in five, so ROBERT is called so less often than the name is met. */
function sexFit(left: string, right: string): number {
  const a = nameFrequency(left)
  const b = nameFrequency(right)
  if (a === undefined || b === undefined) return 1
  const [man, other] = [a.male / (a.male + a.female || 1), b.male / (b.male + b.female || 1)]
  return Math.max(SAM_OF_SAMANTHA, man * other + (1 - man) * (1 - other))
}

const SAM_OF_SAMANTHA = 0.1
/** WILLIE and MINNIE are both in use for WILHELMINA. */
const OF_A_THIRD = 0.3

/** Whether one is nearly always a woman’s name and the other a man’s. */
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
