import { describe, expect, test } from 'vitest'
import { AppError } from '../../src/errors.ts'
import { parseEndpoint } from '../../src/webhooks/endpoint.ts'

function refusalOf(url: string, testHosts: string[] = []): string | null {
  try {
    parseEndpoint(url, new Set(testHosts))
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect(error.code).toBe('invalid_parameter')
    expect(error.details['field']).toBe('url')
    return error.message
  }
}

test.each([
  'https://receiver.example.com/hook',
  'https://receiver.example.com:8443/hook?token=abc',
  'https://receiver.example.com./hook',
  'https://8.8.8.8/hook',
  'https://[2606:4700::1111]/hook',
  'https://bücher.example.com/',
])('%s may be an endpoint', (url) => {
  expect(refusalOf(url)).toBeNull()
})

test.each([
  'http://receiver.example.com/hook',
  'ftp://receiver.example.com/hook',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'gopher://receiver.example.com/',
])('%s is refused: not https', (url) => {
  expect(refusalOf(url)).toBe('body -> url: must be an https URL')
})

describe('every spelling of an address inside is refused', () => {
  test.each([
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://2130706433/',
    'https://017700000001/',
    'https://0177.0.0.1/',
    'https://0x7f.0.0.1/',
    'https://0x7f000001/',
    'https://0/',
    'https://①②⑦.0.0.1/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
  ])('%s', (url) => {
    expect(refusalOf(url)).toContain('must have a public IP address')
  })
})

test.each([
  'https://localhost/',
  'https://localhost./',
  'https://localhost../',
  'https://LOCALHOST/',
  'https://api.localhost/',
  'https://intranet/',
  'https://printer.local/',
  'https://metadata.google.internal/',
  'https://router.lan/',
  'https://nas.home.arpa/',
])('%s is refused: a name of the inside', (url) => {
  expect(refusalOf(url)).toContain('must have a public host name')
})

test.each([
  ['not a URL', 'receiver'],
  ['an address with a zone', 'https://[fe80::1%25eth0]/'],
  ['a number that is no address', 'https://1.2.3.4.5/'],
  ['a very long one', `https://receiver.example.com/${'a'.repeat(2_000)}`],
])('%s is refused', (_, url) => {
  expect(refusalOf(url)).toContain('must be a URL of at most 2000 characters')
})

test.each([
  ' https://receiver.example.com/hook',
  'https://receiver.example.com/a hook',
  'https:receiver.example.com/hook',
  'https:\\\\receiver.example.com\\hook',
])('"%s" is refused: not of the form that the OpenAPI file gives', (url) => {
  expect(refusalOf(url)).toBe('body -> url: must begin with https:// and contain no spaces')
})

test('an address has at most 2,000 characters', () => {
  const start = 'https://receiver.example.com/'
  expect(refusalOf(start.padEnd(2_000, 'a'))).toBeNull()
  expect(refusalOf(start.padEnd(2_001, 'a'))).toContain('at most 2000 characters')
})

test('a test host that is named with the usual port is open without a port, each protocol at its own', () => {
  expect(refusalOf('https://receiver.test/hook', ['receiver.test:443'])).toBeNull()
  expect(refusalOf('http://receiver.test/hook', ['receiver.test:80'])).toBeNull()
  expect(refusalOf('http://receiver.test/hook', ['receiver.test:443'])).not.toBeNull()
  expect(refusalOf('https://127.0.0.1/hook', ['127.0.0.1:80'])).not.toBeNull()
})

test('a user name, a password, a fragment are refused', () => {
  expect(refusalOf('https://me@receiver.example.com/')).toContain('user name or password')
  expect(refusalOf('https://:secret@receiver.example.com/')).toContain('user name or password')
  expect(refusalOf('https://receiver.example.com@127.0.0.1/')).toContain('user name or password')
  expect(refusalOf('https://receiver.example.com/#part')).toContain('fragment')
})

test('a test host is open on the port that is named, plain or with TLS; everything else stays closed', () => {
  const named = ['127.0.0.1:8080', '::1:8443', 'receiver.test']
  expect(refusalOf('http://127.0.0.1:8080/hook', named)).toBeNull()
  expect(refusalOf('https://127.0.0.1:8080/hook', named)).toBeNull()
  expect(refusalOf('https://[::1]:8443/hook', named)).toBeNull()
  expect(refusalOf('http://receiver.test/hook', named)).toBeNull()
  expect(refusalOf('http://receiver.test:81/hook', named)).toBeNull()
  expect(refusalOf('http://127.0.0.1:8081/hook', named)).not.toBeNull()
  expect(refusalOf('https://127.0.0.2:8080/hook', named)).not.toBeNull()
  expect(refusalOf('ftp://receiver.test/hook', named)).not.toBeNull()
})

test.each([
  ['one with an escape for terminals', 'https://receiver.example.com/\u001b[2J'],
  ['one with a line end', 'https://receiver.example.com/\nwh_1 acct_1'],
  ['one with a control of C1', 'https://receiver.example.com/\u009b2J'],
  ['one that turns the direction of text', 'https://receiver.example.com/\u202egpj'],
])('%s is refused', (_, url) => {
  expect(refusalOf(url)).toContain('must not contain control characters')
})
