import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { withCommand } from '../support/command.ts'
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
