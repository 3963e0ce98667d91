import type { Agreement, Candidate } from '../../lookup/index.ts'

/** Returns which parts of the row agree with the candidate, in the order of the interface's `matched_by`. */
export function agreements({ name, place, hasPhone, hasEmail, birth }: Candidate): string[] {
  const by: string[] = []
  if (name !== null && name.last !== 'other' && name.first !== 'other' && (name.last !== 'unknown' || name.first !== 'unknown')) by.push('name') // prettier-ignore
  if (hasPhone) by.push('phone')
  if (hasEmail) by.push('email')
  if (place !== null && AT_HOME.has(place.nearness)) by.push('address')
  if (birth === 'same') by.push('age')
  return by
}

const AT_HOME: ReadonlySet<string> = new Set(['home', 'building', 'street', 'zip', 'city'])

/** Returns in words which parts agree and which differ. */
export function reasonOf(candidate: Candidate): string {
  const { name, place, hasPhone, hasEmail, birth } = candidate
  const agree: string[] = []
  const differ: string[] = []
  if (name !== null) {
    const parts: [string, Agreement][] = [['first name', name.first], ['last name', name.last]] // prettier-ignore
    if (name.isSwapped) agree.push('first and last name (swapped)')
    else if (name.first === 'same' && name.last === 'same') agree.push('name')
    else
      for (const [what, agreement] of parts) {
        if (agreement === 'other') differ.push(what)
        else if (agreement !== 'unknown')
          agree.push(agreement === 'same' ? what : `${what} (${AGREEMENTS[agreement]})`)
      }
  }
  if (hasPhone) agree.push('phone')
  if (hasEmail) agree.push('e-mail')
  if (place !== null && place.nearness !== 'unknown') {
    if (place.nearness === 'elsewhere') differ.push('place')
    else agree.push(placeText(place))
  }
  if (birth === 'same') agree.push('birth date')
  else if (birth === 'near') agree.push('birth date (nearly)')
  else if (birth === 'other') differ.push('birth date')
  const text = agree.length === 0 ? 'nothing agrees' : agree.join(', ')
  return differ.length === 0 ? text : `${text}; not ${differ.join(', ')}`
}

const AGREEMENTS: Readonly<Record<Exclude<Agreement, 'same' | 'other' | 'unknown'>, string>> = {
  nickname: 'nickname',
  mistyped: 'mistyped',
  sounds: 'sounds alike',
  initial: 'initial',
  part: 'half of a double name',
  middle: 'goes by the middle name',
  former: 'another surname',
}

function placeText({ nearness, isFormer, isMistyped }: NonNullable<Candidate['place']>): string {
  const text = { home: 'address', building: 'building', street: 'street', zip: 'ZIP code', city: 'city', state: 'state', elsewhere: '', unknown: '' }[nearness] // prettier-ignore
  return `${isFormer ? 'former ' : ''}${text}${isMistyped ? ' (mistyped)' : ''}`
}
