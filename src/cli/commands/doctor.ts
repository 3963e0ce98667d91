import { parseArgs } from 'node:util'
import { messageOf } from '../../errors.ts'
import { readSources } from '../../ingest/sources.ts'
import type { Check, Finding } from '../doctor/check.ts'
import { checkDates } from '../doctor/dates.ts'
import { checkBackup } from '../doctor/backup.ts'
import { checkDefinitions } from '../doctor/definitions.ts'
import { checkDisk } from '../doctor/disk.ts'
import { checkEvents } from '../doctor/events.ts'
import { checkFetched } from '../doctor/fetched.ts'
import { checkInstalled } from '../doctor/installed.ts'
import { checkLinkModel } from '../doctor/link-model.ts'
import { checkNotify } from '../doctor/notify.ts'
import { checkQuarantine } from '../doctor/quarantine.ts'
import { checkRuns } from '../doctor/runs.ts'
import { checkSchedule } from '../doctor/schedule.ts'
import { checkSnapshot } from '../doctor/snapshot.ts'
import { checkSources } from '../doctor/sources.ts'
import { checkState, withStateFile } from '../doctor/state.ts'
import { checkWarehouse, withReadableWarehouse } from '../doctor/warehouse.ts'
import type { CommandIo } from '../io.ts'
import { sourceFolders } from '../source-folders.ts'

export const summary =
  'reports what is installed, loaded, late, quarantined and served, and what needs action'
export const usage = 'platbook doctor [--data DIR] [--sources DIR] [--json]'

/** The checks in the order of the printed report. */
const CHECKS: readonly Check[] = [
  checkInstalled,
  checkDisk,
  checkSnapshot,
  checkFetched,
  checkEvents,
  checkState,
  checkBackup,
  checkWarehouse,
  checkLinkModel,
  checkNotify,
  checkRuns,
  checkSchedule,
  checkDefinitions,
  checkSources,
  checkQuarantine,
  checkDates,
]

/** Runs all checks and prints their results. Returns exit code 0 without complaints, else 1. */
export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      sources: { type: 'string', multiple: true },
      json: { type: 'boolean' },
    },
  })
  const findings = await examine(io, values.sources)
  const complaints = findings.flatMap((finding) => finding.complaints)
  if (values.json === true) {
    const fields = Object.assign({}, ...findings.map((finding) => finding.fields)) as object
    io.out(JSON.stringify({ ...fields, complaints }))
  } else {
    for (const line of findings.flatMap((finding) => finding.lines)) io.out(line)
    io.out(complaints.length === 0 ? '\nno problems found' : '\nproblems that need action')
    for (const complaint of complaints) io.out(`  ${complaint}`)
  }
  return complaints.length === 0 ? 0 : 1
}

async function examine({ config, now }: CommandIo, named: string[] | undefined): Promise<Finding[]> {
  const { sources: definitions, bad: badDefinitions } = await readSources(sourceFolders(config, named))
  return withStateFile(config, now, (state) =>
    withReadableWarehouse(config, async (warehouse) => {
      const findings: Finding[] = []
      for (const check of CHECKS) {
        const context = { config, now: now(), definitions, badDefinitions, state, warehouse }
        findings.push(await check(context).catch(failedCheck(check.name)))
      }
      return findings
    }),
  )
}

// A check that throws becomes a complaint, so that the results of the other checks are still printed.
function failedCheck(name: string): (cause: unknown) => Finding {
  return (cause) => ({
    fields: {},
    lines: [],
    complaints: [`${name} failed: ${messageOf(cause).split('\n')[0]}`],
  })
}
