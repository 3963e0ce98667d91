import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Json, OpenApi } from '../../src/api/openapi-document.ts'
import { readOpenApi } from '../support/described.ts'
import { withApi } from './support.ts'

/** A minimal DOM element with the members that the page uses. */
class Element {
  readonly children: (Element | string)[] = []
  readonly name: string
  value = ''

  constructor(name: string) {
    this.name = name
  }

  set textContent(text: string) {
    this.replaceChildren(text)
  }

  append(...children: (Element | string)[]): void {
    this.children.push(...children)
  }

  replaceChildren(...children: (Element | string)[]): void {
    this.children.splice(0, Infinity, ...children)
  }

  setAttribute(): void {}
  addEventListener(): void {}

  /** Returns the texts of all descendants with this name. */
  texts(name: string): string[] {
    return this.children.flatMap((child) =>
      typeof child === 'string' ? [] : [...(child.name === name ? [child.text()] : []), ...child.texts(name)],
    )
  }

  text(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.text())).join('')
  }
}

/** Runs the page's script on an OpenAPI file. Returns the elements that it filled, by selector. */
async function runPage(openApi: unknown): Promise<(selector: string) => Element> {
  const found = new Map<string, Element>()
  const select = (selector: string): Element => {
    const element = found.get(selector) ?? new Element('div')
    found.set(selector, element)
    return element
  }
  vi.stubGlobal('document', { createElement: (name: string) => new Element(name), querySelector: select })
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => undefined })
  vi.stubGlobal('location', { hash: '', origin: 'https://api.example.com' })
  vi.stubGlobal('fetch', async () => Promise.resolve(Response.json(openApi)))
  onTestFinished(() => void vi.unstubAllGlobals())
  await import(new URL('page.js', FOLDER).href)
  return select
}

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

  test('the reference page shows every answer’s examples, begins bodies with one, and lists the requests of test keys', async () => {
    const openApi = readOpenApi()
    const select = await runPage(openApi)
    const summaries = new Set(select('#operations').texts('summary'))
    const shown = new Set(select('#operations').texts('pre'))
    const operations = Object.values(openApi.paths).flatMap((methods) => Object.values(methods))
    for (const { operationId, responses } of operations) {
      const examples = Object.values(responses).flatMap((declared) => examplesOf(openApi, declared))
      expect(examples.length, operationId).toBeGreaterThan(2)
      for (const { summary, value } of examples) {
        expect(summaries).toContain(`Example: ${summary}`)
        expect(shown).toContain(typeof value === 'string' ? value : JSON.stringify(value, null, 2))
      }
    }
    const bodies = select('#operations').texts('textarea')
    expect(bodies).toContain(JSON.stringify({ status: 'inactive' }, null, 2))
    expect(bodies.filter((text) => text.startsWith('key,name,'))).toHaveLength(1)
    expect(select('#about').texts('td')).toContain('/v2/phone/5125550100')
    expect(select('#about').text()).not.toContain('|')
  })
})

interface Example {
  readonly summary: string
  readonly value: unknown
}

function examplesOf(openApi: OpenApi, declared: Json): Example[] {
  const { $ref = '' } = declared as { $ref?: string }
  const answer = $ref === '' ? declared : openApi.components.responses[$ref.split('/').at(-1) ?? '']!
  const content = (answer['content'] ?? {}) as Record<string, { examples?: Record<string, Example> }>
  return Object.values(content).flatMap(({ examples = {} }) => Object.values(examples))
}
