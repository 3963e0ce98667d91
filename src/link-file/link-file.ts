import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { PARTIAL, publishFile } from '../enrich/write/output.ts'
import type { ClusterFigures } from '../link/explain/cluster-figures.ts'
import type { RefusedModel } from '../link/model/check-model.ts'
import { linkRecords, type LinkRunReport } from '../link/link-records.ts'
import { reportPage } from '../link/explain/report.ts'
import { unknownKinds } from '../link/model/unknown-kinds.ts'
import type { OnProgress } from '../progress.ts'
import { openWarehouse } from '../warehouse/open.ts'
import { execute, query, quotedLiteral } from '../warehouse/query.ts'
import { numberClusters, writeEdges } from './clusters.ts'
import { type Loaded, loadFiles, type PeopleFile } from './load-files.ts'
import { mappingRows } from './show-mapping.ts'
import { checkTruth, judge, type Truth } from './truth.ts'
import { writeClusters } from './write-clusters.ts'
import { unwritable } from '../enrich/unwritable.ts'

export interface LinkFileOptions {
  readonly out: { readonly path: string; readonly kind: 'csv' | 'tsv' | 'jsonl' }
  readonly edges: string | undefined
  readonly report: string | undefined
  readonly rejected: string
  readonly prefix: string
  readonly truth: string | undefined
  /** True when each file has each person at most once. Records of one file are then never one person. */
  readonly isDuplicateFree: boolean
  /** Use the newly trained model even when it fails the model checks. */
  readonly accept: boolean
  readonly today: string
  readonly threads: number
  readonly memoryLimit: string
  readonly signal: AbortSignal
  readonly progress?: OnProgress | undefined
}

export interface LinkFileReport {
  readonly files: readonly (Loaded & { readonly path: string })[]
  readonly rows: number
  readonly rejected: number
  /** `clusters`: all clusters. `joined`: clusters of at least two records. */
  readonly clusters: number
  readonly joined: number
  readonly pairs: number
  readonly edges: number
  /** The newly trained model that failed the model checks, so the default model was used; null otherwise. */
  readonly refused: RefusedModel | null
  readonly truth: (Truth & ClusterFigures & { readonly betweenFiles: boolean }) | null
}

/**
 * Links the people of any files, in a temporary DuckDB database in memory. Output files get their final names after
 * all of them are complete.
 */
export async function linkFiles(
  files: readonly PeopleFile[],
  options: LinkFileOptions,
): Promise<LinkFileReport> {
  const { out, memoryLimit, threads } = options
  const folder = await mkdtemp(`${resolve(out.path)}${PARTIAL}-`).catch((cause: NodeJS.ErrnoException) => {
    throw unwritable(out.path, cause)
  })
  try {
    const warehouse = await openWarehouse(':memory:', { memoryLimit, threads })
    try {
      // DuckDB writes data beyond its memory limit to this folder, on the disk of the output.
      await execute(warehouse.db, `set temp_directory = ${quotedLiteral(join(folder, 'engine'))}`)
      return await linkIn(warehouse.db, files, folder, options)
    } finally {
      await warehouse.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function linkIn(
  db: DuckDBConnection,
  files: readonly PeopleFile[],
  folder: string,
  options: LinkFileOptions,
): Promise<LinkFileReport> {
  const {
    truth: truthColumn,
    isDuplicateFree,
    today,
    threads,
    signal,
    out,
    edges,
    report,
    rejected,
  } = options
  const step = steps(options.progress)
  const loaded = await loadFiles(db, files, { folder, truth: truthColumn, isDuplicateFree, today, signal })
  const rows = loaded.reduce((sum, one) => sum + one.rows, 0)
  const truth = truthColumn === undefined ? null : await checkTruth(db, truthColumn)
  step('read', rows)
  signal.throwIfAborted()
  const run = await linkRecords(db, { threads, today, accept: options.accept })
  step('link', rows)
  signal.throwIfAborted()
  const clusters = await numberClusters(db, rows)
  const betweenFiles = isDuplicateFree && files.length > 1
  const judged = truth === null ? null : { ...truth, ...(await judge(db, betweenFiles)), betweenFiles }
  const rejectedRows = loaded.reduce((sum, one) => sum + one.rejected, 0)
  const working = join(folder, 'clusters')
  const workingRejected = rejectedRows === 0 ? null : join(folder, 'rejected')
  await writeClusters(files, clusters, { path: working, kind: out.kind, prefix: options.prefix, rejectedPath: workingRejected }, signal) // prettier-ignore
  const workingEdges = join(folder, 'edges')
  if (edges !== undefined)
    await writeEdges(db, workingEdges, {
      names: files.map(({ path }) => path),
      hasIds: files.some(({ proposal }) => proposal.used.some(({ field }) => field === 'record_id')),
    })
  const result: LinkFileReport = {
    files: loaded.map((one, at) => ({ ...one, path: files[at]!.path })),
    rows,
    rejected: rejectedRows,
    ...(await clusterCounts(db)),
    pairs: run.pairs,
    edges: run.edges,
    refused: run.refused,
    truth: judged,
  }
  const workingReport = join(folder, 'report')
  if (report !== undefined) await writeFile(workingReport, await pageOf(db, files, run, result, today))
  signal.throwIfAborted()
  if (workingRejected !== null) await publishFile(workingRejected, rejected)
  if (edges !== undefined) await publishFile(workingEdges, edges)
  if (report !== undefined) await publishFile(workingReport, report)
  await publishFile(working, out.path)
  step('write', rows)
  return result
}

async function clusterCounts(db: DuckDBConnection): Promise<{ clusters: number; joined: number }> {
  const [counts] = await query(
    db,
    `select count(distinct cluster_id)::integer as clusters, (count(distinct cluster_id) filter (where size > 1))::integer as joined
     from link.file_clusters`,
    z.object({ clusters: z.int(), joined: z.int() }),
  )
  return counts!
}

async function pageOf(
  db: DuckDBConnection,
  files: readonly PeopleFile[],
  run: LinkRunReport,
  { files: loaded, clusters, joined, truth }: LinkFileReport,
  today: string,
): Promise<string> {
  const { page } = await reportPage(db, {
    report: run,
    today,
    people: null,
    events: [],
    unknown: await unknownKinds(db, run.model),
    sections: [
      {
        title: 'Files',
        titles: ['file', 'rows', 'rejected', 'without a value to compare'],
        rows: loaded.map(({ path, rows, rejected, blank }) => [basename(path), String(rows), String(rejected), String(blank)]), // prettier-ignore
      },
      {
        title: 'Columns',
        titles: ['file', 'column', 'read as', 'reason'],
        rows: files.flatMap(mappingRows),
      },
      {
        title: 'Clusters',
        titles: ['', ''],
        rows: [
          ['clusters', String(clusters)],
          ['with two or more records', String(joined)],
        ],
      },
      ...(truth === null
        ? []
        : [
            {
              title: 'Comparison with the truth',
              titles: ['', 'precision', 'recall', 'F1'],
              rows: (['pairwise', 'bCubed'] as const).map((name) => [name === 'bCubed' ? 'B³' : name, percent(truth[name].precision), percent(truth[name].recall), percent(truth[name].f1)]), // prettier-ignore
            },
          ]),
    ],
  })
  return page
}

function steps(progress: OnProgress | undefined): (step: string, rows: number) => void {
  let started = performance.now()
  return (step, rows) => {
    const now = performance.now()
    progress?.({ step, detail: step, rows, seconds: Math.round(now - started) / 1000 })
    started = now
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`
}
