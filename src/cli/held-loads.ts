import { AppError } from '../errors.ts'
import { type FailedFile, type HeldLoad, waitingFiles } from '../ingest/held.ts'
import { readSources } from '../ingest/sources.ts'
import type { SourceDecision } from '../state/source-decisions.ts'
import type { CommandIo } from './io.ts'
import { print } from './print.ts'
import { readWarehouse } from './read-warehouse.ts'
import { withState } from './with-state.ts'

export const ACTIONS = ['held', 'accept', 'reject'] as const
export type Action = (typeof ACTIONS)[number]

interface Request {
  readonly action: Action
  readonly source: string | undefined
  /** Names of the files to decide about; an empty array means all waiting files of the source. */
  readonly files: readonly string[]
  readonly always: boolean
  readonly json: boolean
  readonly sourceFolders: readonly string[]
}

/** How many rejected files `sources held` prints. */
const SHOWN_REJECTED = 20

interface Waiting {
  readonly held: readonly HeldLoad[]
  readonly failed: readonly FailedFile[]
}

/**
 * Lists the files that wait for a decision, or records a decision about them: held files, which differ too much from
 * earlier loads, and files that failed. Returns the exit code: 0 when no file waits or the decision
 * is recorded, 1 when the named file does not wait, 3 when `held` lists files.
 */
export async function runHeldLoads(request: Request, io: CommandIo): Promise<number> {
  const { action, source } = request
  if (action === 'held') {
    const found = await readWarehouse(io.config, (db) => waitingFiles(db, source))
    const rejected = await rejectedFiles(io, source)
    if (source !== undefined && found.held.length + found.failed.length + rejected.length === 0) {
      await checkSource(source, request)
    }
    return listWaiting({ ...found, rejected }, request.json, io)
  }
  if (source === undefined) {
    throw new AppError(
      'bad_usage',
      `\`platbook sources ${action}\` needs a source: see \`platbook sources held\``,
    )
  }
  return await decide({ ...request, action, source }, io)
}

/** Returns the files that the operator rejected, the newest decision first. */
async function rejectedFiles(io: CommandIo, source: string | undefined): Promise<SourceDecision[]> {
  const decisions = await withState(io, (state) => state.sourceDecisions.all())
  return decisions
    .filter(({ decision, source_id }) => decision === 'reject' && source_id === (source ?? source_id))
    .reverse()
}

/**
 * Checks that a source definition has this id.
 * @throws `bad_input`
 */
async function checkSource(id: string, { sourceFolders }: Request): Promise<void> {
  const { sources, bad } = await readSources([...sourceFolders])
  if ([...sources, ...bad].some((each) => each.id === id)) return
  throw new AppError(
    'bad_input',
    `there is no source ${id}: \`platbook sources\` lists them; --sources names your own folder`,
  )
}

function listWaiting(
  { held, failed, rejected }: Waiting & { rejected: readonly SourceDecision[] },
  isJson: boolean,
  io: CommandIo,
): number {
  const lines: string[] = []
  for (const { source_id, file_name, held_at, findings, reason } of held) {
    lines.push(`${source_id}  ${file_name}  held since ${held_at.slice(0, 16)}`)
    lines.push(...(findings.length === 0 ? [{ reason }] : findings).map((finding) => `  ${finding.reason}`))
  }
  for (const { source_id, file_name, reason } of failed)
    lines.push(`${source_id}  ${file_name}  failed`, `  ${reason}`)
  if (held.length > 0)
    lines.push(
      '\n`platbook sources accept SOURCE` loads the held files; --always also compares later files with them',
    )
  lines.push(
    held.length + failed.length > 0
      ? '`platbook sources reject SOURCE` leaves the files out permanently; --file NAME selects one file'
      : 'no load is held, and no file failed',
  )
  if (rejected.length > 0)
    lines.push('\nrejected files; `platbook sources accept SOURCE --file NAME` loads one after all')
  for (const { source_id, file_name, decided_at } of rejected.slice(0, SHOWN_REJECTED))
    lines.push(`${source_id}  ${file_name}  rejected on ${decided_at.slice(0, 10)}`)
  if (rejected.length > SHOWN_REJECTED)
    lines.push(`and ${rejected.length - SHOWN_REJECTED} more; --json lists them`)
  print(io, isJson, { held, failed, rejected }, lines)
  return held.length + failed.length === 0 ? 0 : 3
}

async function decide(
  request: Request & { action: 'accept' | 'reject'; source: string },
  io: CommandIo,
): Promise<number> {
  const { action, source, files, always, json } = request
  const { held, failed } = await readWarehouse(io.config, (db) => waitingFiles(db, source))
  const rejected = (await rejectedFiles(io, source)).map(({ sha256, ...file }) => ({
    ...file,
    container_sha256: sha256,
  }))
  const isNamed = ({ file_name }: { file_name: string }): boolean =>
    files.length === 0 || files.includes(file_name)
  // `accept SOURCE` without names accepts waiting files only. A rejected file is accepted again when it is named.
  const beside = action === 'reject' ? failed : files.length > 0 ? rejected : []
  const chosen = [...held, ...beside].filter(isNamed)
  const unknown = files.filter((name) => !chosen.some(({ file_name }) => file_name === name))
  if (chosen.length === 0 || unknown.length > 0) {
    if (held.length + failed.length + rejected.length === 0) await checkSource(source, request)
    const which = unknown.length === 0 ? '' : ` named ${unknown.join(', ')}`
    const unreadable = action === 'accept' ? failed.filter(isNamed) : []
    const next = unreadable.map(
      ({ file_name }) =>
        `; ${file_name} failed and cannot be accepted: correct the file, or leave it out with \`platbook sources reject ${source} --file ${file_name}\``,
    )
    const [last] = rejected
    const back =
      action === 'accept' && files.length === 0 && last !== undefined
        ? `; ${last.file_name} was rejected: \`platbook sources accept ${source} --file ${last.file_name}\` loads it after all`
        : ''
    io.err(
      `no load of ${source}${which} is held${next.join('')}${back}; \`platbook sources held\` lists the waiting files`,
    )
    return 1
  }
  const decision: SourceDecision['decision'] =
    action === 'reject' ? 'reject' : always ? 'accept_always' : 'accept'
  const decided = chosen.map(({ container_sha256: sha256, member, file_name }) => ({
    source_id: source,
    sha256,
    member,
    file_name,
    decision,
  }))
  await withState(io, (state) => state.sourceDecisions.record(decided))
  const what = {
    accept: 'accepted',
    accept_always: 'accepted, later files are compared with it',
    reject: 'rejected',
  }[decision]
  print(io, json, { decided }, [
    ...decided.map(({ file_name }) => `${source}  ${file_name}: ${what}`),
    'the next run applies the decision: start one now with `platbook nightly`',
  ])
  return 0
}
