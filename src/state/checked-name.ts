import { AppError } from '../errors.ts'
import { hasControls } from '../printable.ts'

const MOST_CHARACTERS = 200

/** Returns the trimmed name. `thing` names its owner in errors (`a key`). @throws `bad_usage` for an empty, long or unprintable name. */
export function checkedName(thing: string, name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw new AppError('bad_usage', `${thing} needs a name`)
  if (trimmed.length > MOST_CHARACTERS) {
    throw new AppError('bad_usage', `the name of ${thing} must have at most ${MOST_CHARACTERS} characters`)
  }
  if (hasControls(trimmed)) {
    throw new AppError('bad_usage', `the name of ${thing} must not contain control characters`)
  }
  return trimmed
}
