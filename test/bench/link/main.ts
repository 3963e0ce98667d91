import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openWarehouse } from '../../../src/warehouse/open.ts'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'
import { machineLine } from '../machine.ts'
import { loadAnySet } from './any-set.ts'
import { measureBadInput } from './bad-input.ts'
import { figuresOf, type SetFigures } from './run-set.ts'
import { runWorlds, writeWorlds } from './run-worlds.ts'
import { type LinkSet, loadSet, SETS, SETS_FOLDER } from './sets.ts'

/**
 * `npm run bench:link [-- --json] [--records N] [--seed N] [--scale] [--no-generated] [--set FILE [--set FILE] [--duplicate-free]]`, or
 * `-- --bad-input [--records N]`: the same world clean and spoilt in six ways, or
 * `-- --worlds [--world NAME]... [--leave-out] [--splink] [--save] [--write FOLDER [--parquet]]`: the invented worlds of `worlds/`.
 * Every figure is of one run by the default model and threshold, training included.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    records: { type: 'string' },
    seed: { type: 'string' },
    'bad-input': { type: 'boolean', default: false },
    scale: { type: 'boolean', default: false },
    'no-generated': { type: 'boolean', default: false },
    set: { type: 'string', multiple: true },
    'duplicate-free': { type: 'boolean', default: false },
    worlds: { type: 'boolean', default: false },
    world: { type: 'string', multiple: true },
    splink: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    'leave-out': { type: 'boolean', default: false },
    write: { type: 'string' },
    parquet: { type: 'boolean', default: false },
  },
})
/** With `--scale`, the size at which the night and the explanation are measured as well. */
const SCALE_WHOLE = 1_000_000
const TODAY = new Date().toISOString().slice(0, 10)
const say = (text: string): void => {
  if (!values.json) console.log(text)
}
const figure = (set: string, name: string, value: number): void => {
  if (values.json) console.log(JSON.stringify({ set, figure: name, value: Number(value.toPrecision(6)) }))
}

say(machineLine())
if (values['bad-input']) measureBadInput(Number(values.records ?? 200_000), say, figure)
else if (values.worlds) await worlds()
else {
  await sets()
  if (!values['no-generated'] && values.set === undefined) generated()
}

async function worlds(): Promise<void> {
  const names = values.world ?? []
  if (values.write !== undefined) {
    await writeWorlds(names, values.write, values.parquet ? 'parquet' : 'csv', say)
    return
  }
  const { 'leave-out': leaveOut, splink, save } = values
  for (const found of await runWorlds({ names, leaveOut, splink, save, today: TODAY, say })) {
    figure(found.name, 'cluster_f1', found.trained.f1)
    figure(found.name, 'truth_trained_f1', found.truthTrained.f1)
    if (found.splink !== undefined) figure(found.name, 'splink_f1', found.splink.f1)
    for (const { columns, f1 } of found.leftOut ?? []) figure(found.name, `cluster_f1_without_${columns}`, f1)
    for (const { from, observed } of found.bands) figure(found.name, `reliability_from_${from}`, observed)
    figure(found.name, 'seconds', found.seconds)
  }
}

async function sets(): Promise<void> {
  say(
    `\n${'set'.padEnd(16)}${'records'.padStart(9)}${'pairs'.padStart(10)}  edge F1    P      R    cluster F1   B³ F1  seconds | target  Splink at 0.95  at its best threshold`,
  )
  for (const set of values.set === undefined ? SETS : [undefined]) {
    const warehouse = await openWarehouse(':memory:', { memoryLimit: '4GB', threads: 2 })
    const wanted = set ?? (await loadAnySet(warehouse.db, values.set ?? [], values['duplicate-free'], TODAY))
    if (set === undefined || (await loadSet(warehouse.db, wanted)))
      show(wanted, await figuresOf(warehouse.db, wanted, TODAY))
    else
      console.error(
        `SKIPPED ${wanted.name}: ${wanted.files.map(({ file }) => file).join(', ')} not in ${SETS_FOLDER} (set LINKAGE_DATA)`,
      )
    await warehouse.close()
  }
}

function show(set: LinkSet, found: SetFigures): void {
  const link = set.isDuplicateFree === true ? 'link_f1' : 'cluster_f1'
  say(
    `${set.name.padEnd(16)}${String(found.records).padStart(9)}${String(found.pairs).padStart(10)}   ${[found.edge_f1, found.precision, found.recall].map((value) => value.toFixed(4)).join(' ')}   ${found.cluster_f1.toFixed(4)}     ${found.b_cubed_f1.toFixed(4)} ${found.seconds.toFixed(1).padStart(7)}  | ${String(set.target ?? '').padEnd(7)} ${String(set.splinkDefault ?? '').padEnd(15)} ${set.splinkBest ?? ''}`,
  )
  figure(set.name, link, found.cluster_f1)
  if (link !== 'cluster_f1') figure(set.name, 'cluster_f1', found.cluster_f1)
  figure(set.name, 'precision', found.precision)
  figure(set.name, 'recall', found.recall)
  figure(set.name, 'edge_f1', found.edge_f1)
  figure(set.name, 'b_cubed_f1', found.b_cubed_f1)
  figure(set.name, 'seconds', found.seconds)
  for (const { from, edges, expected, observed } of found.reliability) {
    if (edges === 0) continue
    say(
      `    edges from ${from.toFixed(3)}: ${String(edges).padStart(6)}, promised ${expected.toFixed(4)}, true ${observed.toFixed(4)}`,
    )
    figure(set.name, `reliability_from_${from}`, observed)
  }
}

function generated(): void {
  const sizes = values.scale
    ? [500_000, 1_000_000, 2_000_000, 4_000_000]
    : [Number(values.records ?? 1_000_000)]
  const seconds: number[] = []
  for (const size of sizes) {
    const found = measured(size)
    const name = `generated_${size}`
    seconds.push(found['run_seconds']!)
    say(
      `\n${name}, hard noise (targets at a million: cluster F1 .985, 1.8 million pairs/s, 25 s, 4 GiB, night 8 %, explain 50 ms; Splink .90 million pairs/s, 26.8 s, 262 ms)`,
    )
    for (const [key, value] of Object.entries(found)) {
      say(
        `  ${key.padEnd(18)} ${value >= 1000 ? Math.round(value).toLocaleString('en-US') : value.toFixed(4)}`,
      )
      figure(name, key, value)
    }
  }
  if (sizes.length > 1) {
    const exponent = Math.log(seconds.at(-1)! / seconds[0]!) / Math.log(sizes.at(-1)! / sizes[0]!)
    say(`\ncost grows with the ${exponent.toFixed(3)}th power of the mentions`)
    figure('generated', 'exponent', exponent)
  }
}

function measured(size: number): Record<string, number> {
  const script = fileURLToPath(new URL('generated.ts', import.meta.url))
  const options = values.scale && size !== SCALE_WHOLE ? ['--run-only'] : []
  if (values.seed !== undefined) options.push('--seed', values.seed)
  const out = execFileSync(process.execPath, [script, String(size), ...options], {
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    maxBuffer: 1 << 20,
  })
  return JSON.parse(out.trim().split('\n').at(-1)!) as Record<string, number>
}
