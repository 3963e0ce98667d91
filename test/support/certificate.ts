import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

// As much of X.509 as a server on this machine needs. Made anew for each test run: nothing to renew, nothing to keep.

export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** A self-signed certificate for names and addresses (IPv4, and ::1); given as `ca`, it vouches for itself. */
export function createCertificate(
  hosts: readonly string[],
  until: Date = new Date('2049-01-01T00:00:00Z'),
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid('2a8648ce3d040302'))
  const issuer = sequence(set(sequence(oid('550403'), der(0x0c, Buffer.from('invented receiver')))))
  const body = sequence(
    der(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    algorithm,
    issuer,
    sequence(time(new Date('2020-01-01T00:00:00Z')), time(until)),
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subjectNames(hosts))),
  )
  const signature = sign('sha256', body, privateKey)
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(sequence(body, algorithm, bits(signature))),
  }
}

// subjectAltName: the names that the certificate is good for.
function subjectNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIP(host) === 0 ? der(0x82, Buffer.from(host)) : der(0x87, addressBytes(host)),
  )
  return sequence(oid('551d11'), der(0x04, sequence(...names)))
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  return Buffer.from('1'.padStart(32, '0'), 'hex')
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts)
const set = (...parts: readonly Buffer[]): Buffer => der(0x31, ...parts)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const integer = (bytes: Buffer): Buffer => der(0x02, bytes)
const bits = (bytes: Buffer): Buffer => der(0x03, Buffer.of(0), bytes)
const time = (date: Date): Buffer =>
  der(0x17, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
