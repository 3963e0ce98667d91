import { parseArgs } from 'node:util'
import { systemClock } from '../clock.ts'
import { loadConfig } from '../config.ts'
import { AppError, EXIT_LATER, messageOf } from '../errors.ts'
import { printable, printableLines } from '../printable.ts'
import type { Command, CommandIo } from './io.ts'
import { SHARED, tighten, tightenedLines, wantedAccess } from './permissions.ts'

// Each command is imported when it runs, so that `platbook keys` does not load DuckDB.
const COMMANDS: Record<string, () => Promise<Command>> = {
  start: () => import('./commands/start.ts'),
  nightly: () => import('./commands/nightly.ts'),
  ingest: () => import('./commands/ingest.ts'),
  normalize: () => import('./commands/normalize.ts'),
  link: () => import('./commands/link.ts'),
  publish: () => import('./commands/publish.ts'),
  rebuild: () => import('./commands/rebuild.ts'),
  serve: () => import('./commands/serve.ts'),
  schedule: () => import('./commands/schedule.ts'),
  catalogue: () => import('./commands/catalogue.ts'),
  accounts: () => import('./commands/accounts.ts'),
  keys: () => import('./commands/keys.ts'),
  webhooks: () => import('./commands/webhooks.ts'),
  state: () => import('./commands/state.ts'),
  suppress: () => import('./commands/suppress.ts'),
  notify: () => import('./commands/notify.ts'),
  backup: () => import('./commands/backup.ts'),
  restore: () => import('./commands/restore.ts'),
  doctor: () => import('./commands/doctor.ts'),
  explain: () => import('./commands/explain.ts'),
  sources: () => import('./commands/sources.ts'),
  quarantine: () => import('./commands/quarantine.ts'),
  evaluate: () => import('./commands/evaluate.ts'),
  generate: () => import('./commands/generate.ts'),
  'link-file': () => import('./commands/link-file.ts'),
  enrich: () => import('./commands/enrich.ts'),
  enrichments: () => import('./commands/enrichments.ts'),
  stage: () => import('./commands/stage.ts'),
}

async function main(argv: string[]): Promise<number> {
  const [name = 'help', ...rest] = argv
  const load = COMMANDS[name]
  if (load === undefined) {
    const help = await overview()
    if (['help', '--help', '-h'].includes(name)) {
      console.log(help)
      return 0
    }
    console.error(`platbook: there is no command '${printable(name)}'\n\n${help}`)
    return 2
  }
  const command = await load()
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(`${command.summary}\n\nusage: ${command.usage}`)
    return 0
  }
  const { data, isShared, common, own } = splitCommon(rest)
  const io = openIo(data)
  const PLATBOOK_SHARED = await protectFiles(io, isShared)
  return command.run(own, { ...io, common, config: { ...io.config, PLATBOOK_SHARED } })
}

const COMMON = { data: { type: 'string' }, shared: { type: 'boolean' } } as const

/**
 * Splits the arguments of a command into `common`, the options that every command takes, and `own`.
 * @throws `bad_usage` for `--data` without a folder, and for `--shared` with a value
 */
function splitCommon(args: string[]) {
  const { values, tokens } = parseArgs({ args, options: COMMON, strict: false, allowNegative: true, tokens: true }) // prettier-ignore
  const isCommon = new Set<number>()
  for (const token of tokens) {
    if (token.kind !== 'option' || !Object.hasOwn(COMMON, token.name)) continue
    isCommon.add(token.index)
    // `--data DIR` has its value in the next argument, `--data=DIR` in the same one.
    if (token.inlineValue === false) isCommon.add(token.index + 1)
  }
  const { data, shared: isShared } = values
  if (typeof data === 'boolean' || data === '' || data?.startsWith('-') === true)
    throw new AppError('bad_usage', '--data needs a folder')
  if (typeof isShared === 'string') throw new AppError('bad_usage', '--shared and --no-shared take no value')
  return {
    data,
    isShared,
    common: args.filter((_, index) => isCommon.has(index)),
    own: args.filter((_, index) => !isCommon.has(index)),
  }
}

/**
 * Gives only this account access to the data or, when shared, its group too. Sets the umask for new files of this
 * process, its threads and its child processes, and changes the modes of existing files in the data folder.
 * `isShared` undefined: the configuration decides. Returns whether the data is shared with the group.
 */
async function protectFiles(io: CommandIo, isShared: boolean | undefined): Promise<boolean> {
  const { paths, PLATBOOK_SHARED } = io.config
  const access = await wantedAccess(paths, isShared ?? PLATBOOK_SHARED)
  process.umask(access.umask)
  for (const line of tightenedLines(await tighten(paths, access), access)) io.err(line)
  return access === SHARED
}

function openIo(data: string | undefined): CommandIo {
  const stop = new AbortController()
  // The first signal asks the command to stop. The handler is then gone, so a second signal ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(signal))
  return {
    config: loadConfig(process.env, { data }),
    out: (line) => void process.stdout.write(`${printableLines(line)}\n`),
    err: (line) => void process.stderr.write(`${printableLines(line)}\n`),
    isTerminal: process.stderr.isTTY,
    now: systemClock,
    signal: stop.signal,
  }
}

// `platbook doctor | head` closes the pipe early, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  console.error(`platbook: cannot write to standard output: ${error.message}`)
  process.exit(1)
})

async function overview(): Promise<string> {
  const lines = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => `  ${name.padEnd(11)} ${(await load()).summary}`),
  )
  return `usage: platbook <command> [options]\n\n${lines.join('\n')}\n\n\`platbook <command> --help\` prints the options of a command. Every command takes --data DIR, and --shared or --no-shared to open the data to the group of the account or to close it.`
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const usage =
    error instanceof AppError
      ? error.code === 'bad_usage'
      : String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
  console.error(`platbook: ${printableLines(messageOf(error))}`)
  // Errors of libraries have no message for operators, so the stack is printed as well.
  if (!(error instanceof AppError) && !usage && error instanceof Error)
    console.error(printableLines(error.stack ?? ''))
  const isLater = error instanceof AppError && error.code === 'warehouse_locked'
  process.exitCode = usage ? 2 : isLater ? EXIT_LATER : 1
}
