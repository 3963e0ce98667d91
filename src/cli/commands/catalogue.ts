import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fileUrl, ICEBERG_PACKAGE, NAMESPACE, withCatalogue } from '../../catalogue/iceberg.ts'
import type { SparkCluster } from '../../cluster/spark/spark-engine.ts'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { currentSnapshot, VERSION } from '../../lookup/format/current.ts'
import { type Manifest, readOurManifest } from '../../lookup/format/manifest.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { count } from '../progress.ts'

export const summary = 'registers the tables of the current snapshot in an Iceberg catalogue, by Spark'
export const usage = `platbook catalogue register --to DIR|URL (--spark sc://HOST:PORT | --master MASTER) [--table NAME]
                      [--runtime JAR|MAVEN-COORDINATE] [--data DIR] [--json]

The catalogue lists the Parquet files of the snapshot, which must be at the same path on all machines of the cluster. Each version is a tag.
--master starts Spark from SPARK_HOME with the Iceberg runtime (${ICEBERG_PACKAGE}).`

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      to: { type: 'string' },
      spark: { type: 'string' },
      master: { type: 'string' },
      table: { type: 'string', multiple: true },
      runtime: { type: 'string', default: ICEBERG_PACKAGE },
      json: { type: 'boolean', default: false },
    },
  })
  if (positionals.length !== 1 || positionals[0] !== 'register' || values.to === undefined)
    throw new AppError('bad_usage', `usage: ${usage}`)
  const { config, signal } = io
  const { snapshots } = config.paths
  const current = await currentSnapshot(snapshots)
  if (current === null)
    throw new AppError('no_snapshot', `${snapshots} has no snapshot: run \`platbook nightly\` first`)
  const { version, folder } = current
  const tables = tablesOf(readOurManifest(folder), values.table)
  const catalogue = placeOf(values.to)
  const cluster = clusterOf(values, config)
  const registered: string[] = []
  const dropped = new Set<string>()
  await withCatalogue({ cluster, catalogue, runtime: values.runtime, signal }, async (iceberg) => {
    for (const [table, files] of tables) {
      const tags = await iceberg.tags(table)
      if (!tags.includes(version)) {
        const urls = files.map((file) => fileUrl(join(folder, file)))
        await iceberg.register(table, urls, version)
        registered.push(table)
        io.err(`  ${NAMESPACE}.${table}`)
      }
      // The files of a removed snapshot are gone, so its tag could not be read.
      for (const tag of tags.filter((name) => VERSION.test(name) && !existsSync(join(snapshots, name)))) {
        await iceberg.dropTag(table, tag)
        dropped.add(tag)
      }
    }
  })
  print(io, values.json, { catalogue, version, registered, dropped_tags: [...dropped] }, [
    `  ${catalogue}: ${count(registered.length)} of ${count(tables.size)} tables are new as version ${version}, the others had it`,
    ...[...dropped].map((tag) => `  the tag ${tag} is removed, because its snapshot is`),
  ])
  return 0
}

/** Returns the files of each table: `tables/people.parquet`, or all files below `tables/people/`. */
function tablesOf({ files }: Manifest, named: readonly string[] | undefined): Map<string, string[]> {
  const tables = new Map<string, string[]>()
  for (const file of Object.keys(files)) {
    const table = /^tables\/(\w+)(?:\.parquet$|\/.*\.parquet$)/.exec(file)?.[1]
    if (table !== undefined) tables.set(table, [...(tables.get(table) ?? []), file])
  }
  if (named === undefined) return tables
  const unknown = named.find((table) => !tables.has(table))
  if (unknown !== undefined)
    throw new AppError(
      'bad_usage',
      `the snapshot has no table '${unknown}'. Its tables: ${[...tables.keys()].join(', ')}`,
    )
  return new Map([...tables].filter(([table]) => named.includes(table)))
}

function placeOf(to: string): string {
  return /^[a-z][a-z0-9+]*:\/\//i.test(to) ? to : fileUrl(isAbsolute(to) ? to : resolve(to))
}

function clusterOf({ spark, master }: { spark?: string; master?: string }, config: Config): SparkCluster {
  if (spark !== undefined && master === undefined)
    return { spark, token: config.SPARK_CONNECT_AUTHENTICATE_TOKEN }
  if (master !== undefined && spark === undefined) return { master, sparkHome: config.SPARK_HOME }
  throw new AppError('bad_usage', `catalogue needs either --spark or --master\nusage: ${usage}`)
}
