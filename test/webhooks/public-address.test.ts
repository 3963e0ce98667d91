import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../src/webhooks/public-address.ts'

describe('addresses that anybody on the internet could reach', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700::1111',
    '2001:4860:4860::8888',
    '2a00:1450:4001:81b::200e',
    // Mapped: an IPv4 address by another spelling.
    '::ffff:8.8.8.8',
    '::ffff:808:808',
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('addresses that notifications never go to', () => {
  test.each([
    ['this network', '0.0.0.0'],
    ['this network, its last', '0.255.255.255'],
    ['private, 10/8', '10.0.0.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['carrier-grade NAT, its last', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback, its last', '127.255.255.255'],
    ['link-local: where clouds answer with credentials', '169.254.169.254'],
    ['private, 172.16/12', '172.16.0.1'],
    ['private, 172.16/12, its last', '172.31.255.255'],
    ['protocol assignments', '192.0.0.1'],
    ['documentation 1', '192.0.2.1'],
    ['6to4 relays', '192.88.99.1'],
    ['private, 192.168/16', '192.168.1.1'],
    ['benchmarking', '198.18.0.1'],
    ['benchmarking, its last', '198.19.255.255'],
    ['documentation 2', '198.51.100.1'],
    ['documentation 3', '203.0.113.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ["Azure's host", '168.63.129.16'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['loopback, in full', '0:0:0:0:0:0:0:1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback in hexadecimal', '::ffff:7f00:1'],
    ['mapped private, in full', '0:0:0:0:0:ffff:0a00:0001'],
    ['compatible private', '::10.0.0.1'],
    ['compatible, even of a public address', '::808:808'],
    ['translated (SIIT)', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64, even of a public address', '64:ff9b::808:808'],
    ['local NAT64', '64:ff9b:1::a00:1'],
    ['discard', '100::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['benchmarking', '2001:2::1'],
    ['ORCHID', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['6to4 of a public address', '2002:808:808::1'],
    ['documentation, the newer', '3fff::1'],
    ['segment routing', '5f00::1'],
    ['unique local', 'fc00::1'],
    ["unique local: Amazon's metadata", 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['a public one with a zone', '2606:4700::1111%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['nothing', ''],
    ['a name', 'localhost'],
    ['a number in octal, which the parser of URLs turns into an address', '0177.0.0.1'],
  ])('%s: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
