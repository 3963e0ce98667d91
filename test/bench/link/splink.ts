import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import type { World } from './worlds/kit/world.ts'
import { writeWorld } from './worlds/load-world.ts'

// Pinned, so that a figure of Splink is of one program. The folder is ignored by git.
const PACKAGES = ['splink==5.0.0', 'duckdb==2.0.0', 'sqlglot==30.30.0', 'pyarrow==26.0.1']
const FOLDER = fileURLToPath(new URL('../out/splink-5.0.0', import.meta.url))
const SCRIPT = fileURLToPath(new URL('splink_world.py', import.meta.url))
const run = promisify(execFile)

const SplinkFigures = z.object({
  f1: z.number(),
  precision: z.number(),
  recall: z.number(),
  threshold: z.number().nullable(),
  /** Whether both names were one comparison, or each one by itself. */
  names: z.enum(['one', 'each']),
  edges: z.number(),
  seconds: z.number(),
  version: z.string(),
})
export type SplinkFigures = z.output<typeof SplinkFigures>

/** The Python that has Splink, in a virtual environment that is made when it is not there; undefined, with the reason said, where that fails. */
export async function pythonWithSplink(say: (text: string) => void): Promise<string | undefined> {
  const python = join(FOLDER, 'bin', 'python')
  try {
    if (!existsSync(python)) {
      await mkdir(FOLDER, { recursive: true })
      await run('python3', ['-m', 'venv', FOLDER])
    }
    const isThere = await run(python, ['-c', 'import splink']).then(
      () => true,
      () => false,
    )
    if (!isThere) await run(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES])
    return python
  } catch (cause) {
    const { stderr, message } = cause as Error & { stderr?: string }
    const reason = stderr === undefined || stderr === '' ? message : stderr
    say(
      `Splink is left out: python3 with venv and the package ${PACKAGES[0]} are needed, and ${FOLDER} could not be made (${reason.trim().split('\n').at(-1)})`,
    )
    return undefined
  }
}

/** Splink's best pairwise F1 on the world in `world_records`, of all thresholds. */
export async function splinkFigures(
  db: DuckDBConnection,
  world: World,
  python: string,
): Promise<SplinkFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'platbook-splink-'))
  try {
    const file = join(folder, 'world.parquet')
    await writeWorld(db, world, file)
    const kind = world.duplicateFree === undefined ? 'any' : 'duplicate-free'
    const { stdout } = await run(python, [SCRIPT, file, kind, ...world.columns.flat()], {
      maxBuffer: 1 << 26,
    })
    return SplinkFigures.parse(JSON.parse(stdout.trim().split('\n').at(-1)!))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
