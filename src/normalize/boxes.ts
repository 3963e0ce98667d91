import { hasDigit, isNumber, startsWithDigit } from './street-tokens.ts'
import type { Token } from './street-tokens.ts'
import { NUMBER_MARKS } from './street-words.ts'

/** A mailing address that is not a house, and the tokens that name it: from `start` up to, not including, `next`. */
export interface Box {
  kind: 'po_box' | 'rural_route' | 'military'
  /** 'RR 2', 'HC 5', 'PSC 802'; null for a PO box. */
  route: string | null
  number: string | null
  start: number
  next: number
}

const BOX_WORDS = new Set(['BOX', 'BX', 'BOXES', 'DRAWER', 'DRWR', 'DRAW', 'BIN', 'BO'])
const RURAL = new Map([['RR', 'RR'], ['RFD', 'RR'], ['RURAL', 'RR'], ['R', 'RR'], ['RD', 'RR'], ['RT', 'RR'], ['RTE', 'RR'], ['ROUTE', 'RR'], ['HC', 'HC'], ['HCR', 'HC'], ['STAR', 'HC'], ['HIGHWAY', 'HC'], ['HWY', 'HC'], ['SOUTH', 'RR'], ['NORTH', 'RR'], ['EAST', 'RR'], ['WEST', 'RR']]) // prettier-ignore
// These words also name roads. They count as a rural route only at the beginning of the line.
const ROADS = new Set(['RD', 'RT', 'RTE', 'ROUTE', 'HIGHWAY', 'HWY'])
const CERTAINLY_RURAL = new Set(['RR', 'RFD', 'RURAL', 'HC', 'HCR'])
const WEAK = new Set(['LOCKBOX', 'LOCK', 'LB', 'LBX', 'BIN', 'DRAWER', 'BOX', 'CALLER'])
// These words need a number with digits: 'POSTAL BOX LN' and 'LOCK HAVEN' are streets.
const DIGITS_ONLY = new Set(['POSTAL', 'LOCK', 'APARTADO', 'APDO', 'BIN', 'LB', 'LBX'])
const STARTS = new Set(['PO', 'P0', 'P', 'POB', 'LOCK', 'LB', 'LBX', 'APARTADO', 'APDO', 'BIN', 'POSTAL', 'POBOX', 'POST', 'BOX', 'CALLER', 'DRAWER', 'LOCKBOX', 'PSC', 'CMR', 'UNIT', 'PMB', 'APO', ...RURAL.keys()]) // prettier-ignore

/** Returns the first PO box, rural route or military box of the line; null when there is none. */
export function findBox(tokens: Token[]): Box | null {
  let weak: Box | null = null
  for (let i = 0; i < tokens.length; i++) {
    if (!STARTS.has(tokens[i]!.text)) continue
    const box = postOfficeBox(tokens, i) ?? military(tokens, i) ?? rural(tokens, i)
    if (box === null) continue
    // 'LOCKBOX 9351 PO BOX 8500', 'DRAWER 12 PO BOX 5935': the PO box is the address.
    if (!WEAK.has(tokens[i]!.text)) return box
    weak ??= box
  }
  return weak
}

function postOfficeBox(tokens: Token[], start: number): Box | null {
  let i = start
  const text = tokens[i]!.text
  const second = tokens[i + 1]?.text ?? ''
  const third = tokens[i + 2]?.text ?? ''
  if (text === 'POB' || text === 'POBOX' || text === 'LOCKBOX') i += BOX_WORDS.has(second) ? 2 : 1
  else if ((text === 'PO' || text === 'P0') && BOX_WORDS.has(second)) i += 2
  else if (text === 'PO' && (isNumber(second) || second === '#')) i += 1
  else if (text === 'P' && second === 'O' && (BOX_WORDS.has(third) || isNumber(third)))
    i += BOX_WORDS.has(third) ? 3 : 2
  else if (text === 'P' && BOX_WORDS.has(second)) i += 2
  else if (text === 'POST' && second === 'OFFICE' && BOX_WORDS.has(third)) i += 3
  else if (text === 'POST' && (second === 'BOX' || (second === 'OFFICE' && isNumber(third)))) i += 2
  else if ((text === 'LOCK' || text === 'POSTAL') && second === 'BOX') i += 2
  else if (text === 'LBX' || (text === 'LB' && second === '#')) i += 1
  else if (text === 'APARTADO' || text === 'APDO') i += second === 'POSTAL' ? 2 : 1
  else if (text === 'CALLER' && (second === 'BOX' || second === 'SERVICE')) i += 2
  else if ((text === 'BOX' || text === 'DRAWER' || text === 'BIN') && start === 0) i += 1
  else return null
  while (NUMBER_MARKS.has(tokens[i]?.text ?? '')) i++
  const number = tokens[i]?.text
  if (DIGITS_ONLY.has(text) && !hasDigit(number ?? '')) return null
  if (number === undefined || (!hasDigit(number) && number.length > 2)) {
    return text === 'BOX' || text === 'DRAWER' || text === 'PO'
      ? null
      : { kind: 'po_box', route: null, number: null, start, next: i }
  }
  // 'BOX 12 MAIN ST' is a house on a street. 'DRAWER A' and 'BOX 12' are boxes.
  if (text === 'BOX' && i + 1 < tokens.length && !tokens[i]!.comma) return null
  return joinedNumber(tokens, i, { kind: 'po_box', route: null, number, start, next: i + 1 })
}

