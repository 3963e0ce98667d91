import type { Expression } from '../../../src/ingest/definition.ts'

/** Shorthands for expressions that many layouts need. They write data; nothing in them runs when a file is read. */

const NO_ZIP = ['0', '00000', '000000000', '99999', '999999999', '*']

/** Nine digits become ZIP+4; all zeros and all nines stand for an unknown one. */
export function zip(of: Expression): Expression {
  return { replace: '^(\\d{5})(\\d{4})$', of: known(of, NO_ZIP), with: '\\1-\\2' }
}

/** A bare apartment number gets a `#`; text that already names its kind (`APT 3`) stays. */
export function unit(of: Expression): Expression {
  return { when: { matches: '^(#|[A-Za-z]{3,} )', of }, then: of, otherwise: prefixed('# ', of) }
}

/** The text behind a prefix; null where there is none. */
export function prefixed(prefix: string, of: Expression): Expression {
  return { when: { notBlank: of }, then: { join: [{ literal: prefix }, of], with: '' } }
}

/** Text that is one of the words a clerk types when nothing is known counts as none. */
export function known(of: Expression, placeholders: string[]): Expression {
  return { when: { not: { is: of, in: placeholders } }, then: of }
}
