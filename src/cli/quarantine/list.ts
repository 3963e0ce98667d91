import { hintOf } from '../../ingest/refusal-hints.ts'
import {
  quarantineAccounts,
  quarantineGroups,
  type QuarantineAccount,
  STATES,
} from '../../ingest/quarantine.ts'
import { count } from '../progress.ts'
import { print } from '../print.ts'
import { readWarehouse } from '../read-warehouse.ts'
import { type QuarantineRequest, recordedDiscards } from './request.ts'

/** Prints the number of refused lines by source and reason, without their text. */
export async function listQuarantine({ io, isJson, selection }: QuarantineRequest): Promise<number> {
  const discards = await recordedDiscards(io)
  const { groups, sources } = await readWarehouse(io.config, async (db) => ({
    groups: await quarantineGroups(db, discards, selection),
    sources: await quarantineAccounts(db, discards, selection),
  }))
  const hinted = groups.map((group) => ({ ...group, hint: hintOf(group.reason) }))
  const lines: string[] = []
  for (const account of sources) {
    lines.push(`${account.source_id}  ${shownAccount(account)}`)
    for (const group of hinted.filter(({ source_id }) => source_id === account.source_id)) {
      const column = group.column === null ? '' : `; column ${group.column}`
      const first = `${group.files > 1 ? `${group.files} files, first: ` : ''}${group.file_name}, line ${group.line_number ?? '?'}`
      const failed = group.state === 'failed' ? '; the whole file failed: correct the file' : ''
      lines.push(`${count(group.rows).padStart(10)}  ${group.reason}${column} (${first})${failed}`)
      lines.push(`            ${group.hint}`)
    }
  }
  lines.push(
    groups.some(({ state }) => state === 'waiting')
      ? '\n`platbook quarantine show SOURCE` prints the lines; export and replay correct them, discard leaves them out'
      : 'no refused line is waiting',
  )
  print(io, isJson, { groups: hinted, sources }, lines)
  return 0
}

function shownAccount(account: QuarantineAccount): string {
  const parts = STATES.flatMap((state) =>
    account[state] > 0 ? [`${count(account[state])} ${WORDS[state]}`] : [],
  )
  return `${count(account.refused)} refused: ${parts.join(', ')}`
}

const WORDS = {
  waiting: 'waiting',
  failed: 'in files that failed',
  replayed: 'corrected',
  discarded: 'discarded',
  superseded: 'in files that newer ones supersede',
} as const
