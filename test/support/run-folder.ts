import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    runFolder: string
  }
}

/** One folder for a whole test run, empty at its start and gone at its end: for what test files share (`prepared`). */
export default async function runFolder(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'platbook-run-'))
  project.provide('runFolder', folder)
  return () => rm(folder, { recursive: true, force: true })
}
