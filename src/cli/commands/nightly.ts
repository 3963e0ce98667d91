import { parseArgs } from 'node:util'
import { type NightlyReport, runNightly, STEPS, type Step } from '../../../pipelines/nightly.ts'
import { AppError } from '../../errors.ts'
import type { LinkReport } from '../../link/link.ts'
import { chosenEngine, ENGINE_OPTIONS, ENGINE_USAGE } from '../engine.ts'
import type { CommandIo } from '../io.ts'
import { count, openProgress, time } from '../progress.ts'
import { openRunLog } from '../run-log.ts'
import { sourceFolders } from '../source-folders.ts'

export const summary = 'loads new files, links their records and publishes a snapshot'
export const usage = `platbook nightly [--data DIR] [--sources DIR] [--full] [--train [--accept]] [--engine NAME] [--json]

--full links and publishes everything again, also when nothing is new.
--train trains a new link model. A model that fails its checks is not used; --accept uses it anyway.
${ENGINE_USAGE}`

export async function run(argv: string[], io: CommandIo): Promise<number> {
  return runSteps(argv, io, STEPS)
}

/** Runs the given steps of a nightly run and prints the report: for `nightly`, `ingest`, `normalize`, `link` and `publish`. Returns the exit code. */
export async function runSteps(argv: string[], io: CommandIo, steps: readonly Step[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      data: { type: 'string' },
      sources: { type: 'string', multiple: true },
      full: { type: 'boolean' },
      train: { type: 'boolean' },
      accept: { type: 'boolean' },
      json: { type: 'boolean' },
      ...ENGINE_OPTIONS,
    },
  })
  if (values.train === true && !steps.includes('link')) {
    throw new AppError(
      'bad_usage',
      '--train works with `platbook link` and `platbook nightly` only: no other command links records',
    )
  }
  if (values.accept === true && values.train !== true)
    throw new AppError('bad_usage', '--accept needs --train: it uses the newly trained model although the model fails its checks') // prettier-ignore
  if (values.engine !== undefined && steps.every((step) => step === 'ingest'))
    throw new AppError('bad_usage', '--engine works with `platbook nightly`, `normalize`, `link` and `publish` only: files are loaded by this process') // prettier-ignore
  const display = openProgress(io)
  const { config, signal } = io
  const engine = await chosenEngine(values, { config, signal, progress: display.report })
  const runLog = openRunLog(io, io.config.LOG_LEVEL)
  try {
    const report = await runNightly({
      config: io.config,
      sourceFolders: sourceFolders(io.config, values.sources),
      steps,
      full: values.full === true,
      train: values.train === true,
      accept: values.accept === true,
      ...engine,
      now: io.now,
      signal: io.signal,
      log: runLog.log,
      progress: display.report,
    })
    display.finish()
    if (values.json === true) io.out(JSON.stringify(report))
    else printReport(report, runLog, steps)
    return report.exitCode
  } finally {
    display.finish()
    runLog.finish()
  }
}

/** Prints the report of a run: rows per source, refused rows and reasons, link results, the current snapshot. */
export function printReport(
  report: NightlyReport,
  io: Pick<CommandIo, 'out'>,
  steps: readonly Step[] = STEPS,
): void {
  for (const source of report.sources) {
    if (source.files.length === 0) {
      if (source.reason !== null) printWaiting(source, io)
      continue
    }
    const loaded = source.files.filter((file) => file.status === 'loaded')
    const rows = loaded.reduce((sum, file) => sum + file.loaded_rows, 0)
    const refused = source.files.reduce((sum, file) => sum + file.refused_rows, 0)
    const repeated = source.files.filter((file) => file.status === 'repeated').length
    const notes = [
      `${count(rows)} rows of ${loaded.length} ${loaded.length === 1 ? 'file' : 'files'}`,
      ...(refused > 0 ? [`${count(refused)} quarantined`] : []),
      ...(repeated > 0 ? [`${repeated} repeated`] : []),
      ...(source.status === 'rolled_back' ? ['ROLLED BACK'] : []),
    ]
    io.out(`  ${source.source_id.padEnd(34)} ${notes.join(', ')}`)
    for (const file of source.files) {
      if (file.reason === null) continue
      const isNamed = file.reason.startsWith(file.file_name)
      io.out(`    ${isNamed ? '' : `${file.file_name}: `}${file.reason}`)
    }
    printOlder(source, report, io)
  }
  if ((report.held ?? []).length + (report.failed ?? []).length > 0)
    io.out(
      '  `platbook sources held` lists the held files; `platbook sources accept SOURCE` loads them, `platbook sources reject SOURCE` leaves them out',
    )
  for (const file of report.unclaimed)
    io.out(`  no source reads ${file}: \`platbook sources\` lists the sources`)
  if (report.link !== null) printLink(report.link, io)
  if (report.released !== null && report.released.event_count > 0) {
    const { event_count, delivery_count } = report.released
    io.out(`  ${count(event_count)} new deed events, ${count(delivery_count)} notifications to deliver`)
  }
  for (const warning of report.warnings) io.out(`  WARNING: ${warning}`)
  if (!steps.includes('publish')) {
    io.out(`  ${endOfPart(report, steps)}`)
    return
  }
  if (report.damage !== null)
    io.out(`  snapshot ${report.damage}${report.published ? '; a new snapshot is published' : ''}`)
  io.out(
    report.published
      ? `  snapshot ${report.version ?? ''} is current, after ${time(report.seconds)}`
      : `  nothing new to publish, after ${time(report.seconds)}; snapshot ${report.version ?? 'none'} is current`,
  )
  if (report.uploaded) io.out('  the snapshot is uploaded to SNAPSHOT_STORE')
}

