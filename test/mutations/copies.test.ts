import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { withFolder } from '../support/folder.ts'
import { firstFailure, inCopies } from './copies.ts'

/** Runs one test that connects to the port of its arguments and does not end. */
const ENDLESS = `
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { endOnSignal, firstFailure, inCopies } from ${JSON.stringify(join(import.meta.dirname, 'copies.ts'))}
endOnSignal()
await inCopies([Number(process.argv[2])], async (copy, port) => {
  const test = \`test('endless', async () => { connect(\${port}, '127.0.0.1'); await new Promise(() => {}) })\`
  const imports = "import { connect } from 'node:net'; import { test } from 'vitest';"
  await writeFile(join(copy, 'test/endless.test.ts'), imports + test)
  await firstFailure(copy, ['test/endless.test.ts'], () => 60_000)
})`

test('SIGTERM ends the tests that run and removes the copies', async () => {
  await withFolder(async (folder) => {
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const script = join(folder, 'endless.ts')
    await writeFile(script, ENDLESS)
    const { port } = server.address() as AddressInfo
    const runner = spawn(process.execPath, [script, `${port}`], {
      env: { ...process.env, TMPDIR: folder },
      stdio: 'inherit',
    })
    onTestFinished(() => void runner.kill('SIGKILL'))
    const [socket] = (await once(server, 'connection')) as [Socket]
    const over = once(
      socket.resume().on('error', () => undefined),
      'close',
    )
    const exit = once(runner, 'exit')
    runner.kill('SIGTERM')
    expect((await exit)[0]).toBe(143)
    await over
    expect((await readdir(folder)).filter((name) => name.startsWith('platbook-mutations-'))).toEqual([])
  })
})

test('a run ends when the file that runs takes longer than it may, whatever the files before it may take', async () => {
  const outcomes: (string | null)[] = []
  const limits = { 'test/quick.test.ts': 60_000, 'test/endless.test.ts': 200 }
  await inCopies([Object.keys(limits)], async (copy, paths) => {
    const imports = "import { test } from 'vitest';"
    await writeFile(join(copy, paths[0]!), `${imports} test('quick', () => {})`)
    await writeFile(join(copy, paths[1]!), `${imports} test('endless', () => { for (;;); })`)
    outcomes.push(await firstFailure(copy, paths, (path) => limits[path as keyof typeof limits]))
    outcomes.push(await firstFailure(copy, paths.slice(0, 1), () => 60_000))
  })
  expect(outcomes).toEqual(['the tests do not end', null])
})
