import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { SPOILT_INPUTS } from './spoilt-inputs.ts'

const Spoilt = z.object({
  records: z.number(),
  pairs: z.number(),
  cpu_seconds: z.number(),
  gib: z.number(),
  largest: z.number(),
  faults: z.array(z.object({ fault: z.string(), what: z.string() })),
})

/** Clusters above this many records are never published. */
const MOST_RECORDS = 100
/** A spoilt run may cost so many times what a clean one costs, record for record. */
const MOST_TIMES = 2

/** Links a clean world and the same world spoilt in six ways; throws when one is out of bounds, or its cause is not named. */
export function measureBadInput(
  mentions: number,
  say: (text: string) => void,
  figure: (set: string, name: string, value: number) => void,
): void {
  const clean = runOn(mentions)
  say(
    `\nbad input        ${mentions.toLocaleString('en-US')} mentions; clean: ${clean.pairs} pairs, ${clean.cpu_seconds.toFixed(1)} s of CPU, ${clean.gib.toFixed(2)} GiB, largest person ${clean.largest} records`,
  )
  const faults: string[] = clean.faults.map(({ what }) => `a clean world is said to have ${what}`)
  for (const { name, fault } of SPOILT_INPUTS) {
    const spoilt = runOn(mentions, name)
    const perRecord = clean.records / spoilt.records
    const times = (spoilt.cpu_seconds / clean.cpu_seconds) * perRecord
    const memory = (spoilt.gib / clean.gib) * Math.max(perRecord, 1)
    const named = spoilt.faults.find((found) => found.fault === fault)?.what
    say(
      `${name.padEnd(24)} × ${times.toFixed(2)} CPU a record, × ${memory.toFixed(2)} memory, × ${(spoilt.pairs / clean.pairs).toFixed(2)} pairs, largest person ${spoilt.largest}\n    ${named ?? 'NOT NAMED'}`,
    )
    figure(name, 'cpu_ratio', times)
    figure(name, 'memory_ratio', memory)
    figure(name, 'largest_cluster', spoilt.largest)
    if (named === undefined) faults.push(`${name}: no line names the cause`)
    if (spoilt.largest > MOST_RECORDS)
      faults.push(`${name}: a person of ${spoilt.largest} records, above ${MOST_RECORDS}`)
    if (times > MOST_TIMES || memory > MOST_TIMES)
      faults.push(
        `${name}: ${times.toFixed(2)} × the CPU, ${memory.toFixed(2)} × the memory of a clean run, above ${MOST_TIMES} ×`,
      )
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
}

function runOn(mentions: number, name?: string): z.output<typeof Spoilt> {
  const script = fileURLToPath(new URL('spoilt.ts', import.meta.url))
  const folder = mkdtempSync(join(tmpdir(), 'platbook-bench-'))
  const node = (...args: string[]): string =>
    execFileSync(process.execPath, [script, ...args], { encoding: 'utf8' })
  try {
    const file = join(folder, 'warehouse.duckdb')
    node('make', file, String(mentions), ...(name === undefined ? [] : [name]))
    return Spoilt.parse(JSON.parse(node('link', file)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
