/** The operator's decision about a held or failed file. It applies to all files with the same bytes, under any name. */
export interface Decision {
  readonly source_id: string
  /** The SHA-256 of the file in landing. For a member of a zip it is the hash of the zip. */
  readonly sha256: string
  readonly member: string | null
  /** `accept_always` also makes this load the start of the history that later files are compared with. */
  readonly decision: 'accept' | 'accept_always' | 'reject'
}

/** Returns the key of a decision for maps. The same file in landing and the same member give the same key. */
export function decisionKey({ sha256, member }: { sha256: string; member: string | null }): string {
  return `${sha256}\n${member ?? ''}`
}
