import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.ts'

/** Starts the server of `npm run test:postgres`, and returns the function that stops it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  project.provide('postgres', server.socket)
  return () => server.stop()
}
