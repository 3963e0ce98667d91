import { expect, test } from 'vitest'
import { parseSparkUrl } from '../../../src/cluster/spark/spark-address.ts'

test.each([
  ['sc://spark.example.com', { host: 'spark.example.com', port: 15_002, isTls: false }],
  ['sc://127.0.0.1:15003/', { host: '127.0.0.1', port: 15_003, isTls: false }],
  ['sc://[::1]:15003', { host: '[::1]', port: 15_003, isTls: false }],
  ['sc://spark.example.com:443/;use_ssl=true', { host: 'spark.example.com', port: 443, isTls: true }],
  ['sc://spark.example.com/;use_ssl=false', { host: 'spark.example.com', port: 15_002, isTls: false }],
])('%s is the address of a Connect server', (url, address) => {
  expect(parseSparkUrl(url)).toEqual(address)
})

test.each([
  'spark://spark.example.com:7077',
  'sc://',
  'sc://a b',
  'sc://a:0',
  'sc://a:65536',
  'sc://a/path',
  '',
])('%j is refused with an example', (url) => {
  expect(() => parseSparkUrl(url)).toThrow(`${JSON.stringify(url)} is not an address such as sc://`)
})

test('a token in the address is refused, and the message does not show it', () => {
  expect(() => parseSparkUrl('sc://a/;token=secret-1')).toThrow(
    /set SPARK_CONNECT_AUTHENTICATE_TOKEN instead$/,
  )
  expect(() => parseSparkUrl('sc://a b/;token=secret-1')).toThrow(
    /^(?!.*secret-1)the address of the Spark server is not/,
  )
})

test('an unknown parameter is refused by its name', () => {
  expect(() => parseSparkUrl('sc://a/;use_tls=true')).toThrow('has the parameter "use_tls"')
})
