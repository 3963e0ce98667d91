import { ZipFile } from 'yazl'

/** The bytes of a zip with these members. */
export async function zipOf(members: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(members)) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  const blocks: Buffer[] = []
  for await (const block of zip.outputStream) blocks.push(block as Buffer)
  return Buffer.concat(blocks)
}
