import { parseArgs } from 'node:util'
import { usageErrors } from '../acts.ts'
import type { CommandIo } from '../io.ts'
import { discard, listDiscards } from '../quarantine/discard.ts'
import { exportWaiting } from '../quarantine/export.ts'
import { listQuarantine } from '../quarantine/list.ts'
import { replay } from '../quarantine/replay.ts'
import type { QuarantineRequest } from '../quarantine/request.ts'
import { showLines } from '../quarantine/show.ts'
import { sourceFolders } from '../source-folders.ts'
import { wholeNumber } from '../whole-number.ts'

export const summary = 'lists, shows, exports, replays and discards refused lines'
export const usage = `platbook quarantine list [SOURCE]
       platbook quarantine show SOURCE [--limit N]
       platbook quarantine export SOURCE --to DIR [--force]
       platbook quarantine replay FILE [--joined]
       platbook quarantine discard SOURCE --why TEXT [--by NAME]
       platbook quarantine discards
       list, show, export and discard take [--file NAME] [--reason TEXT] [--line N …]; each takes [--sources DIR] [--data DIR] [--json]
       (--reason takes a part of the reason)

export writes the waiting lines of each file to DIR, in the format of the original file, and a note beside them (FILE.lines.json).
Correct the lines in place, one record per line, and replay the file: it is checked at once, and the next run loads it.
--joined allows a number of records that differs from the exported one. discard leaves lines out permanently and records who
decided it and why.`

const badUsage = usageErrors(usage)

/** Runs an action of `quarantine`. Returns exit code 0, or 1 when no line matches or a corrected file is not accepted. */
export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      sources: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
      file: { type: 'string' },
      reason: { type: 'string' },
      line: { type: 'string', multiple: true },
      limit: { type: 'string', default: '20' },
      to: { type: 'string' },
      force: { type: 'boolean', default: false },
      joined: { type: 'boolean', default: false },
      why: { type: 'string' },
      by: { type: 'string' },
    },
  })
  const [action, word, ...more] = positionals
  if (more.length > 0) throw badUsage('too many arguments')
  const request: QuarantineRequest = {
    io,
    isJson: values.json,
    sourceFolders: sourceFolders(io.config, values.sources),
    selection: {
      source: word,
      file: values.file,
      reason: values.reason,
      lines: values.line?.map((text) => wholeNumber('line', text, 1)),
    },
  }
  const needed = (what: string): string => {
    if (word !== undefined) return word
    throw badUsage(`\`platbook quarantine ${action ?? ''}\` needs ${what}: see \`platbook quarantine list\``)
  }
  switch (action) {
    case 'list':
      return await listQuarantine(request)
    case 'show':
      needed('a source')
      return await showLines(request, Math.min(wholeNumber('limit', values.limit, 1), 1_000))
    case 'export':
      needed('a source')
      if (values.to === undefined) throw badUsage('`platbook quarantine export` needs --to DIR')
      return await exportWaiting(request, { folder: values.to, isForced: values.force })
    case 'replay':
      return await replay(request, needed('an exported file'), { isJoined: values.joined })
    case 'discard':
      needed('a source')
      if (values.why === undefined)
        throw badUsage('`platbook quarantine discard` needs --why TEXT: it is recorded')
      return await discard(request, { why: values.why, by: values.by })
    case 'discards':
      return listDiscards(request)
    default:
      throw badUsage(action === undefined ? 'name an action' : `there is no action 'quarantine ${action}'`)
  }
}
