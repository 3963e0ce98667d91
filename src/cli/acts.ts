import { AppError } from '../errors.ts'
import type { State } from '../state/open.ts'
import type { CommandIo } from './io.ts'
import { withState } from './with-state.ts'

/** An action of a command, such as `create` of `platbook keys`. */
export interface Act<Run> {
  readonly run: Run
  /** The argument, for the error when it is missing: "a key: `platbook keys list` shows the ids". Absent: the action takes none. */
  readonly argument?: string
  /** The options of the action, besides --json. Absent: it takes all options of the command. */
  readonly options?: readonly string[]
}

export type Acts<Run> = Readonly<Record<string, Act<Run>>>

/** The actions of a command that works on the state file. `run` returns the exit code; nothing means 0. */
export type StateActs<Values> = Acts<
  (state: State, values: Values, io: CommandIo, word: string) => Promise<number | void> | number | void
>

interface Given<Values extends object> {
  readonly values: Values
  readonly positionals: readonly string[]
}

/** Makes the error for wrong arguments; it ends with the usage of the command. */
export type UsageError = (reason: string) => AppError

export function usageErrors(usage: string): UsageError {
  return (reason) => new AppError('bad_usage', `${reason}\nusage: ${usage}`)
}

/**
 * Returns the action that the arguments of `command` name, and its argument (empty if it takes none).
 * @throws `bad_usage`
 */
export function chosenAct<Run>(
  command: string,
  acts: Acts<Run>,
  { values, positionals }: Given<object>,
  badUsage: UsageError,
): { act: Act<Run>; word: string } {
  const [name, word, ...more] = positionals
  if (name === undefined) throw badUsage('name an action')
  const act = Object.hasOwn(acts, name) ? acts[name] : undefined
  if (act === undefined) throw badUsage(`there is no action '${command} ${name}'`)
  const { argument, options } = act
  if (more.length > 0 || (word !== undefined && argument === undefined)) throw badUsage('too many arguments')
  if (word === undefined && argument !== undefined) throw badUsage(`name ${argument}`)
  const allowed = options === undefined ? Object.keys(values) : ['json', ...options]
  const strange = Object.keys(values).find((one) => !allowed.includes(one))
  if (strange !== undefined) throw badUsage(`'${command} ${name}' takes no --${strange}`)
  return { act, word: word ?? '' }
}

/** Runs the action that the arguments of `command` name, with the state file open. Returns the exit code. */
export async function runStateAct<Values extends object>(
  command: string,
  acts: StateActs<Values>,
  given: Given<Values>,
  badUsage: UsageError,
  io: CommandIo,
): Promise<number> {
  const { act, word } = chosenAct(command, acts, given, badUsage)
  return withState(io, async (state) => (await act.run(state, given.values, io, word)) ?? 0)
}