/** Returns the last line of a run without the publish step: what it did, and which command comes next. */
function endOfPart({ link, normalized, seconds }: NightlyReport, steps: readonly Step[]): string {
  const last = steps.at(-1)
  if (last === 'link' && link?.changed !== true) return `nothing new to link, after ${time(seconds)}`
  if (last === 'normalize' && normalized === null) return `nothing new to normalize, after ${time(seconds)}`
  const next =
    last === 'link'
      ? '`platbook publish` makes a snapshot of the result'
      : `\`platbook link\` ${last === 'ingest' ? 'normalizes and ' : ''}links the records`
  return `done after ${time(seconds)}; ${next}`
}

/** Prints files of a source that are held or failed since an earlier run. Such files make the exit code 3. */
function printOlder(
  { source_id, files }: NightlyReport['sources'][number],
  { held, failed }: NightlyReport,
  io: Pick<CommandIo, 'out'>,
): void {
  const named = new Set(files.map((file) => file.file_name))
  for (const [what, waiting] of [['held', held ?? []], ['failed', failed ?? []]] as const) {
    for (const file of waiting) {
      if (file.source_id !== source_id || named.has(file.file_name)) continue
      io.out(`    ${file.file_name} is still ${what}: ${file.reason}`)
    }
  }
} // prettier-ignore

/**
 * Prints a source without loaded files, and the reason. Its definition has a fault, or a file of an earlier run is held:
 * the file differs too much from earlier loads and waits for the operator's decision.
 */
function printWaiting(
  { source_id, status, reason }: NightlyReport['sources'][number],
  io: Pick<CommandIo, 'out'>,
): void {
  io.out(`  ${source_id.padEnd(34)} nothing loaded${status === 'held' ? ', HELD' : ''}`)
  for (const line of (reason ?? '').split('\n')) io.out(`    ${line}`)
}

function printLink(link: LinkReport, io: Pick<CommandIo, 'out'>): void {
  io.out(`  ${count(link.records)} records are ${count(link.people)} people`)
  const ids = [
    [link.allocated, 'allocated'],
    [link.merged, 'merged into others'],
    [link.split, 'split'],
    [link.removed, 'removed'],
  ] as const
  const happened = ids.filter(([n]) => n > 0).map(([n, what]) => `${count(n)} ${what}`)
  if (happened.length > 0) io.out(`    person ids: ${happened.join(', ')}`)
  if (link.model !== null) {
    io.out(
      link.refusedModel?.instead === 'default'
        ? '  linked with the default model of Platbook'
        : `  linked with the model of ${link.model.trainedOn}, trained on ${count(link.model.records)} records`,
    )
  }
  if (link.stateFault !== null) io.out(`    all records were linked again: ${link.stateFault}`)
  // The levels are sorted by the size of their drift. Only the first level of each comparison is printed.
  const shown = new Set<string>()
  for (const { comparison, level, bits, fresh } of link.drift) {
    if (shown.has(comparison)) continue
    shown.add(comparison)
    io.out(
      link.trained
        ? `    trained: ${comparison}, ${level}: match weight ${fresh.toFixed(1)}, ${bits.toFixed(1)} in the previous model`
        : `    drift: ${comparison}, ${level}: match weight ${bits.toFixed(1)} in the model, ${fresh.toFixed(1)} in today's records`,
    )
  }
  if (link.drift.length > 0 && !link.trained) {
    io.out(
      link.faults === 0
        ? '    `platbook link --train` trains a new model'
        : '    correct the input first (findings below), then train a new model with `platbook link --train`',
    )
  }
  for (const { kind, records, isLearnable } of link.unknown) {
    if (!isLearnable) continue
    io.out(
      `    '${kind}' of ${count(records)} records is not part of the model and is ignored: \`platbook link --train\` trains a model with it`,
    )
  }
  if (link.droppedBlocks > 0)
    io.out(
      `    ${several(link.droppedBlocks, 'block')} left out: too large to compare, and no key divides them further`,
    )
  if (link.cutComponents > 0)
    io.out(
      `    ${several(link.cutComponents, 'group')} of more than 100 records divided at the edges with the lowest match weight`,
    )
  if (link.faults > 0)
    io.out(
      `    ${several(link.faults, 'finding')} of suspicious input: the report page lists values and sources`,
    )
  if (link.reportFile !== null) io.out(`  ${link.reportFile} is the report of the link run`)
}

function several(n: number, what: string): string {
  return `${count(n)} ${what}${n === 1 ? '' : 's'}`
}
