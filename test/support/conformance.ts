/**
 * The conformance table: which test holds which rule of which endpoint. `conformance.ts REPORT.json` compares
 * test/conformance.md with what vitest's report says and fails when it is otherwise; `--write` (`npm run conformance`)
 * writes it. An endpoint is a `describe` named as the interface names it, `GET /v2/person/{id}`; a rule is a test's name.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({ ancestorTitles: z.array(z.string()), title: z.string(), status: z.string() }),
      ),
    }),
  ),
})
type Report = z.output<typeof Report>

interface Rule {
  readonly endpoint: string
  readonly rule: string
  readonly file: string
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TABLE = fileURLToPath(new URL('../conformance.md', import.meta.url))
const ROUTE = /^(?:GET|POST|PATCH|DELETE) \/\S*$/
/** Where rules of the interface are tested, and what they are about when no route is named. */
const FOLDERS: Readonly<Record<string, string>> = {
  'test/api/': 'every endpoint',
  'test/webhooks/': 'webhook deliveries',
}

function rulesIn(report: Report): Rule[] {
  return report.testResults.flatMap(({ name, assertionResults }) => {
    const file = relative(ROOT, name).replaceAll('\\', '/')
    const folder = Object.keys(FOLDERS).find((prefix) => file.startsWith(prefix))
    if (folder === undefined) return []
    return assertionResults
      .filter(({ status }) => status === 'passed')
      .map(({ ancestorTitles, title }) => ({
        endpoint: ancestorTitles.find((ancestor) => ROUTE.test(ancestor)) ?? FOLDERS[folder] ?? '',
        rule: [...ancestorTitles.filter((ancestor) => !ROUTE.test(ancestor)), title].join(': '),
        file,
      }))
  })
}

const cell = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('|', String.raw`\|`)
    .replaceAll('<', '&lt;')
// Paths before words, and each path with its own methods together.
const sortKey = ({ endpoint, rule, file }: Rule): string =>
  `${ROUTE.test(endpoint) ? endpoint.split(' ').reverse().join(' ') : `~${endpoint}`}\0${file}\0${rule}`

function tableOf(rules: readonly Rule[]): string {
  const rows = rules
    .map((rule) => ({ key: sortKey(rule), rule }))
    .sort((left, right) => (left.key < right.key ? -1 : 1))
    .map(
      ({ rule: { endpoint, rule, file } }) =>
        `| ${cell(endpoint)} | ${cell(rule)} | ${file.replace('test/', '')} |`,
    )
  return [
    '# Conformance',
    '',
    'Which test holds which rule of which endpoint: made of a test run by `npm run conformance`, checked in CI.',
    'Besides, every answer of every test is held against `src/api/openapi.json`.',
    '',
    `${rows.length} rules.`,
    '',
    '| Endpoint | Rule | Test |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

const [path, option] = process.argv.slice(2)
if (path === undefined) throw new Error('usage: conformance.ts REPORT.json [--write]')
const table = tableOf(rulesIn(Report.parse(JSON.parse(await readFile(path, 'utf8')))))
if (option === '--write') await writeFile(TABLE, table)
else if ((await readFile(TABLE, 'utf8').catch(() => '')) !== table) {
  console.error('test/conformance.md is not what the tests say: `npm run conformance` writes it anew')
  process.exitCode = 1
}
