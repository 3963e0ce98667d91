import { AppError, messageOf } from '../errors.ts'
import type { FileKind } from './definition.ts'

/** A file name without folders, and the names of the zips around it, outermost first. */
export interface FileName {
  readonly base: string
  readonly archives: readonly string[]
}

/** Reads a name in the form that examples use: `inner.zip/APPRAISAL_INFO.TXT`. */
export function fileName(path: string): FileName {
  const parts = path.split('/')
  const base = parts.pop() ?? ''
  return { base, archives: parts.filter((part) => /\.zip$/i.test(part)) }
}

/**
 * Returns the named groups of a kind's pattern and archive pattern in a name. Returns null when the file is not of
 * this kind.
 */
export function matchFileName(kind: FileKind, name: FileName): Record<string, string> | null {
  const own = fileExpression(kind.pattern, kind.kind).exec(name.base)
  if (own === null) return null
  if (kind.archivePattern === undefined || name.archives.length === 0) return groupsOf(own)
  const archive = fileExpression(kind.archivePattern, kind.kind)
  for (const each of name.archives.toReversed()) {
    const found = archive.exec(each)
    if (found !== null) return { ...groupsOf(found), ...groupsOf(own) }
  }
  return null
}

/**
 * Returns the named groups in the name of a landed file that cannot be opened. The file may be one of the kind or a
 * zip of such files. Returns null when the name fits neither pattern.
 */
export function matchArchiveName(kind: FileKind, path: string): Record<string, string> | null {
  const base = (path.split('/').at(-1) ?? '').replace(/\.gz$/i, '')
  const patterns = [kind.pattern, ...(kind.archivePattern === undefined ? [] : [kind.archivePattern])]
  for (const pattern of patterns) {
    const found = fileExpression(pattern, kind.kind).exec(base)
    if (found !== null) return groupsOf(found)
  }
  return null
}

/** Returns the names of the groups in a kind's patterns. Expressions use their texts by `{file: …}`. */
export function groupNames(kind: FileKind): Set<string> {
  const patterns = `${kind.pattern} ${kind.archivePattern ?? ''}`
  return new Set([...patterns.matchAll(/\(\?<([A-Za-z_]\w*)>/g)].map((match) => match[1] ?? ''))
}

/** Returns the pattern as an expression that matches a whole name. @throws `bad_definition` that names `place` */
export function fileExpression(pattern: string, place: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`, 'i')
  } catch (cause) {
    const reason = messageOf(cause)
    throw new AppError('bad_definition', `${place}: ${pattern} is not a regular expression: ${reason}`, {
      cause,
    })
  }
}

function groupsOf(match: RegExpExecArray): Record<string, string> {
  return Object.fromEntries(
    Object.entries(match.groups ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
