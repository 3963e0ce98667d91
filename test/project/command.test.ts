import { stat, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const ROOT = new URL('../../', import.meta.url)

test('each command of package.json is an executable file that starts with the line for Node', async () => {
  const { bin } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8')) as {
    bin: Record<string, string>
  }
  expect(Object.keys(bin)).toEqual(['platbook'])
  for (const path of Object.values(bin)) {
    const file = new URL(path, ROOT)
    expect((await stat(file)).mode & 0o111, `${path} is executable`).toBe(0o111)
    expect((await readFile(file, 'utf8')).split('\n')[0]).toBe('#!/usr/bin/env node')
  }
})
