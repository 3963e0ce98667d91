import type { CommandIo } from './io.ts'

/** Prints a result: with `--json` the value as one line of JSON, else the lines. */
export function print(
  io: Pick<CommandIo, 'out'>,
  isJson: boolean | undefined,
  value: unknown,
  lines: readonly string[],
): void {
  for (const line of isJson === true ? [JSON.stringify(value)] : lines) io.out(line)
}
