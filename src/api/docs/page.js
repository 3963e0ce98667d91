// The reference page. It loads /openapi.json and shows each operation with a form to try it. It uses no library and no other server.

const response = await fetch('/openapi.json')
const api = await response.json()

/** Creates an element with attributes (`on…` are listeners) and children. Strings become text, never markup. */
function el(name, attributes = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value)
    else if (value !== undefined && value !== false) element.setAttribute(key, value)
  }
  element.append(...children.filter((child) => child !== null))
  return element
}

const resolve = (part) =>
  part.$ref === undefined
    ? part
    : part.$ref
        .split('/')
        .slice(1)
        .reduce((node, key) => node[key], api)
const schemaIn = (part) => part.content?.['application/json']?.schema ?? null

// Returns the examples of a body for all its content types.
const examplesIn = (part) =>
  Object.values(part.content ?? {}).flatMap((body) => Object.values(body.examples ?? {}))
const written = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))

// Splits a text at backticks and returns its pieces as text and code.
const inline = (text) =>
  text.split('`').map((piece, index) => (index % 2 === 1 ? el('code', {}, piece) : piece))

// Splits a text at blank lines into paragraphs. A paragraph that begins with a bar becomes a table.
const prose = (text) =>
  text
    .split('\n\n')
    .map((paragraph) =>
      paragraph.startsWith('|') ? table(paragraph) : el('p', { class: 'about' }, ...inline(paragraph)),
    )

function table(text) {
  const [head, , ...rows] = text.split('\n').map((line) => line.slice(1, -1).split('|'))
  const row = (cells, name) => el('tr', {}, ...cells.map((cell) => el(name, {}, ...inline(cell.trim()))))
  return el('table', {}, row(head, 'th'), ...rows.map((cells) => row(cells, 'td')))
}

function typeName(schema) {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)
  const { const: constant, enum: values, anyOf, type, items, format } = schema
  if (constant !== undefined) return JSON.stringify(constant)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf !== undefined) return anyOf.map(typeName).join(' | ')
  if (type === 'array') return `${typeName(items ?? {})}[]`
  const name = Array.isArray(type) ? type.join(' | ') : (type ?? 'any')
  return format === undefined ? name : `${name} (${format})`
}

function limits(schema) {
  const found = [
    schema.minimum !== undefined && `at least ${schema.minimum}`,
    schema.maximum !== undefined && `at most ${schema.maximum}`,
    schema.maxItems !== undefined && `at most ${schema.maxItems} items`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
    schema.pattern !== undefined &&
      schema.description === undefined &&
      schema.pattern.length <= 40 &&
      schema.pattern,
  ]
  return found.filter(Boolean).join(', ')
}

// Returns the object schemas inside a schema, at any depth of arrays and alternatives.
function objectsIn(schema) {
  const whole = resolve(schema)
  if (whole.type === 'array') return objectsIn(whole.items ?? {})
  if (whole.anyOf !== undefined) return whole.anyOf.flatMap(objectsIn)
  return whole.properties === undefined ? [] : [whole]
}

function members(schema) {
  const required = new Set(schema.required ?? [])
  return el(
    'ul',
    { class: 'schema' },
    ...Object.entries(schema.properties).map(([name, property]) => {
      const optional = required.has(name) ? '' : '?'
      const about = [limits(property), property.description].filter(Boolean).join(' · ')
      const line = [
        el('code', {}, `${name}${optional}`),
        ' ',
        el('span', { class: 'type' }, typeName(property)),
        about === '' ? '' : ` ${about}`,
      ]
      const inner = objectsIn(property)
      if (inner.length === 0) return el('li', {}, ...line)
      const details = el('details', {}, el('summary', {}, ...line))
      // Create the fields only when the list is opened, because schemas may refer to themselves.
      details.addEventListener('toggle', () => details.append(...inner.map(members)), { once: true })
      return el('li', {}, details)
    }),
  )
}

