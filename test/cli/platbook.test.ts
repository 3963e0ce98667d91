import { spawn } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findNode } from '../../src/cli/find-node.mjs'
import { CLI, type Ended, withCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'

/** GLIBC_TUNABLES of a `platbook serve` that was started with `env`, as the system has it. */
async function tunablesOf(env: Record<string, string>): Promise<string | undefined> {
  return withFolder((data) =>
    withCommand(
      ['serve', '--data', data, '--port', '0'],
      async (serve) => {
        await serve.waitFor(/listening on/)
        const environment = (await readFile(`/proc/${serve.process.pid}/environ`, 'utf8')).split('\0')
        return environment.find((line) => line.startsWith('GLIBC_TUNABLES='))?.slice('GLIBC_TUNABLES='.length)
      },
      { env },
    ),
  )
}

// Elsewhere there is no glibc, and no such file to look into.
describe.runIf(process.platform === 'linux')('serve', () => {
  test('asks glibc for memory in large pages, from its start', async () => {
    expect(await tunablesOf({})).toBe('glibc.malloc.hugetlb=1')
  })

  test('leaves what an operator has asked glibc for as it is', async () => {
    expect(await tunablesOf({ GLIBC_TUNABLES: 'glibc.malloc.perturb=0' })).toBe('glibc.malloc.perturb=0')
  })
})

// The launcher reads its own version: this gives it the one of an older Node.
const AS_NODE_20 = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})`

/** The launcher as an older Node would run it, on a machine whose PATH is `path`. */
function launchedByNode20(path: string): Promise<Ended> {
  const child = spawn(process.execPath, ['--import', AS_NODE_20, CLI, 'help'], {
    env: { PATH: path, HOME: process.env['HOME'] },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}

describe('an older Node that starts platbook', () => {
  test('starts the newer Node of the packages or of PATH, which runs the command', async () => {
    const { code, stdout } = await launchedByNode20(dirname(process.execPath))
    expect({ code, usage: stdout.split('\n')[0] }).toEqual({
      code: 0,
      usage: 'usage: platbook <command> [options]',
    })
  })

  test('finds no Node in files that are older or do not start', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'node'), '#!/bin/sh\necho v20.20.2\n')
      await chmod(join(folder, 'node'), 0o755)
      const places = { packages: join(folder, 'none'), folders: [] }
      expect(findNode({ path: folder, ...places })).toBe(null)
      // The loader of another libc is missing: the file exists and the system can't start it.
      await writeFile(join(folder, 'node'), '#!/lib/no-such-loader.so\n')
      expect(findNode({ path: folder, ...places })).toBe(null)
      const here = dirname(process.execPath)
      expect(findNode({ path: `${folder}:${here}`, ...places })).toBe(join(here, 'node'))
    })
  })
})
