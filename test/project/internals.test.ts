import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Ways past the public interface of a library → the only files of src that use them. */
const INTERNALS: readonly [string, RegExp, readonly string[]][] = [
  ['Fastify, by reply.hijack()', /\.hijack\(/, ['src/api/reply.ts']],
  ['zod, by _zod', /\b_zod\b/, []],
]

const sources: { readonly file: string; readonly code: string }[] = []
for await (const file of glob('src/**/*.{ts,mjs}', { cwd: ROOT })) {
  const text = await readFile(`${ROOT}/${file}`, 'utf8')
  // Comments may name what the code does not use.
  sources.push({ file, code: text.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '') })
}

test.each(INTERNALS)('only named files go past the interface of %s', (_, pattern, files) => {
  expect(sources.filter(({ code }) => pattern.test(code)).map(({ file }) => file)).toEqual(files)
})
