// The parts of the messages in proto/spark/connect that Platbook sends.

export type Relation =
  | { readonly sql: { readonly query: string } }
  | { readonly read: { readonly data_source: ParquetSource } }
  | { readonly subquery_alias: { readonly input: Relation; readonly alias: string } }
  | { readonly with_relations: { readonly root: Relation; readonly references: readonly Relation[] } }

interface ParquetSource {
  readonly format: 'parquet'
  readonly paths: readonly string[]
  readonly options: Readonly<Record<string, string>>
}

export type Plan =
  { readonly root: Relation } | { readonly command: { readonly write_operation: WriteOperation } }

interface WriteOperation {
  readonly input: Relation
  readonly source: 'parquet'
  readonly path: string
  readonly mode: 'SAVE_MODE_OVERWRITE'
  readonly partitioning_columns: readonly string[]
  readonly options: Readonly<Record<string, string>>
}

/** Returns the rows of a SELECT. `folders` has the URLs of Parquet folders, by the table names that the SELECT uses. */
export function selectFrom(sql: string, folders: Readonly<Record<string, string>>): Relation {
  const references = Object.entries(folders).map(([alias, url]): Relation => ({
    subquery_alias: { input: parquetFolder(url), alias },
  }))
  return { with_relations: { root: { sql: { query: sql } }, references } }
}

// Without `recursiveFileLookup`, Spark makes a column of each subfolder such as `unit=3`. The rows of a folder do not have it.
function parquetFolder(url: string): Relation {
  const options = { recursiveFileLookup: 'true' }
  return { read: { data_source: { format: 'parquet', paths: [url], options } } }
}

/** Writes the rows to a folder and replaces its content. A subfolder `<column>=<value>` is made for each value of `by`. */
export function writeParquet(input: Relation, url: string, by: readonly string[] = []): Plan {
  const write_operation: WriteOperation = {
    input,
    source: 'parquet',
    path: url,
    mode: 'SAVE_MODE_OVERWRITE',
    partitioning_columns: by,
    options: { compression: 'zstd' },
  }
  return { command: { write_operation } }
}