function answer(status, declared) {
  const whole = resolve(declared)
  const schema = schemaIn(whole)
  const summary = el(
    'summary',
    {},
    el('code', { class: status < '400' ? 'ok' : 'failed' }, status),
    ` ${whole.description}`,
  )
  return el(
    'details',
    status === '200' ? { open: '' } : {},
    summary,
    ...(schema === null ? [] : objectsIn(schema).map(members)),
    ...examplesIn(whole).map(example),
  )
}

function example({ summary, value }) {
  return el(
    'details',
    { class: 'example' },
    el('summary', {}, 'Example: ', el('code', {}, summary)),
    el('pre', {}, written(value)),
  )
}

function input(parameter) {
  const schema = resolve(parameter.schema)
  const values = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : null)
  const attributes = { name: parameter.name, 'data-in': parameter.in, id: `${Math.random()}` }
  const control =
    values === null
      ? el('input', { ...attributes, placeholder: schema.examples?.[0] ?? '', spellcheck: 'false' })
      : el('select', attributes, ...['', ...values].map((value) => el('option', { value }, value)))
  const allowed = limits({ ...schema, description: parameter.description })
  const about = [typeName(parameter.schema).slice(0, 60), allowed, parameter.description]
    .filter(Boolean)
    .join(' · ')
  return el(
    'div',
    { class: 'field' },
    el(
      'label',
      { for: control.id, class: parameter.required ? 'required' : '' },
      el('code', {}, parameter.name),
    ),
    control,
    el(
      'span',
      { class: 'hint' },
      values === null ? about : [allowed, parameter.description].filter(Boolean).join(' · '),
    ),
  )
}

function requestOf(path, method, operation, form) {
  const query = new URLSearchParams()
  const headers = {}
  let url = path
  for (const control of form.querySelectorAll('[data-in]')) {
    if (control.dataset.in === 'path')
      url = url.replace(`{${control.name}}`, encodeURIComponent(control.value))
    else if (control.value === '') continue
    else if (control.dataset.in === 'header') headers[control.name] = control.value
    else query.append(control.name, control.value)
  }
  const [scheme] = operation.security.flatMap(Object.keys)
  if (scheme === 'ApiKey') headers['X-Api-Key'] = document.querySelector('#key').value
  if (scheme === 'InternalToken')
    headers['Authorization'] = `Bearer ${document.querySelector('#token').value}`
  const body = form.querySelector('textarea')?.value
  if (body !== undefined) [headers['Content-Type']] = Object.keys(operation.requestBody.content)
  return { url: query.size === 0 ? url : `${url}?${query}`, method: method.toUpperCase(), headers, body }
}

const shellQuoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`

// Shows keys as variables, because users copy the command into chats and tickets.
function curl({ url, method, headers, body }) {
  const shown = { ...headers }
  if ('X-Api-Key' in shown) shown['X-Api-Key'] = '$PLATBOOK_KEY'
  if ('Authorization' in shown) shown['Authorization'] = 'Bearer $PLATBOOK_TOKEN'
  const parts = Object.entries(shown).map(([name, value]) => `-H "${name}: ${value}"`)
  if (method !== 'GET') parts.unshift(`-X ${method}`)
  if (body !== undefined) parts.push(`-d ${shellQuoted(body)}`)
  return ['curl', ...parts, shellQuoted(`${location.origin}${url}`)].join(' ')
}

async function send(request, output) {
  const started = performance.now()
  try {
    const reply = await fetch(request.url, request)
    const text = await reply.text()
    const took = Math.round(performance.now() - started)
    const shown = ['content-location', 'retry-after', 'x-trace-id'].filter((name) => reply.headers.has(name))
    output.replaceChildren(
      el('pre', {}, curl(request)),
      el(
        'p',
        { class: reply.ok ? 'ok' : 'failed' },
        `${reply.status} ${reply.statusText}, ${took} ms, ${new Blob([text]).size} bytes`,
      ),
      el('p', { class: 'hint' }, shown.map((name) => `${name}: ${reply.headers.get(name)}`).join(' · ')),
      el('pre', {}, pretty(text)),
    )
  } catch (error) {
    output.replaceChildren(
      el('pre', {}, curl(request)),
      el('p', { class: 'failed' }, `The request failed: ${error.message}`),
    )
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

// Returns an initial body: the first example, or all required fields with empty values.
function bodyTemplate(requestBody, schema) {
  const [first] = Object.values(Object.values(requestBody.content)[0].examples ?? {})
  if (first !== undefined) return written(first.value)
  if (schema === null) return INPUT_TEMPLATE
  const { properties = {}, required = [] } = resolve(schema)
  return JSON.stringify(
    Object.fromEntries(
      Object.keys(properties)
        .map((name) => [name, required.includes(name) ? '' : null])
        .filter(([, value]) => value !== null),
    ),
    null,
    2,
  )
}

// The initial body of an enrichment.
const INPUT_TEMPLATE = 'name,phone,address,city,state,zip\n'

function article(path, method, operation) {
  const hasBody = operation.requestBody !== undefined
  const body = hasBody ? schemaIn(operation.requestBody) : null
  const output = el('div', { 'aria-live': 'polite' })
  const form = el(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault()
        void send(requestOf(path, method, operation, form), output)
      },
    },
    ...(operation.parameters ?? []).map(input),
    hasBody ? el('label', {}, 'Body') : null,
    hasBody
      ? el(
          'textarea',
          { spellcheck: 'false', 'aria-label': 'Body' },
          bodyTemplate(operation.requestBody, body),
        )
      : null,
    body === null
      ? null
      : el('details', {}, el('summary', {}, 'Fields of the body'), ...objectsIn(body).map(members)),
    el('button', { type: 'submit' }, 'Send'),
  )
  const badges = [
    operation.deprecated && 'deprecated',
    operation.security.length === 0 && 'no key needed',
  ].filter(Boolean)
  return el(
    'article',
    { id: operation.operationId },
    el('h2', {}, ...inline(operation.summary)),
    el(
      'p',
      { class: 'path' },
      el('span', { class: 'method' }, method.toUpperCase()),
      path,
      ' ',
      ...badges.map((badge) => el('span', { class: 'badge' }, badge)),
    ),
    ...(operation.description === undefined ? [] : prose(operation.description)),
    form,
    output,
    el(
      'details',
      {},
      el('summary', {}, 'Responses'),
      ...Object.entries(operation.responses).map(([status, declared]) => answer(status, declared)),
    ),
  )
}

const operations = Object.entries(api.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  .sort(
    (left, right) => Number(left.operation.deprecated ?? false) - Number(right.operation.deprecated ?? false),
  )
const byTag = api.tags
  .map(({ name }) => ({ name, operations: operations.filter(({ operation }) => operation.tags[0] === name) }))
  .sort((left, right) => (left.name === 'Service' ? 1 : 0) - (right.name === 'Service' ? 1 : 0))

document.querySelector('#title').textContent = `${api.info.title} API`
document
  .querySelector('#about')
  .replaceChildren(...prose(api.info.description), el('a', { href: '/openapi.json' }, 'openapi.json'))
document
  .querySelector('#contents')
  .replaceChildren(
    ...byTag.flatMap(({ name, operations: listed }) => [
      el('h2', {}, name),
      ...listed.map(({ operation }) =>
        el('a', { href: `#${operation.operationId}` }, ...inline(operation.summary)),
      ),
    ]),
  )
document
  .querySelector('#operations')
  .replaceChildren(
    ...byTag.flatMap(({ operations: listed }) =>
      listed.map(({ path, method, operation }) => article(path, method, operation)),
    ),
  )
for (const name of ['key', 'token']) {
  const control = document.querySelector(`#${name}`)
  control.value = sessionStorage.getItem(name) ?? ''
  control.addEventListener('input', () => sessionStorage.setItem(name, control.value))
}
document.querySelector('#credentials').addEventListener('submit', (event) => event.preventDefault())
if (location.hash !== '') document.querySelector(location.hash)?.scrollIntoView()
