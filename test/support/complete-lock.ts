/**
 * Adds to package-lock.json what npm leaves out of it when the registry it was made against lacks a package of
 * another platform: `npm ci` then fails ("Missing … from lock file"). A stub without `integrity` is enough.
 * Run by `npm run lock` after every change of dependencies; `test/project/lock-file.test.ts` checks the outcome.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const LockedPackage = z.looseObject({
  version: z.string().optional(),
  resolved: z.string().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
})
export const LockFile = z.looseObject({ packages: z.record(z.string(), LockedPackage) })
export type LockFile = z.output<typeof LockFile>

export const LOCK_PATH = fileURLToPath(new URL('../../package-lock.json', import.meta.url))

const OPERATING_SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const PROCESSORS = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
  'wasm32',
]

/** Optional packages that are asked for and have no entry: `[entry path, version, name]`, sorted. */
export function missingOptional(lock: LockFile): { path: string; name: string; version: string }[] {
  const missing = Object.entries(lock.packages).flatMap(([path, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(
        ([name]) =>
          !(`node_modules/${name}` in lock.packages) && !(`${path}/node_modules/${name}` in lock.packages),
      )
      .map(([name, version]) => ({ path: `node_modules/${name}`, name, version })),
  )
  return [...new Map(missing.map((item) => [item.path, item])).values()].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  )
}

function stub(name: string, version: string): Record<string, unknown> {
  const words = name.split(/[-/]/).map((word) => (word === 'win' ? 'win32' : word))
  const os = OPERATING_SYSTEMS.filter((system) => words.includes(system))
  const cpu = PROCESSORS.filter((processor) => words.includes(processor))
  return {
    version,
    optional: true,
    ...(os.length > 0 ? { os } : {}),
    ...(cpu.length > 0 ? { cpu } : {}),
  }
}

async function completeLock(): Promise<number> {
  const lock = LockFile.parse(JSON.parse(await readFile(LOCK_PATH, 'utf8')))
  const missing = missingOptional(lock)
  for (const { path, name, version } of missing) lock.packages[path] = stub(name, version)
  const sorted = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
  await writeFile(LOCK_PATH, `${JSON.stringify({ ...lock, packages: sorted }, null, 2)}\n`)
  return missing.length
}

if (import.meta.main) console.log(`package-lock.json: ${await completeLock()} entries added`)
