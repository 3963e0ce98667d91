#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// Plain JavaScript, so that an older Node can still say what it lacks: TypeScript itself needs Node 24.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `platbook needs Node 24 and was started by Node ${process.versions.node}.\n` +
      'It brings its own: run it as `npm run platbook -- <command>` in its folder.',
  )
  process.exit(1)
}
// What a service holds of a snapshot is 110 MB of columns for a million people, read at random: in pages of 2 MiB a search by
// name takes a tenth less. glibc asks for them when a process is told so before it starts, and its workers inherit it.
if (
  process.platform === 'linux' &&
  process.env['GLIBC_TUNABLES'] === undefined &&
  process.send === undefined &&
  process.argv[2] === 'serve'
) {
  const argv = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, argv, { ...process.env, GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' })
}
// Types are stripped and code is compiled once, not at every start and in every thread: a third of a start's time, and memory.
// The variable tells threads and processes of this one; tests and test/bench/link run with the same (test/support/compile-cache.ts).
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../../node_modules/.cache/platbook', import.meta.url),
)
module.enableCompileCache(process.env['NODE_COMPILE_CACHE'])
await import('./main.ts')
