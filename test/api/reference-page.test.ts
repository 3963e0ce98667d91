import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { withApi } from './support.ts'

const FOLDER = new URL('../../src/api/docs/', import.meta.url)

describe('GET /docs', () => {
  test('the reference page and its files are served, and may load nothing from elsewhere', async () => {
    await withApi(async ({ app }) => {
      for (const [url, type] of [
        ['/docs', 'text/html'],
        ['/docs/', 'text/html'],
        ['/docs/page.css', 'text/css'],
        ['/docs/page.js', 'text/javascript'],
      ]) {
        const reply = await app.inject({ method: 'GET', url: url ?? '' })
        expect([url, reply.statusCode, reply.headers['content-type']]).toEqual([
          url,
          200,
          `${type}; charset=utf-8`,
        ])
        expect(reply.headers['content-security-policy']).toContain("default-src 'none'")
      }
    })
  })

  test('the reference page names no other host', async () => {
    for (const file of await readdir(FOLDER)) {
      expect([
        file,
        (await readFile(new URL(file, FOLDER), 'utf8')).match(/(?:https?:)?\/\/\w+\.\w+/),
      ]).toEqual([file, null])
    }
  })

  test('the reference page asks only for what is served', async () => {
    const page = await readFile(new URL('page.html', FOLDER), 'utf8')
    await withApi(async ({ app }) => {
      const references = [...page.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, url]) => url ?? '')
      expect(references).toEqual(['/docs/page.css', '/docs/page.js', '/openapi.json'])
      for (const url of references) expect((await app.inject({ method: 'GET', url })).statusCode).toBe(200)
    })
  })
})
