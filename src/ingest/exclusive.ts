import type { Condition, SourceDefinition } from './definition.ts'

/**
 * Returns true when the form of two conditions shows that no row can fulfil both. Returns false when that is
 * unknown.
 */
export function areExclusive(
  left: Condition | undefined,
  right: Condition | undefined,
  codes: SourceDefinition['codes'],
): boolean {
  if (left === undefined || right === undefined) return false
  if ('any' in left) return left.any.every((each) => areExclusive(each, right, codes))
  if ('any' in right) return right.any.every((each) => areExclusive(left, each, codes))
  if ('all' in left) return left.all.some((each) => areExclusive(each, right, codes))
  if ('all' in right) return right.all.some((each) => areExclusive(left, each, codes))
  return contradicts(left, right, codes) || contradicts(right, left, codes)
}

function contradicts(left: Condition, right: Condition, codes: SourceDefinition['codes']): boolean {
  if ('not' in right) return implies(left, right.not, codes)
  if ('isBlank' in right) return presentValue(left) === textOf(right.isBlank)
  const [one, other] = [valuesOf(left, codes), valuesOf(right, codes)]
  if (one === null || other === null || one.of !== other.of) return false
  return !one.values.some((value) => other.values.includes(value))
}

/** Returns true when every row that fulfils `left` also fulfils `right`, as far as their form shows it. */
function implies(left: Condition, right: Condition, codes: SourceDefinition['codes']): boolean {
  if (textOf(left) === textOf(right)) return true
  if ('notBlank' in right) return presentValue(left) === textOf(right.notBlank)
  if ('any' in right) return right.any.some((each) => implies(left, each, codes))
  if ('all' in right) return right.all.every((each) => implies(left, each, codes))
  const [one, other] = [valuesOf(left, codes), valuesOf(right, codes)]
  if (one === null || other === null || one.of !== other.of) return false
  return one.values.every((value) => other.values.includes(value))
}

/**
 * Returns the expression that must not be blank for the condition to hold, as text. Returns null when there is
 * none.
 */
function presentValue(condition: Condition): string | null {
  if ('notBlank' in condition) return textOf(condition.notBlank)
  if ('is' in condition) return textOf(condition.is)
  if ('matches' in condition || 'inCodes' in condition) return textOf(condition.of)
  return null
}

/** Returns the values that a condition allows, and the expression that it tests. Returns null for other conditions. */
function valuesOf(
  condition: Condition,
  codes: SourceDefinition['codes'],
): { of: string; values: string[] } | null {
  if ('is' in condition) return { of: textOf(condition.is), values: condition.in }
  if ('inCodes' in condition) {
    return { of: textOf(condition.of), values: Object.keys(codes[condition.inCodes] ?? {}) }
  }
  return null
}

function textOf(value: unknown): string {
  return JSON.stringify(value)
}
