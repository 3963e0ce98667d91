import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ICEBERG_PACKAGE } from '../../src/catalogue/iceberg.ts'
import { startSparkServer } from '../../src/cluster/spark/spark-server.ts'
import { PUBLISHED_TABLES } from '../../src/publish/tables.ts'
import { runCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'
import { inventedSnapshot } from '../support/invented-snapshot.ts'
import { publishedSnapshot } from '../support/published.ts'
import { withWarehouse } from '../support/warehouse.ts'
import { installedSpark } from './install-spark.ts'
import { SMALL } from './spark-cluster.ts'

test('the tables of two versions are registered by one command and read back from Spark by version', async () => {
  await withFolder(async (folder) => {
    const sparkHome = await installedSpark()
    const data = join(folder, "it's data")
    const snapshots = join(data, 'snapshots')
    const catalogue = join(folder, 'catalogue')
    const first = await inventedSnapshot(snapshots)
    const register = async (...more: string[]) => {
      const argv = [
        'catalogue',
        'register',
        '--to',
        catalogue,
        '--master',
        'local[1]',
        '--data',
        data,
        '--json',
      ]
      const { code, stdout, stderr } = await runCommand([...argv, ...more], {
        env: { SPARK_HOME: sparkHome },
      })
      expect(code, stderr).toBe(0)
      return JSON.parse(stdout) as { version: string; registered: string[]; dropped_tags: string[] }
    }
    expect(await register()).toMatchObject({
      version: first,
      registered: Object.keys(PUBLISHED_TABLES).sort(),
      dropped_tags: [],
    })
    expect(await register('--table', 'people')).toMatchObject({ version: first, registered: [] })

    const { version: second } = await publishedSnapshot(
      snapshots,
      { people: [] },
      new Date('2026-06-02T04:30:00Z'),
    )
    expect(await register('--table', 'people')).toMatchObject({ version: second, registered: ['people'] })

    const people = await withWarehouse(async (db) => {
      const file = join(snapshots, first, 'tables', 'people.parquet').replaceAll("'", "''")
      const reader = await db.runAndReadAll(
        `select count(*)::integer, min(person_id), max(person_id) from read_parquet('${file}')`,
      )
      return reader.getRows()[0]
    })
    const conf = {
      ...SMALL,
      'spark.jars.packages': ICEBERG_PACKAGE,
      'spark.sql.catalog.ice': 'org.apache.iceberg.spark.SparkCatalog',
      'spark.sql.catalog.ice.type': 'hadoop',
      'spark.sql.catalog.ice.warehouse': `file://${catalogue}`,
    }
    const { signal } = new AbortController()
    const server = await startSparkServer({ sparkHome, master: 'local[1]', conf, settings: {}, signal })
    try {
      const read = async (version: string) => {
        const query = `select cast(count(*) as int) as n, min(person_id) as a, max(person_id) as z from ice.published.people version as of '${version}'`
        const [row] = await server.session.execute({ root: { sql: { query } } }, { signal })
        return [row?.['n'], row?.['a'], row?.['z']]
      }
      expect(await read(first)).toEqual(people)
      expect(await read(second)).toEqual([0, null, null])
    } finally {
      await server.close()
    }
    await rm(join(snapshots, first), { recursive: true })
    expect(await register('--table', 'people')).toMatchObject({ registered: [], dropped_tags: [first] })
    expect(await readdir(join(snapshots, second))).toContain('tables')
  })
}, 1_800_000)