// Appends the next token to the number of the box where both are one number: 'BOX 12 A', 'BOX 123 - 45', 'DRAWER CS
// 198422'.
function joinedNumber(tokens: Token[], i: number, box: Box): Box {
  const after = tokens[i + 1]
  if (after !== undefined && !tokens[i]!.comma && !hasDigit(tokens[i]!.text) && isNumber(after.text)) {
    box.number += after.text
    box.next++
    return box
  }
  if (
    after !== undefined &&
    !tokens[i]!.comma &&
    after.text.length === 1 &&
    after.word?.directional == null &&
    after.text !== '#'
  ) {
    box.number += after.text
    box.next++
  }
  return box
}

function military(tokens: Token[], start: number): Box | null {
  const text = tokens[start]!.text
  if (text !== 'PSC' && text !== 'CMR' && text !== 'UNIT') return null
  const number = tokens[start + 1]?.text ?? ''
  const box = tokens[start + 2]?.text ?? ''
  if (!startsWithDigit(number)) return null
  if (BOX_WORDS.has(box) && tokens[start + 3] !== undefined) {
    return {
      kind: 'military',
      route: `${text} ${number}`,
      number: tokens[start + 3]!.text,
      start,
      next: start + 4,
    }
  }
  return text === 'UNIT'
    ? null
    : { kind: 'military', route: `${text} ${number}`, number: null, start, next: start + 2 }
}

function rural(tokens: Token[], start: number): Box | null {
  const route = RURAL.get(tokens[start]!.text)
  if (
    route === undefined ||
    (start > 0 && startsWithDigit(tokens[start - 1]!.text) && !tokens[start - 1]!.comma)
  )
    return null
  let i = start + 1
  const second = tokens[i]?.text ?? ''
  const text = tokens[start]!.text
  if (start > 0 && ROADS.has(text) && !tokens[start - 1]!.comma) return null
  if (text === 'STAR' || tokens[start]!.word?.directional != null) {
    if (second !== 'ROUTE' && second !== 'RT' && second !== 'RTE') return null
    i++
  } else if (text === 'HIGHWAY' || text === 'HWY') {
    if (second !== 'CONTRACT') return null
    i++
    if (['ROUTE', 'RTE', 'RT'].includes(tokens[i]?.text ?? '')) i++
  } else if (text === 'R') {
    if (second === 'F' && tokens[i + 1]?.text === 'D') i += 2
    else if (second === 'R' || second === 'D') i++
    else return null
  } else if (text === 'HC' && second === 'R' && startsWithDigit(tokens[i + 1]?.text ?? '')) i++
  else if (second === 'ROUTE' || second === 'RT' || second === 'RTE' || second === 'DELIVERY') i++
  while (NUMBER_MARKS.has(tokens[i]?.text ?? '')) i++
  let number: string | null = null
  if (
    tokens[i] !== undefined &&
    !BOX_WORDS.has(tokens[i]!.text) &&
    (hasDigit(tokens[i]!.text) || tokens[i]!.text.length <= 2)
  ) {
    number = tokens[i]!.text
    i++
  }
  const name = tokens[start]!.word?.directional != null && number === null ? text : number
  const routeName = name === null ? route : `${route} ${name.replace(/^0+(?=.)/, '')}`
  if (!BOX_WORDS.has(tokens[i]?.text ?? '')) {
    // 'RT 5' and 'RD 5' without a box are roads. '123 N RR 620' is a house on a road.
    if (!CERTAINLY_RURAL.has(text) || number === null || startsWithDigit(tokens[0]!.text)) return null
    return { kind: 'rural_route', route: routeName, number: null, start, next: i }
  }
  i++
  while (NUMBER_MARKS.has(tokens[i]?.text ?? '')) i++
  const box = tokens[i]?.text
  if (box === undefined) return { kind: 'rural_route', route: routeName, number: null, start, next: i }
  const found: Box = { kind: 'rural_route', route: routeName, number: box, start, next: i + 1 }
  return joinedNumber(tokens, i, found)
}
