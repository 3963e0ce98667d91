#!/usr/bin/env node
import { spawn } from 'node:child_process'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { findNode, installAdvice, NEEDED_MAJOR } from './find-node.mjs'

// This file is plain JavaScript, because an older Node must be able to run it and to start a newer Node.
if (Number(process.versions.node.split('.')[0]) < NEEDED_MAJOR) {
  const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
  const newer = findNode({ path: process.env['PATH'] ?? '', packages })
  if (newer === null) {
    const isMusl =
      process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined
    console.error(installAdvice({ version: process.versions.node, platform: process.platform, isMusl }))
    process.exit(1)
  }
  const child = spawn(newer, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(1))
    child.on('exit', (status, signal) => resolve(status ?? (signal === 'SIGINT' ? 130 : 143)))
  })
  process.exit(code)
}
// A service reads the columns of a snapshot at random, which is faster in memory pages of 2 MiB. glibc uses such pages if this
// variable is set when the process starts, so the process replaces itself once (decisions/002-large-pages.md). Workers inherit the
// variable.
if (
  process.platform === 'linux' &&
  process.env['GLIBC_TUNABLES'] === undefined &&
  process.send === undefined &&
  process.argv[2] === 'serve'
) {
  const argv = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, argv, { ...process.env, GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' })
}
// The compile cache stores code without types, so that threads and later starts do not compile it again. Threads and child
// processes inherit the variable. Tests use the same cache (test/support/compile-cache.ts).
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../../node_modules/.cache/platbook', import.meta.url),
)
module.enableCompileCache(process.env['NODE_COMPILE_CACHE'])
await import('./main.ts')
