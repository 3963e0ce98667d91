import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const VERSION = '5.2.5'
// 140 MB, in a folder that `npm ci` does not empty.
const FOLDER = join(homedir(), '.cache', 'platbook', `moto-${VERSION}`)

/** Credentials that moto accepts. No real store knows them. */
export const MOTO_ENV = {
  AWS_ACCESS_KEY_ID: 'INVENTEDKEYID',
  AWS_SECRET_ACCESS_KEY: 'invented-secret-of-tests',
}

// The server wants a key's name for existing objects; it checks no signatures.
const NAMED = {
  authorization: `AWS4-HMAC-SHA256 Credential=${MOTO_ENV.AWS_ACCESS_KEY_ID}/20260101/us-east-1/s3/aws4_request`,
}

export interface Moto {
  readonly url: string
  /** Makes an empty bucket and returns its `s3://` URL. */
  newBucket(): Promise<string>
  /** Reads and writes objects by another way than the tested client. `object` is an `s3://` URL. */
  get(object: string): Promise<Buffer<ArrayBuffer>>
  put(object: string, body: string | Buffer<ArrayBuffer>): Promise<void>
  remove(object: string): Promise<void>
  /** Returns the sorted keys of the bucket. */
  keys(bucket: string): Promise<string[]>
  stop(): void
}

/**
 * Starts moto's S3 server, an independent implementation of the protocol, on a free port of 127.0.0.1. Installs it from PyPI the
 * first time. Returns null, with a warning, where Python or the package cannot be had.
 */
export async function startMoto(): Promise<Moto | null> {
  try {
    await install()
  } catch (error) {
    const [reason] = String(error).split('\n')
    console.warn(`S3 IS NOT TESTED HERE: moto cannot be installed with python3 and pip (${reason})`)
    return null
  }
  const server = spawn(`${FOLDER}/bin/python`, ['-m', 'moto.server', '--host', '127.0.0.1', '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    server.stderr.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-10_000)
      const found = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
    server.on('error', reject)
    server.on('close', (code) => reject(new Error(`moto ended with ${code}: ${said}`)))
  })
  const urlOf = (object: string): string => object.replace('s3:/', url)
  const request = async (method: string, object: string, body?: string | Buffer<ArrayBuffer>) => {
    const response = await fetch(urlOf(object), {
      method,
      headers: NAMED,
      ...(body === undefined ? {} : { body }),
    })
    if (!response.ok) throw new Error(`${method} ${object}: ${response.status} ${await response.text()}`)
    return Buffer.from(await response.arrayBuffer())
  }
  let buckets = 0
  return {
    url,
    async newBucket() {
      const bucket = `s3://invented-${++buckets}`
      await request('PUT', bucket)
      return bucket
    },
    get: (object) => request('GET', object),
    async put(object, body) {
      await request('PUT', object, body)
    },
    async remove(object) {
      await request('DELETE', object)
    },
    async keys(bucket) {
      const text = (await request('GET', `${bucket}?list-type=2`)).toString()
      return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key!).sort()
    },
    stop: () => void server.kill('SIGKILL'),
  }
}

/** Installs moto from PyPI once, in a Python environment of its own. Needs python3 with `venv`. */
async function install(): Promise<void> {
  if (existsSync(FOLDER)) return
  await mkdir(dirname(FOLDER), { recursive: true })
  const partial = await mkdtemp(`${FOLDER}.partial-`)
  try {
    await run('python3', ['-m', 'venv', partial])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
    const packages = [`moto[s3]==${VERSION}`, 'flask==3.1.3', 'flask-cors==6.0.5']
    await run(`${partial}/bin/python`, [...pip, ...packages])
    await rename(partial, FOLDER)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    // Another test file may have installed it meanwhile.
    if (!existsSync(FOLDER)) throw error
  }
}
