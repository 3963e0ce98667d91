import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import yauzl from 'yauzl'

const open = promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)

/** The members of an archive with their bytes, in their order; yauzl checks sizes and checksums. */
export async function membersOf(path: string): Promise<[name: string, bytes: Buffer][]> {
  const zip = await open(path, { lazyEntries: true })
  const read = promisify<yauzl.Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip))
  const members: [string, Buffer][] = []
  await new Promise<void>((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', () => resolve())
    zip.on('entry', (entry: yauzl.Entry) => {
      const keep = async (): Promise<void> => {
        members.push([entry.fileName, await buffer(await read(entry))])
        zip.readEntry()
      }
      keep().catch(reject)
    })
    zip.readEntry()
  })
  return members
}
