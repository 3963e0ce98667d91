import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { z } from 'zod'
import type { Finding } from './check.ts'

const PACKAGES = ['@duckdb/node-api', 'lmdb', 'fastify', 'zod', 'libphonenumber-js']
const Manifest = z.object({ version: z.string() })

/** Checks that the main packages are installed, and reports their versions and that of Node. */
export async function checkInstalled(): Promise<Finding> {
  const installed = await installedVersions()
  const names = Object.entries(installed).map(([name, version]) => `${name} ${version}`)
  return {
    fields: { installed },
    lines: [`installed  ${names.join(', ')}`],
    complaints: Object.entries(installed)
      .filter(([, version]) => version === 'missing')
      .map(([name]) => `${name} is not installed: run npm ci`),
  }
}

async function installedVersions(): Promise<Record<string, string>> {
  const { resolve } = createRequire(import.meta.url)
  const versions: Record<string, string> = { node: process.versions.node }
  for (const name of PACKAGES) {
    const manifests = (resolve.paths(name) ?? []).map((root) =>
      readFile(`${root}/${name}/package.json`, 'utf8').catch(() => null),
    )
    const found = (await Promise.all(manifests)).find((text) => text !== null)
    versions[name] = found === undefined ? 'missing' : Manifest.parse(JSON.parse(found)).version
  }
  return versions
}
