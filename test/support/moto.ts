import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const VERSION = '5.2.5'
// Below node_modules, which Git ignores and `npm ci` empties. 140 MB.
const FOLDER = fileURLToPath(new URL(`../../node_modules/.cache/moto-${VERSION}`, import.meta.url))

export interface Moto {
  readonly url: string
  stop(): void
}

/** Starts moto's S3 server, an independent implementation of the protocol, on a free port of 127.0.0.1. */
export async function startMoto(): Promise<Moto> {
  await install()
  const server = spawn(`${FOLDER}/bin/python`, ['-m', 'moto.server', '--host', '127.0.0.1', '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    let said = ''
    server.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const url = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]
      if (url !== undefined) resolve({ url, stop: () => void server.kill('SIGKILL') })
    })
    server.on('error', reject)
    server.on('close', (code) => reject(new Error(`moto ended with ${code}: ${said}`)))
  })
}

/** Installs moto from PyPI once, in a Python environment of its own. Needs python3 with `venv`. */
async function install(): Promise<void> {
  if (existsSync(FOLDER)) return
  const partial = `${FOLDER}.partial`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true })
  await run('python3', ['-m', 'venv', partial])
  await run(`${partial}/bin/python`, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    `moto[s3]==${VERSION}`,
    'flask==3.1.3',
    'flask-cors==6.0.5',
  ])
  await rename(partial, FOLDER)
}
