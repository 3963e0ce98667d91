/**
 * Completes package-lock.json for the platforms that this machine is not. npm leaves a package out of the lock file when
 * the registry that it was made against lacks that version, and `npm ci` then fails ("Missing … from lock file").
 * Each entry gets what the registry knows: the integrity of its exact version, or else the bin, os, cpu and libc of its
 * newest version. An entry without integrity is installed unchecked: `npm run lock` lists those that remain.
 * Run it after every change of dependencies; `test/project/lock-file.test.ts` checks the outcome.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pLimit from 'p-limit'
import { z } from 'zod'

const LockedPackage = z.looseObject({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  libc: z.union([z.string(), z.array(z.string())]).optional(),
  bin: z.record(z.string(), z.string()).optional(),
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

/** Returns the platform that the name of a package states. */
function platformOf(name: string): { os?: string[]; cpu?: string[]; libc?: string[] } {
  const words = name.split(/[-/]/).map((word) => (word === 'win' ? 'win32' : word))
  const os = OPERATING_SYSTEMS.filter((system) => words.includes(system))
  const cpu = PROCESSORS.filter((processor) => words.includes(processor))
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu')) || name.startsWith('node-linux-')
      ? ['glibc'] // The binaries of nodejs.org are built for glibc; their packages do not declare it.
      : []
  return {
    ...(os.length > 0 ? { os } : {}),
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(libc.length > 0 ? { libc } : {}),
  }
}

/** A platform's package whose entry does not say which libc it needs, or which file it brings as a command. */
export function undescribed(lock: LockFile): string[] {
  return Object.entries(lock.packages)
    .filter(([path, entry]) => {
      const name = nameOf(path)
      const needed = platformOf(name).libc
      return (
        (needed !== undefined && entry.libc === undefined) ||
        (/^node-(?:darwin|linux|win)-/.test(name) && entry.bin === undefined)
      )
    })
    .map(([path]) => path)
}

const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

const Described = z.object({
  'dist.integrity': z.string().optional(),
  bin: z.record(z.string(), z.string()).optional(),
  libc: z.union([z.string(), z.array(z.string())]).optional(),
})

/** Returns the registry's facts about a package's exact version, else about its newest one; integrity only of the exact one. */
async function described(name: string, version: string): Promise<z.output<typeof Described>> {
  const exact = await viewed(`${name}@${version}`)
  if (exact !== null) return exact
  const { 'dist.integrity': _, ...newest } = (await viewed(name)) ?? {}
  return newest
}

async function viewed(spec: string): Promise<z.output<typeof Described> | null> {
  try {
    const { stdout } = await promisify(execFile)('npm', [
      'view',
      spec,
      '--json',
      'dist.integrity',
      'bin',
      'libc',
    ])
    return stdout.trim() === '' ? null : Described.parse(JSON.parse(stdout))
  } catch {
    return null // The registry has no such version.
  }
}

async function completeLock(): Promise<{ added: number; unchecked: string[] }> {
  // Checked, and then taken as npm wrote it: a parsed copy would have its members in another order.
  const lock = JSON.parse(await readFile(LOCK_PATH, 'utf8')) as LockFile
  LockFile.parse(lock)
  const missing = missingOptional(lock)
  for (const { path, version } of missing) lock.packages[path] = { version, optional: true }
  const ask = pLimit(4)
  await Promise.all(
    Object.entries(lock.packages)
      .filter(
        ([path, entry]) => path !== '' && (entry.integrity === undefined || undescribed(lock).includes(path)),
      )
      .map(([path, entry]) =>
        ask(async () => {
          const name = nameOf(path)
          const { 'dist.integrity': integrity, bin, libc } = await described(name, entry.version ?? '')
          lock.packages[path] = {
            ...entry,
            ...Object.fromEntries(Object.entries(platformOf(name)).filter(([member]) => !(member in entry))),
            ...(integrity === undefined ? {} : { integrity }),
            ...(bin === undefined ? {} : { bin }),
            ...(libc === undefined ? {} : { libc }),
          }
        }),
      ),
  )
  const sorted = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
  await writeFile(LOCK_PATH, `${JSON.stringify({ ...lock, packages: sorted }, null, 2)}\n`)
  const unchecked = Object.entries(sorted).filter(
    ([path, entry]) => path !== '' && entry.integrity === undefined,
  )
  return {
    added: missing.length,
    unchecked: unchecked.map(([path, entry]) => `${nameOf(path)}@${entry.version}`),
  }
}

if (import.meta.main) {
  const { added, unchecked } = await completeLock()
  console.log(`package-lock.json: ${added} entries added`)
  console.log(`without integrity, because the registry lacks that version (${unchecked.length}):`)
  for (const name of unchecked) console.log(`  ${name}`)
}
