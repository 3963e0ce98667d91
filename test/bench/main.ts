/** `npm run bench` runs every bench, `npm run bench -- night lookup` the named ones. Prints figures. A bench fails on a wrong result, never on a time. */
import { machineLine } from './machine.ts'

const BENCHES: Record<string, () => Promise<{ run(): Promise<void> }>> = {
  normalize: () => import('./normalize.ts'),
  ingest: () => import('./ingest.ts'),
  night: () => import('./night.ts'),
  lookup: () => import('./lookup.ts'),
  enrich: () => import('./enrich.ts'),
  api: () => import('./api.ts'),
  'bad-input': () => import('./bad-input.ts'),
  attacks: () => import('./attacks.ts'),
  delivery: () => import('./delivery.ts'),
  events: () => import('./events.ts'),
  entities: () => import('./entities.ts'),
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in BENCHES))
if (unknown.length > 0) {
  console.error(`no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`)
  process.exit(2)
}

console.log(machineLine())
for (const [name, load] of Object.entries(BENCHES)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  console.log(`\n## ${name}`)
  await (await load()).run()
}
