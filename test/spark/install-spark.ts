import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const VERSION = '4.1.4'
const CACHE = process.env['SPARK_CACHE'] ?? join(homedir(), '.cache', 'platbook', 'spark')

/**
 * Returns the folder of Spark with `bin/spark-submit`. Downloads Spark from PyPI once (460 MB, 480 MB unpacked), because its
 * package there has everything but Java. Spark itself does not use Python.
 */
export async function installedSpark(): Promise<string> {
  const folder = join(CACHE, `pyspark-${VERSION}`)
  if (!existsSync(folder)) {
    const partial = join(CACHE, `partial-${process.pid}`)
    await mkdir(partial, { recursive: true })
    try {
      await run('python3', [
        '-m',
        'pip',
        'download',
        '--quiet',
        '--no-deps',
        '--use-pep517',
        '--dest',
        partial,
        `pyspark==${VERSION}`,
      ])
      await run('tar', ['-xzf', join(partial, `pyspark-${VERSION}.tar.gz`), '-C', partial])
      await rename(join(partial, `pyspark-${VERSION}`), folder)
    } finally {
      await rm(partial, { recursive: true, force: true })
    }
  }
  return join(folder, 'deps')
}
