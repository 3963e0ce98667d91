import type { Expression } from '../../../src/ingest/definition.ts'

/** Shorthands that return expressions used by several definitions. */

const NO_ZIP = ['0', '00000', '000000000', '99999', '999999999', '*']

/** Nine digits become ZIP+4. All zeros and all nines mean an unknown ZIP code. */
export function zip(of: Expression): Expression {
  return { replace: '^(\\d{5})(\\d{4})$', of: known(of, NO_ZIP), with: '\\1-\\2' }
}

/** A bare apartment number gets a `#`. Text that already names its kind (`APT 3`) stays. */
export function unit(of: Expression): Expression {
  return { when: { matches: '^(#|[A-Za-z]{3,} )', of }, then: of, otherwise: prefixed('# ', of) }
}

/** The text after a prefix. Null without the prefix. */
export function prefixed(prefix: string, of: Expression): Expression {
  return { when: { notBlank: of }, then: { join: [{ literal: prefix }, of], with: '' } }
}

/** The text, or null when it is a word that clerks type for an unknown value. */
export function known(of: Expression, placeholders: string[]): Expression {
  return { when: { not: { is: of, in: placeholders } }, then: of }
}
