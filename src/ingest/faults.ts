import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import { type FieldPath, jsonPlace, shownPath } from '../json-places.ts'
import { modulePlace } from './module-places.ts'

/** A fault of a definition. */
export interface Fault {
  /** The path of the faulty field. */
  readonly path: FieldPath
  readonly message: string
}

/** Returns the faults as text, one line each. A line begins with file, line and column of the field. */
export async function shownFaults(file: string, faults: readonly Fault[]): Promise<string[]> {
  if (faults.length === 0) return []
  const text = await readFile(file, 'utf8')
  return faults.map(({ path, message }) => `${placeOf(text, file, path)}: ${message}`)
}

function placeOf(text: string, file: string, path: FieldPath): string {
  if (file.endsWith('.json')) return jsonPlace(text, file, path)
  try {
    return modulePlace(text, file, path)
  } catch {
    // The parser may not know syntax that Node accepts. Then the message names the file only.
    return file
  }
}

/** Returns the faults that a schema found, one per field. */
export function shapeFaults(error: z.ZodError): Fault[] {
  return error.issues.flatMap((issue) => faultsOf(issue, []))
}

function faultsOf(issue: z.core.$ZodIssue, above: FieldPath): Fault[] {
  const path = [...above, ...(issue.path as (string | number)[])]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => faultAt([...path, key], 'there is no such field'))
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const meant = issue.errors.filter((issues) => !issues.some(isOfAnotherForm))
    const [only] = meant
    if (meant.length === 1 && only !== undefined) return only.flatMap((each) => faultsOf(each, path))
    const [unknown] = unknownKeys(issue.errors)
    return unknown === undefined
      ? [
          faultAt(
            path,
            'none of the forms of an expression or condition, which pipelines/sources/vocabulary.md lists',
          ),
        ]
      : [
          faultAt(
            [...path, unknown],
            'no expression or condition has this key; pipelines/sources/vocabulary.md lists them',
          ),
        ]
  }
  return [faultAt(path, issue.message)]
}

function faultAt(path: FieldPath, message: string): Fault {
  return { path, message: path.length === 0 ? message : `${shownPath(path)}: ${message}` }
}

/** Returns true when the issue shows that the value is another form of the union, because it has other keys. */
function isOfAnotherForm(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 0 && (issue.code === 'unrecognized_keys' || issue.code === 'invalid_type')
}

/** Returns the keys that no form of a union has. */
function unknownKeys(forms: readonly (readonly z.core.$ZodIssue[])[]): string[] {
  const [first = [], ...rest] = forms
    .map((issues) =>
      issues.flatMap((each) =>
        each.code === 'unrecognized_keys' && each.path.length === 0 ? each.keys : [],
      ),
    )
    .filter((keys) => keys.length > 0)
  return first.filter((key) => rest.every((keys) => keys.includes(key)))
}
