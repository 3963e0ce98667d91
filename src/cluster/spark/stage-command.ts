import { AppError } from '../../errors.ts'
import type { StageCall } from '../engine.ts'
import { FAILED_UNIT } from './spark-errors.ts'

/**
 * Returns the Spark SQL that runs a stage: one task for each unit, and one row with the column `line` for each line that
 * the command prints. Spark gives the text after `using` to bash.
 * @throws `bad_usage` when an argument has a control character
 */
export function stageSql(command: readonly string[], { args, units }: StageCall): string {
  const words = [...command, ...args]
  for (const word of words) {
    if (hasControlCharacter(word))
      throw new AppError('bad_usage', `the command of a stage has a control character: ${JSON.stringify(word)}. Use a path without it`) // prettier-ignore
  }
  const script = [
    // A task without rows has no unit.
    'read -r unit || exit 0',
    `printf '%s\\n' "$unit" | ${words.map(shellWord).join(' ')}`,
    'status=$?',
    // Spark reports the end of the standard error, but not which unit failed.
    `[ "$status" = 0 ] || echo "${FAILED_UNIT}$unit" >&2`,
    'exit "$status"',
  ].join('; ')
  // Without `row format` behind `as`, Spark splits the lines at another character and makes every column null.
  const format = String.raw`row format delimited fields terminated by '\t'`
  return `select transform(id) ${format} using ${sqlText(script)} as (line string) ${format} from range(0, ${units}, 1, ${units})`
}

// oxlint-disable-next-line no-control-regex -- the function looks for these characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

export function hasControlCharacter(text: string): boolean {
  return CONTROL.test(text)
}

function shellWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** Returns a text literal of Spark SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`
}
