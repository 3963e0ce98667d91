import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export type Records = Readonly<
  Record<string, { readonly ipv4: readonly string[]; readonly ipv6: readonly string[] }>
>

const TYPE_A = 1
const TYPE_AAAA = 28
const NAME_ERROR = 3

/** Runs a local name server that knows only the names in `records`. `body` gets its address. */
export async function withNameServer<T>(records: Records, body: (server: string) => Promise<T>): Promise<T> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => socket.send(replyTo(query, records), port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  try {
    return await body(`127.0.0.1:${socket.address().port}`)
  } finally {
    socket.close()
    await once(socket, 'close')
  }
}

// RFC 1035: a header of 12 bytes, the question, then the answers. Each answer points to the name of the question.
function replyTo(query: Buffer, records: Records): Buffer {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const question = query.subarray(12, at + 5)
  const type = query.readUInt16BE(at + 1)
  const known = records[labels.join('.').toLowerCase()]
  const addresses = (type === TYPE_A ? known?.ipv4 : type === TYPE_AAAA ? known?.ipv6 : undefined) ?? []
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  // Flags of an answer to a recursive query, with recursion available.
  header.writeUInt16BE(0x8180 | (known === undefined ? NAME_ERROR : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  return Buffer.concat([header, question, ...addresses.map((address) => recordOf(type, address))])
}

function recordOf(type: number, address: string): Buffer {
  const bytes = bytesOf(address)
  const record = Buffer.alloc(12)
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(type, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(60, 6)
  record.writeUInt16BE(bytes.length, 10)
  return Buffer.concat([record, bytes])
}

/** IPv4 in dotted form, or IPv6 with one `::`. */
function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = address.split('::')
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0')
  const hex = [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, '0')).join('')
  return Buffer.from(hex, 'hex')
}

function groups(text: string): string[] {
  return text === '' ? [] : text.split(':')
}
