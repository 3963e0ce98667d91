import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Variables } from '../../src/config.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DEPLOY = join(ROOT, 'pipelines/deploy')
const textOf = async (file: string): Promise<string> => readFile(join(DEPLOY, file), 'utf8')

const dockerfile = await textOf('Dockerfile')
const compose = await textOf('compose.yaml')
const manifests = new Map<string, string>()
for await (const file of glob('kubernetes/*.yaml', { cwd: DEPLOY })) manifests.set(file, await textOf(file))

/** Variables of other programs in these files: Node, the shell, Spark, PostgreSQL and the object store. */
const FOREIGN = [
  'HOME',
  'NODE_COMPILE_CACHE',
  'PATH',
  'POSTGRES_DB',
  'POSTGRES_PASSWORD',
  'POSTGRES_USER',
  'ROOT_ACCESS_KEY',
  'ROOT_SECRET_KEY',
  'SPARK_LOCAL_DIRS',
]
/** Variables of `.env` that compose.yaml passes on under another name. */
const OF_COMPOSE = ['LANDING', 'SPARK_TOKEN', 'STATE_PASSWORD', 'STORE_ACCESS_KEY', 'STORE_SECRET_KEY']

test('each variable that the deployment files set is one of src/config.ts', () => {
  const set = [
    ...dockerfile.matchAll(/^(?:ENV| {3}) ([A-Z][A-Z0-9_]+)=/gm),
    ...compose.matchAll(/^ +([A-Z][A-Z0-9_]+): /gm),
    ...compose.matchAll(/\$\{([A-Z][A-Z0-9_]+)/g),
    ...[...manifests.values()].flatMap((text) => [
      ...text.matchAll(/^ +- ([A-Z][A-Z0-9_]+)=/gm),
      ...text.matchAll(/^ +- name: ([A-Z][A-Z0-9_]+)$/gm),
      ...text.matchAll(/\$\(([A-Z][A-Z0-9_]+)\)/g),
      ...text.matchAll(/secretKeyRef\.([A-Z][A-Z0-9_]+):/g),
    ]),
  ].map(([, name = '']) => name)
  expect(set).toContain('SNAPSHOT_STORE')
  const known = new Set([...Object.keys(Variables.shape), ...FOREIGN, ...OF_COMPOSE])
  expect(set.filter((name) => !known.has(name))).toEqual([])
})

test('each container of Platbook runs a command that exists', () => {
  const commands = [
    ...dockerfile.matchAll(/^CMD \["([a-z-]+)"/gm),
    ...compose.matchAll(/^ +command: \[([a-z][a-z-]*)[,\]]/gm),
    ...[...manifests.values()].flatMap((text) => [...text.matchAll(/^ +args: \[([a-z-]+)[,\]]/gm)]),
  ].map(([, name = '']) => name)
  expect(new Set(commands)).toEqual(new Set(['schedule', 'serve']))
  expect(commands.filter((name) => !existsSync(join(ROOT, 'src/cli/commands', `${name}.ts`)))).toEqual([])
})

test('the last user of each image is not root, and has a number', () => {
  const targets = dockerfile.split(/^FROM /m).slice(1)
  const users = targets.map((target) => ({
    name: / AS (\w+)$/m.exec(target)?.[1],
    user: [...target.matchAll(/^USER (.+)$/gm)].at(-1)?.[1],
  }))
  expect(users).toEqual([
    { name: 'packages', user: undefined },
    { name: 'platbook', user: '185:185' },
    { name: 'spark', user: '185:185' },
  ])
})

test('each pod of Platbook runs without root, with a root file system that cannot be written', () => {
  const pods = [...manifests].filter(([, text]) => text.includes('image: platbook'))
  expect(pods.map(([file]) => file).toSorted()).toEqual(['kubernetes/api.yaml', 'kubernetes/schedule.yaml'])
  for (const [, text] of pods) {
    for (const setting of [
      'runAsNonRoot: true',
      'readOnlyRootFilesystem: true',
      'allowPrivilegeEscalation: false',
      'drop: [ALL]',
      'automountServiceAccountToken: false',
    ])
      expect(text).toContain(setting)
  }
})

test('every path that the Dockerfile copies and runs exists, and none is kept from the build', async () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  )
  const run = [...dockerfile.matchAll(/\/opt\/platbook\/((?:src|pipelines)\/[\w./-]+)/g)].map(
    ([, path = '']) => path,
  )
  expect(run).toContain('pipelines/deploy/check-health.mjs')
  expect([...copied, ...run].filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  const sent = new Set((await textOf('Dockerfile.dockerignore')).split('\n'))
  expect(copied.filter((path) => !sent.has(`!${path}`))).toEqual([])
})

test('the secrets of compose.yaml are neither in git nor in the image', async () => {
  expect(await readFile(join(ROOT, '.gitignore'), 'utf8')).toMatch(/^\/pipelines\/deploy\/\.env$/m)
  const lines = (await textOf('Dockerfile.dockerignore')).split('\n')
  // A later line wins over an earlier one.
  expect(lines.indexOf('pipelines/deploy/.env')).toBeGreaterThan(lines.indexOf('!pipelines'))
})

test('kustomization.yaml names every manifest', () => {
  const named = [...manifests.get('kubernetes/kustomization.yaml')!.matchAll(/^ {2}- (\S+\.yaml)$/gm)]
  expect(
    [...named.map(([, file]) => `kubernetes/${file}`), 'kubernetes/kustomization.yaml'].toSorted(),
  ).toEqual([...manifests.keys()].toSorted())
})

test('the image has the major version of Node in .nvmrc', async () => {
  const major = (await readFile(join(ROOT, '.nvmrc'), 'utf8')).trim()
  expect(/^FROM node:(\d+)/m.exec(dockerfile)?.[1]).toBe(major)
})
