import type { DuckDBConnection } from '@duckdb/node-api'
import { AppError } from '../errors.ts'
import { type FailedFile, type HeldLoad, waitingFiles } from '../ingest/held.ts'
import { openState } from '../state/open.ts'
import type { SourceDecision } from '../state/source-decisions.ts'
import type { CommandIo } from './io.ts'
import { readWarehouse } from './read-warehouse.ts'

export const ACTIONS = ['held', 'accept', 'reject'] as const
export type Action = (typeof ACTIONS)[number]

interface Request {
  readonly action: Action
  readonly source: string | undefined
  /** Names of files; all of the source that wait where there is none. */
  readonly files: readonly string[]
  readonly always: boolean
  readonly json: boolean
}

interface Waiting {
  readonly held: readonly HeldLoad[]
  readonly failed: readonly FailedFile[]
}

/**
 * Lists the files that wait, or records a decision about them. Exit code 0: nothing waits, or the decision is recorded;
 * 1: no such file waits; 3 of `held`: files wait.
 */
export async function runHeldLoads(request: Request, io: CommandIo): Promise<number> {
  const { action, source } = request
  if (action === 'held') return listWaiting(await waiting(io, source), request.json, io)
  if (source === undefined) {
    throw new AppError(
      'bad_usage',
      `\`platbook sources ${action}\` needs a source: see \`platbook sources held\``,
    )
  }
  return await decide({ ...request, action, source }, io)
}

async function waiting(io: CommandIo, source: string | undefined): Promise<Waiting> {
  return await readWarehouse(io.config, (db: DuckDBConnection) => waitingFiles(db, source))
}

function listWaiting({ held, failed }: Waiting, isJson: boolean, io: CommandIo): number {
  if (isJson) {
    io.out(JSON.stringify({ held, failed }))
  } else {
    for (const load of held) {
      io.out(`${load.source_id}  ${load.file_name}  held since ${load.held_at.slice(0, 16)}`)
      const reasons = load.findings.length === 0 ? [load.reason] : load.findings.map(({ reason }) => reason)
      for (const reason of reasons) io.out(`  ${reason}`)
    }
    for (const file of failed) {
      io.out(`${file.source_id}  ${file.file_name}  failed`)
      io.out(`  ${file.reason}`)
    }
    if (held.length > 0) {
      io.out('\n`platbook sources accept SOURCE` loads what is held; --always makes it the new measure')
    }
    if (held.length + failed.length > 0) {
      io.out('`platbook sources reject SOURCE` leaves the files out for good; --file NAME names one')
    } else {
      io.out('no load is held, and no file failed')
    }
  }
  return held.length + failed.length === 0 ? 0 : 3
}

async function decide(
  { action, source, files, always, json }: Request & { action: 'accept' | 'reject'; source: string },
  io: CommandIo,
): Promise<number> {
  const { held, failed } = await waiting(io, source)
  const isNamed = ({ file_name }: { file_name: string }): boolean =>
    files.length === 0 || files.includes(file_name)
  const chosen = [...held, ...(action === 'reject' ? failed : [])].filter(isNamed)
  const unknown = files.filter((name) => !chosen.some(({ file_name }) => file_name === name))
  if (chosen.length === 0 || unknown.length > 0) {
    const which = unknown.length === 0 ? '' : ` named ${unknown.join(', ')}`
    const unreadable = action === 'accept' ? failed.filter(isNamed) : []
    const next = unreadable.map(
      ({ file_name }) =>
        `; ${file_name} failed and cannot be accepted: correct it, or leave it out with \`platbook sources reject ${source} --file ${file_name}\``,
    )
    io.err(`no load of ${source}${which} is held${next.join('')}; \`platbook sources held\` lists what waits`)
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
  const state = openState(io.config.paths.state, { now: io.now, snapshots: io.config.paths.snapshots })
  try {
    state.sourceDecisions.record(decided)
  } finally {
    await state.close()
  }
  if (json) {
    io.out(JSON.stringify({ decided }))
    return 0
  }
  const what = { accept: 'accepted', accept_always: 'accepted as the new measure', reject: 'rejected' }[
    decision
  ]
  for (const { file_name } of decided) io.out(`${source}  ${file_name}: ${what}`)
  io.out('it takes effect in the next run: `platbook nightly` applies it now')
  return 0
}
