import { fileURLToPath } from 'node:url'
import type { Config } from '../config.ts'

const OWN = fileURLToPath(new URL('../../pipelines/sources', import.meta.url))

/** The folders that definitions are read from: Platbook's own, `PLATBOOK_SOURCES`, and those named by `--sources`. */
export function sourceFolders(config: Pick<Config, 'PLATBOOK_SOURCES'>, named: string[] = []): string[] {
  return [
    ...new Set([OWN, ...(config.PLATBOOK_SOURCES === undefined ? [] : [config.PLATBOOK_SOURCES]), ...named]),
  ]
}
