#!/usr/bin/env node
import { spawn } from 'node:child_process'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { findNode, installAdvice, NEEDED_MAJOR } from './find-node.mjs'

// This file is plain JavaScript: an older Node must be able to read it and to start a newer Node.
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
