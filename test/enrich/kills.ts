import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { withFolder } from '../support/folder.ts'
import { inventedSnapshot } from '../support/invented-snapshot.ts'

const PROGRAM = fileURLToPath(new URL('enrich-until-killed.ts', import.meta.url))

export interface Kills {
  readonly kills: number
  readonly rows: number
  readonly seed: number
}

/** Rows that say the same person again and again, some over two lines, some that can't be read. */
function listOf(rows: number): string {
  return `id,name,phone,note\n${Array.from({ length: rows }, (_, at) => rowOf(at)).join('\n')}\n`
}

function rowOf(at: number): string {
  if (at % 501 === 500) return `${at},too,many,fields,at,all`
  const name = at % 7 === 0 ? '"Jane\nSmith"' : at % 11 === 0 ? 'Jonathan Smythe' : 'Nobody Whatsoever'
  return `${at},${name},${at % 7 === 0 ? '512-555-0101' : ''},${'x'.repeat(80)}`
}

/** Kills a run at bytes drawn by `seed`, goes on, and holds what comes of it against a run that nobody killed. */
export async function surviveKills({ kills, rows, seed }: Kills): Promise<void> {
  await withFolder(async (folder) => {
    await inventedSnapshot(join(folder, 'snapshots'))
    const list = join(folder, 'list.csv')
    await writeFile(list, listOf(rows))
    const [whole, out] = [join(folder, 'whole.csv'), join(folder, 'out.csv')]
    expect(await once(begin(folder, list, whole), 'close')).toEqual([0, null])
    const length = (await stat(whole)).size
    const random = lcg(seed)
    let struck = 0
    for (let n = 1; n <= kills; n += 1) {
      const child = begin(folder, list, out)
      const ended = once(child, 'close')
      const at = (length * (n - random())) / kills
      // Not at a time but at a place in the output; and then wherever the process happens to be.
      while (child.exitCode === null && (await sizeOf(`${out}.partial`)) < at) await delay(1)
      if (child.kill('SIGKILL')) struck += 1
      await ended
    }
    expect(struck).toBeGreaterThan(kills / 2)
    if ((await sizeOf(out)) === 0) expect(await once(begin(folder, list, out), 'close')).toEqual([0, null])
    expect((await readFile(out)).equals(await readFile(whole)), `seed ${seed}`).toBe(true)
    const rejected = await Promise.all(
      ['whole', 'out'].map((name) => readFile(join(folder, `${name}.rejected.csv`), 'utf8')),
    )
    expect(rejected[1]).toBe(rejected[0])
    expect((await readdir(folder)).filter((name) => name.includes('partial'))).toEqual([])
  })
}

function begin(data: string, list: string, out: string): ChildProcess {
  return spawn(process.execPath, [PROGRAM, data, list, out], { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => ({ size: 0 }))).size
}

/** Numbers from 0 up to 1 that are the same for the same seed. */
function lcg(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
