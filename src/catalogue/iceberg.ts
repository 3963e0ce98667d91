import { AppError, messageOf } from '../errors.ts'
import { openCluster, type SparkCluster } from '../cluster/spark/spark-engine.ts'
import type { SparkSession } from '../cluster/spark/spark-connect.ts'
import { hasControlCharacter, sqlText } from '../cluster/spark/stage-command.ts'

/** The Iceberg runtime for Spark 4.1, from Maven. Spark fetches it once when Platbook starts the server. */
export const ICEBERG_PACKAGE = 'org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0'

const EXTENSIONS = 'org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions'
const CATALOGUE = 'platbook_catalogue'
/** The namespace of the tables in the catalogue. */
export const NAMESPACE = 'published'

export interface CatalogueOptions {
  readonly cluster: SparkCluster
  /** The folder of the catalogue: a URL or an absolute path that the cluster sees. */
  readonly catalogue: string
  /** The Iceberg runtime for `--master`: a Maven coordinate, or the path of a `.jar`. */
  readonly runtime: string
  readonly signal: AbortSignal
}

/** Runs `body` with the Iceberg catalogue in a folder. */
export async function withCatalogue<T>(
  { cluster, catalogue, runtime, signal }: CatalogueOptions,
  body: (tables: IcebergTables) => Promise<T>,
): Promise<T> {
  const settings = {
    [`spark.sql.catalog.${CATALOGUE}`]: 'org.apache.iceberg.spark.SparkCatalog',
    [`spark.sql.catalog.${CATALOGUE}.type`]: 'hadoop',
    [`spark.sql.catalog.${CATALOGUE}.warehouse`]: catalogue,
    // Paths may have `${` and backslashes.
    'spark.sql.variable.substitute': 'false',
    'spark.sql.parser.escapedStringLiterals': 'false',
  }
  const conf = {
    [runtime.endsWith('.jar') ? 'spark.jars' : 'spark.jars.packages']: runtime,
    'spark.sql.extensions': EXTENSIONS,
  }
  const given = 'master' in cluster ? { ...cluster, conf: { ...cluster.conf, ...conf } } : cluster
  const { session, close } = await openCluster(given, settings, signal)
  try {
    const tables = new IcebergTables(session, signal)
    await tables.prepare()
    return await body(tables)
  } finally {
    await close()
  }
}

/** The tables of a catalogue. A version of a table is a tag of Iceberg. */
export class IcebergTables {
  readonly #session: SparkSession
  readonly #signal: AbortSignal

  constructor(session: SparkSession, signal: AbortSignal) {
    this.#session = session
    this.#signal = signal
  }

  /** Creates the namespace of the tables. */
  async prepare(): Promise<void> {
    await this.#run(`create namespace if not exists ${CATALOGUE}.${NAMESPACE}`)
  }

  /** Returns the tags of a table; none if the table does not exist. */
  async tags(table: string): Promise<string[]> {
    const rows = await this.#run(`show tables in ${CATALOGUE}.${NAMESPACE}`)
    if (!rows.some((row) => row['tableName'] === table)) return []
    const tags = await this.#run(`select name from ${nameOf(table)}.refs where type = 'TAG'`)
    return tags.map((row) => String(row['name']))
  }

  /**
   * Makes the Parquet files at `urls` the content of a table, and tags that content. The files stay where they are: the catalogue
   * lists them, and Iceberg never removes them (`gc.enabled`). Readers of the tag see the content from the last statement on.
   */
  async register(table: string, urls: readonly string[], tag: string): Promise<void> {
    const [first = ''] = urls
    const properties = "('gc.enabled' = 'false', 'format-version' = '2')"
    // Replaces the columns too, and keeps the tags of earlier versions.
    await this.#run(
      `create or replace table ${nameOf(table)} using iceberg tblproperties ${properties} as select * from ${parquet(first)} limit 0`,
    )
    for (const url of urls)
      await this.#run(
        `call ${CATALOGUE}.system.add_files(table => ${sqlText(`${NAMESPACE}.${table}`)}, source_table => ${sqlText(parquet(url))})`,
      )
    await this.#run(`alter table ${nameOf(table)} create or replace tag ${quoted(tag)}`)
  }

  async dropTag(table: string, tag: string): Promise<void> {
    await this.#run(`alter table ${nameOf(table)} drop tag if exists ${quoted(tag)}`)
  }

  async #run(query: string): ReturnType<SparkSession['execute']> {
    try {
      return await this.#session.execute({ root: { sql: { query } } }, { signal: this.#signal })
    } catch (cause) {
      const message = messageOf(cause)
      if (
        !/PARSE_SYNTAX_ERROR|Cannot find catalog plugin|ClassNotFoundException|NoSuchMethodError/.test(
          message,
        )
      )
        throw cause
      throw new AppError(
        'stage_failed',
        `${message}. Iceberg is missing on the Spark server, or is made for another Spark: start the server with --packages ${ICEBERG_PACKAGE} --conf spark.sql.extensions=${EXTENSIONS}`,
        { cause },
      )
    }
  }
}

/**
 * Returns the URL of a local file for Spark, which all its workers must see at the same path.
 * @throws `bad_usage`
 */
export function fileUrl(path: string): string {
  // Spark reads these characters of a path as a pattern.
  if (/[*?[\]{}\\]/.test(path) || hasControlCharacter(path))
    throw new AppError(
      'bad_usage',
      `the path ${JSON.stringify(path)} cannot be registered: use a data folder without * ? [ ] { } \\ and control characters`,
    )
  return `file://${path}`
}

function nameOf(table: string): string {
  return `${CATALOGUE}.${NAMESPACE}.${quoted(table)}`
}

function parquet(url: string): string {
  return `parquet.${quoted(url)}`
}

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}
