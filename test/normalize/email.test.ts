import { expect, test } from 'vitest'
import { normalizeEmail } from '../../src/normalize/email.ts'

test.each([
  ['Jane.Roe@Example.COM', 'jane.roe@example.com'],
  [' jane@example.com ', 'jane@example.com'],
  ['<jane@example.com>', 'jane@example.com'],
  ['mailto:jane+lists@mail.example.com', 'jane+lists@mail.example.com'],
  ['jane@example.com.', 'jane@example.com'],
])('%j is %s', (text, email) => {
  expect(normalizeEmail(text)).toBe(email)
  expect(normalizeEmail(email)).toBe(email)
})

test.each([
  '',
  'jane',
  'jane@',
  '@example.com',
  'jane@example',
  'jane roe@example.com',
  'jane@@example.com',
  'jane..roe@example.com',
  'none@example.com',
  'x@none.com',
  `${'a'.repeat(65)}@example.com`,
])('%j is no address', (text) => {
  expect(normalizeEmail(text)).toBeNull()
})
