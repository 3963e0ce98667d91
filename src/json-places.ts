import { findNodeAtLocation, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { AppError, type ErrorCode, messageOf } from './errors.ts'

/** The keys and indices from the top of a JSON file to a field, for example `['files', 0, 'kind']`. */
export type FieldPath = readonly (string | number)[]

/**
 * Parses a JSON file that may be written by hand. Skips a byte order mark.
 * @throws an error of `code` that names file, line and column
 */
export function parseJson(text: string, file: string, code: ErrorCode): unknown {
  const json = withoutMark(text)
  try {
    return JSON.parse(json)
  } catch (cause) {
    const errors: ParseError[] = []
    parseTree(json, errors, { disallowComments: true })
    const [first] = errors
    const reason = REASONS[first === undefined ? '' : printParseErrorCode(first.error)] ?? messageOf(cause)
    throw new AppError(code, `${placeAt(json, file, first?.offset ?? 0)}: ${reason}`, { cause })
  }
}

/** Returns the position of a field of a JSON file as `file:line:column`; the position of its parent for a missing field. */
export function jsonPlace(text: string, file: string, path: FieldPath): string {
  const json = withoutMark(text)
  const root = parseTree(json)
  if (root === undefined) return placeAt(json, file, 0)
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length))
    if (node === undefined) continue
    const { offset } = node.parent?.type === 'property' ? node.parent : node
    return placeAt(json, file, offset)
  }
  return placeAt(json, file, root.offset)
}

/** Returns the position of the character at `offset` as `file:line:column`; lines and columns count from 1. */
export function placeAt(text: string, file: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}

/** Returns a path as text: `files[0].rows[2].set.owner_name`. */
export function shownPath(path: FieldPath): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`)).join('')
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}

/** Messages for the error codes of jsonc-parser. */
const REASONS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word that JSON does not know; text needs double quotes',
  InvalidNumberFormat: 'a number that JSON cannot read',
  PropertyNameExpected: 'a key in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected here',
  CommaExpected: 'a comma is expected here',
  CloseBraceExpected: 'a closing brace } is expected here',
  CloseBracketExpected: 'a closing bracket ] is expected here',
  EndOfFileExpected: 'the JSON value ended before this text',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'a comment has no end, and JSON has no comments',
  UnexpectedEndOfString: 'a text has no closing double quote',
  UnexpectedEndOfNumber: 'a number is cut off',
  InvalidUnicode: 'the escape \\u needs four hexadecimal digits',
  InvalidEscapeCharacter: 'an unknown escape in a text; write a backslash as \\\\',
  InvalidCharacter: 'a control character in a text; write it as an escape such as \\t',
}
